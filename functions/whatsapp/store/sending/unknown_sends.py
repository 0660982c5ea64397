"""Sends of unknown outcome: their list, and the decisions of people about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.providers.action_ledger import Action, State
from shared.runtime import clock
from whatsapp.store.items import ACTION_PK_PATTERN, Message, pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.sending.unknown_sends import UnknownSend

if TYPE_CHECKING:
    from typing import Any

INDEX = "gsi_webhook_event"
_EARLIEST = "0"
RESEND = "resend"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A person's decision. *cause* identifies the call, also when it is repeated; *state* is the ledger's new state."""

    decision: str
    state: State
    by: str
    at: str
    cause: str
    note: str | None = None


def add(table: Table, action: Action) -> None:
    """List a send of unknown outcome. Safe to repeat: the entry is the same."""
    entry = UnknownSend(
        pk=UnknownSend.key(action.action_id),
        company=action.company,
        ttl=clock.expires_in((UnknownSend.ttl_days or 0) * clock.DAY_SECONDS),
        webhook_event_type=UnknownSend.type_pattern.format(company=action.company),
        action_id=action.action_id,
        received_at=clock.to_text(int(action.reserved_at)),
    )
    table.put(entry.attributes())


def remove(table: Table, action_id: str) -> None:
    """Remove a send from the list. Safe to repeat."""
    table.delete(pk(UnknownSend.key(action_id)))


def newest(
    table: Table, company: str, since: str | None, *, limit: int, start: Attributes | None
) -> tuple[list[Action], Attributes | None]:
    """Return a page of the company's sends that are still unknown, newest first, and the next start key."""
    listed = Key(UnknownSend.name_of("webhook_event_type")).eq(
        UnknownSend.type_pattern.format(company=company)
    )
    entries, last = table.query(
        INDEX,
        listed & Key(UnknownSend.name_of("received_at")).gte(since or _EARLIEST),
        limit=limit,
        start=start,
        newest_first=True,
    )
    prefix = UnknownSend.pk_pattern.partition("{")[0]
    ids = [str(entry[PARTITION_KEY]).removeprefix(prefix) for entry in entries]
    items = table.get_many([_key(action_id) for action_id in ids])
    actions = {a.action_id: a for a in map(Action.model_validate, items)}
    found = [actions[action_id] for action_id in ids if action_id in actions]
    return [a for a in found if a.company == company and is_undecided(a)], last


def is_undecided(action: Action) -> bool:
    """Whether the outcome is unknown, or a new attempt was decided and refused before it was made."""
    is_waiting = action.state is State.RESERVED and not action.may_have_been_sent
    wanted = (action.model_extra or {}).get("decision")
    return action.state is State.UNKNOWN or (is_waiting and wanted == RESEND)


def decide(table: Table, action: Action, decision: Decision) -> bool:
    """
    Record a decision with the ledger's new state, if the outcome is still unknown. False if it is not.

    With RESEND the action is as before an attempt that certainly sent nothing, so that its next attempt may be made.
    Safe to repeat: another attempt of the same call finds its own decision.
    """
    facts: dict[str, Any] = {
        Action.named("state"): decision.state,
        "decision": decision.decision,
        "decidedBy": decision.by,
        "decidedAt": decision.at,
        "decisionCause": decision.cause,
        "decisionNote": decision.note,
    }
    if decision.decision == RESEND:
        facts[Action.named("deadline")] = 0
    is_waiting = (
        Action.attr("state").eq(State.RESERVED)
        & Action.attr("deadline").eq(0)
        & Attr("decision").eq(RESEND)
    )
    try:
        table.update(
            _key(action.action_id),
            put=facts,
            when=(Action.attr("state").eq(State.UNKNOWN) | is_waiting)
            & Action.attr("company").eq(action.company),
        )
    except ConditionFailed as refusal:
        return (refusal.existing or {}).get("decisionCause") == decision.cause
    return True


def show_outcome(table: Table, company: str, message_pk: str, fields: Attributes) -> None:
    """Set the delivery state of the message of a decided send, unless a status has set it. Safe to repeat."""
    there = Attr(PARTITION_KEY).exists() & Message.attr("erased").not_exists()
    try:
        table.update(
            pk(message_pk),
            put=fields | Message.listed(company, fields),
            drop=[Message.name_of("send_state")],
            when=there & Message.attr("delivery_status").not_exists(),
        )
    except ConditionFailed:
        return


def _key(action_id: str) -> Attributes:
    return pk(ACTION_PK_PATTERN.format(actionId=action_id))
