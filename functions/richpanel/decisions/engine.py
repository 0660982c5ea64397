"""Decides one turn: interprets it, evaluates every gate, routes it. Pure: equal inputs give equal decisions."""

from dataclasses import dataclass
from datetime import datetime

from richpanel.decisions.candidates import Candidate, candidate, is_lookup_due
from richpanel.decisions.facts import (
    Downgrade,
    Memory,
    NoOrder,
    OrderFacts,
    PendingFlow,
    Shop,
    Turn,
)
from richpanel.decisions.gates import Gate, GateResult, look
from richpanel.decisions.outcome import Decision, Reply
from richpanel.decisions.readings import Reading, read
from richpanel.decisions.replies.catalogue import ASK_ORDER_NUMBER, Tier, variant_for
from richpanel.decisions.replies.verifier import verify
from richpanel.decisions.routing import Route, intent_tags, is_tier0, risk_flags_of, route
from richpanel.decisions.switches import Switches
from richpanel.taxonomy import ControlTag, intents, modifiers, teams, thresholds

TIER1_SENT, TIER2_SENT = "tier1_safe_assist", "tier2_verified"
# Gates whose result may still change after an order lookup or a verdict of the model's verifier.
_OPEN_QUESTIONS = frozenset(
    {Gate.TEMPLATE, Gate.ASKS_LEFT, Gate.ORDER_CONTEXT, Gate.VERIFIED, Gate.VARIABLES}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A turn with its intermediate results, from which `decide` builds the decision."""

    turn: Turn
    memory: Memory
    reading: Reading
    found: Candidate
    gates: tuple[GateResult, ...]
    people_only: bool

    @property
    def shut(self) -> list[Gate]:
        return [result.gate for result in self.gates if not result.is_open]

    @property
    def first_shut(self) -> Gate | None:
        return next(iter(self.shut), None)

    @property
    def given_up(self) -> bool:
        """
        Whether the order number was requested the maximum number of times without a match: an agent takes over, and
        the pending flow ends.
        """
        found = self.found
        exhausted = self.reading.continues and found.is_exhausted and found.is_settled
        return exhausted and not found.is_matched


def decide(
    turn: Turn,
    memory: Memory,
    order: OrderFacts | NoOrder,
    switches: Switches,
    now: datetime,
    *,
    shop: Shop,
) -> Decision:
    """
    Decide *turn*.

    Call it first with `NoOrder.NOT_LOOKED_UP`. If the decision has `wants_order_lookup`, look the order up and call it
    again; the same for `wants_verdict`. Executing the first decision is safe too, but its reply states fewer facts.
    """
    case = _examined(turn, memory, order, switches, now, shop=shop)
    reading, found = case.reading, case.found
    reply = None if case.shut else _reply(case)
    takes_over = case.given_up or case.first_shut in {Gate.FIRST_REPLY, Gate.ORDER_CONTEXT}
    way = route(turn, reading, memory, shop, takes_over=takes_over)
    may_change = _OPEN_QUESTIONS.issuperset(case.shut)
    return Decision(
        intent=reading.intent,
        secondary=tuple(i for i in turn.classification.secondary if i is not reading.intent),
        level=intents[reading.intent].level,
        team=way.team,
        tags=_tags(case, way),
        tier=Tier.HANDOFF if case.people_only else (reply.tier if reply else None),
        reply=reply,
        considered=found.template,
        close_when_confirmed=reply is not None and found.may_close,
        reason=case.first_shut or (TIER2_SENT if found.tier is Tier.VERIFIED else TIER1_SENT),
        gates=case.gates,
        tier2_refusal=found.tier2_refusal,
        verdict=found.verdict,
        routing_confidence=reading.routing_confidence,
        automation_confidence=_automation_confidence(case),
        margin=reading.margin,
        pending_flow=_flow_after(case, reply, now),
        pending_flow_unsent=_flow_after(case, None, now),
        risk_flags=risk_flags_of(turn),
        wants_order_lookup=may_change and _wants_lookup(case, order, switches),
        wants_verdict=may_change and found.lacks_verdict,
        policy_refusal=turn.policy_refusal,
    )


def _examined(
    turn: Turn,
    memory: Memory,
    order: OrderFacts | NoOrder,
    switches: Switches,
    now: datetime,
    *,
    shop: Shop,
) -> _Case:
    reading = read(turn, memory, now)
    found = candidate(turn, reading, order, switches, shop)
    people_only = is_tier0(memory.risk_flags | risk_flags_of(turn)) or _model_says_tier0(turn)
    gates = look(
        turn,
        memory,
        reading=reading,
        candidate=found,
        switches=switches,
        shop=shop,
        now=now,
        is_tier0=people_only,
    )
    return _Case(
        turn=turn,
        memory=memory,
        reading=reading,
        found=found,
        gates=gates,
        people_only=people_only,
    )


def _model_says_tier0(turn: Turn) -> bool:
    verdict = turn.model.verdict if turn.model else None
    return verdict is not None and verdict.downgrade_to is Downgrade.TIER_0


def _reply(case: _Case) -> Reply | None:
    if case.found.template is None:
        return None
    return Reply(
        template=case.found.template,
        variant=variant_for(case.turn.channel),
        values=case.found.values,
        tier=case.found.tier,
        intent=case.reading.intent,
    )


def _flow_after(case: _Case, reply: Reply | None, now: datetime) -> PendingFlow | None:
    flow = case.reading.flow
    if case.given_up or (reply and reply.tier is Tier.VERIFIED):
        return None
    if reply and reply.template == ASK_ORDER_NUMBER:
        return PendingFlow(now, flow.attempts + 1 if flow else 1)
    return flow


def _wants_lookup(case: _Case, order: OrderFacts | NoOrder, switches: Switches) -> bool:
    reading, answer = case.reading, case.turn.classification
    return (
        intents[reading.intent].tier2
        and is_lookup_due(case.turn, order, switches)
        and reading.routing_confidence >= thresholds.tier2_confidence
        and verify(answer, reading, is_matched=True).allow_tier2
    )


def _automation_confidence(case: _Case) -> float:
    if not case.found.is_matched or case.found.verdict is None:
        return 0.0
    return min(case.reading.routing_confidence, case.found.verdict.confidence)


def _tags(case: _Case, way: Route) -> tuple[str, ...]:
    tags = [
        ControlTag.PROCESSED,
        ControlTag.ROUTING_APPLIED,
        teams[way.team].route_tag,
        *intent_tags(case.reading.intent),
        *way.tags,
    ]
    for modifier in sorted(case.turn.classification.modifiers):
        tags += modifiers[modifier].tags
    tags += (tag for tag, is_due in _control_tags(case).items() if is_due)
    return tuple(dict.fromkeys(str(tag) for tag in tags))


def _control_tags(case: _Case) -> dict[ControlTag, bool]:
    turn, found = case.turn, case.found
    is_unanswerable = case.given_up or case.first_shut is Gate.FIRST_REPLY
    lookup_failed = found.lookup_failed or found.context_missing
    asks_status = intents[case.reading.intent].tier2
    return {
        ControlTag.ATTACHMENT_ONLY: not turn.classification.has_text,
        ControlTag.MODEL_FAILURE: turn.model is not None and turn.model.failure is not None,
        ControlTag.AUTO_RATE_LIMITED: case.first_shut is Gate.RATE,
        ControlTag.ORDER_LOOKUP_FAILED: lookup_failed,
        ControlTag.ORDER_LOOKUP_NEEDED: asks_status and not (found.is_matched or lookup_failed),
        ControlTag.ESCALATED_HUMAN: case.people_only or is_unanswerable or found.needs_person,
    }
