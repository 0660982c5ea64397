"""
Audit rows that explain to operators how a ticket was handled: codes, scores and ids only.

A row's key has the time of the event's first claim, so a redelivery repeats the keys and the first rows stay.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from richpanel.inbound.event import event_prefix
from richpanel.store import audits
from richpanel.store.items import AuditAction, DecisionOutcome
from shared.ai.spending import prices
from shared.runtime import clock
from shared.runtime.redaction import redact

if TYPE_CHECKING:
    from richpanel.configuration.resources import Resources
    from richpanel.decisions.outcome import Decision
    from richpanel.store.items import Event
    from richpanel.worker.cases.case import Case

type Kind = Literal["route", "tag", "assign", "auto_reply", "escalate", "close", "park", "switch"]

SUCCESS = "success"
LONGEST_PAYLOAD_BYTES = 1_000
# The part of a decision's payload that the list of its day shows: with its keys it fits one write unit.
LISTED = (
    "intent",
    "rule",
    "version",
    "settings",
    "team",
    "tier",
    "reason",
    "template",
    "match",
    "confidence",
    "dollars",
)
WOULD = "would"  # in dry run: the outcome that the decision would have had


def skipped(reason: str) -> str:
    """Return the result text of a step that was skipped."""
    return f"skipped: {reason}"


def failed(reason: str) -> str:
    """Return the result text of a step that failed."""
    return f"fail: {reason}"


def write(
    resources: Resources,
    event: Event,
    kind: Kind,
    payload: dict[str, Any],
    *,
    result: str,
    key: str | None = None,
) -> None:
    """
    Write the audit row of one action of an event. *key* is the key of its ledger row, if it has one.

    Safe to repeat: the first row of an action stays.
    """
    audits.add(
        resources.audit,
        AuditAction(
            conversation_id=event.conversation_id,
            ts_action_id=_sort_key(event, _own_id(event, kind) if key is None else _id_of(key)),
            action_type=kind,
            action_payload_redacted=as_text(payload),
            idempotency_key=key or event.event_id,
            result=result,
            expires_at=AuditAction.time_to_live(),
        ),
    )


def list_decision(
    resources: Resources, case: Case, decision: Decision, outcome: DecisionOutcome
) -> None:
    """Add the decision on a case to the list of its day. Safe to repeat: the first entry stays."""
    facts = of_decision(case, decision)
    listed = {name: facts[name] for name in LISTED}
    would = would_be(decision) if outcome is DecisionOutcome.DRY_RUN else None
    payload = as_text({"channel": case.channel, WOULD: would, **listed})
    audits.list_decision(resources.audit, case.event, payload, outcome)


def would_be(decision: Decision) -> DecisionOutcome:
    """Return the outcome that a decision has if it is carried out, and the help desk accepts its reply."""
    if decision.reply:
        return DecisionOutcome.REPLIED
    return DecisionOutcome.HANDED_OVER if decision.takes_over else DecisionOutcome.ROUTED


def is_written(resources: Resources, event: Event, key: str) -> bool:
    """Whether the audit of an event holds a row for the action with this ledger key."""
    sort_key = _sort_key(event, _id_of(key))
    return audits.get(resources.audit, event.conversation_id, sort_key) is not None


def reason_of(resources: Resources, event: Event) -> str | None:
    """Return the reason code of an event's decision, or None if its audit row does not exist or gives none."""
    row = audits.get(
        resources.audit, event.conversation_id, _sort_key(event, _own_id(event, "route"))
    )
    reason = json.loads(row.action_payload_redacted).get("reason") if row else None
    return str(reason) if reason else None


def _sort_key(event: Event, action_id: str) -> str:
    return AuditAction.sort_key(event.created_at, action_id)


def _own_id(event: Event, kind: Kind) -> str:
    """Return the id of an action without a ledger row. It names the message: events may share a millisecond."""
    return f"{kind}:{event.event_id.removeprefix(event_prefix(event.conversation_id))}"


def _id_of(key: str) -> str:
    """Return the id of an action within its event's audit, from its ledger key."""
    return key.partition(":")[2]


def as_text(payload: dict[str, Any]) -> str:
    """Return the payload as JSON of at most 1 KB, redacted again. If it is too long, its last fields are dropped."""
    fields = {name: value for name, value in payload.items() if value not in (None, [], (), {})}
    while True:
        text = redact(json.dumps(fields, ensure_ascii=True, separators=(",", ":"), default=str))
        if len(text) <= LONGEST_PAYLOAD_BYTES or not fields:
            return text
        fields.popitem()


def of_decision(case: Case, decision: Decision) -> dict[str, Any]:
    """Return the audit payload of a decision: its outcome and its inputs, the most important fields first."""
    return {
        "intent": decision.intent,
        "rule": decision.rule,
        "version": decision.version,
        "settings": decision.settings_version or None,
        "dollars": prices.shown(decision.cost_micros),
        "level": f"P{int(decision.level)}",
        "team": decision.team,
        "tier": None if decision.tier is None else int(decision.tier),
        "reason": decision.reason,
        "template": decision.considered,
        "language": decision.language,
        "match": decision.match,
        "order": decision.masked_order,
        "tier2": decision.tier2_refusal,
        "policy": decision.policy_refusal,
        "confidence": round(decision.routing_confidence, 2),
        "automation": round(decision.automation_confidence, 2),
        "margin": round(decision.margin, 2),
        "secondary": decision.secondary,
        "suspected": sorted(decision.suspected_tier0),
        "flags": sorted(decision.risk_flags),
        "modifiers": sorted(decision.modifiers),
        "turn": len(case.customer_turn.comments),
        "waited_s": max(0, clock.now_ms() - case.target.at_ms) // clock.SECOND_MS,
        "shut": [result.gate for result in decision.gates if not result.is_open][:8],
        "tags": decision.tags,
    }
