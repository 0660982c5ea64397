"""Decides one turn: interprets it, evaluates every gate, routes it. Pure: equal inputs give equal decisions."""

from dataclasses import dataclass
from datetime import datetime

from richpanel.classification.taxonomy import ControlTag, Intent, intents, modifiers, teams
from richpanel.decisions.facts import (
    Downgrade,
    Memory,
    NoOrder,
    OrderFacts,
    PendingFlow,
    Shop,
    Turn,
)
from richpanel.decisions.gates.gates import Gate, GateResult, evaluate_gates
from richpanel.decisions.outcome import Decision, Reply, Rule
from richpanel.decisions.readings import Reading, read
from richpanel.decisions.replies.candidates import Candidate, select_candidate, wants_lookup
from richpanel.decisions.routing import Route, intent_tags, is_tier0, risk_flags_of, route
from richpanel.decisions.switches import Switches
from richpanel.decisions.templates.catalogue import ASK_ORDER_NUMBER, Tier, variant_for
from shared.runtime.redaction.order_numbers import masked_order_number

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
    candidate: Candidate
    gates: tuple[GateResult, ...]
    agents_only: bool

    @property
    def shut(self) -> list[Gate]:
        return [result.gate for result in self.gates if not result.is_open]

    @property
    def first_shut(self) -> Gate | None:
        return next(iter(self.shut), None)

    @property
    def request_limit_reached(self) -> bool:
        """
        Whether the order number was requested the maximum number of times without a match: an agent takes over, and
        the pending flow ends.
        """
        candidate = self.candidate
        exhausted = self.reading.continues and candidate.is_exhausted and candidate.is_settled
        return exhausted and not candidate.is_matched


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
    case = _build_case(turn, memory, order, switches, now, shop=shop)
    reading, candidate = case.reading, case.candidate
    reply = None if case.shut else _reply(case)
    takes_over = case.request_limit_reached or case.first_shut in {
        Gate.FIRST_REPLY,
        Gate.ORDER_CONTEXT,
    }
    routed = route(turn, reading, memory, shop, takes_over=takes_over)
    may_change = _OPEN_QUESTIONS.issuperset(case.shut)
    return Decision(
        intent=reading.intent,
        secondary=tuple(i for i in turn.classification.secondary if i is not reading.intent),
        level=intents[reading.intent].level,
        team=routed.team,
        tags=_tags(case, routed),
        tier=Tier.HANDOFF if case.agents_only else (reply.tier if reply else None),
        reply=reply,
        considered=candidate.template,
        close_when_confirmed=reply is not None and candidate.may_close,
        reason=case.first_shut or (TIER2_SENT if candidate.tier is Tier.VERIFIED else TIER1_SENT),
        gates=case.gates,
        tier2_refusal=candidate.tier2_refusal,
        verdict=candidate.verdict,
        routing_confidence=reading.routing_confidence,
        automation_confidence=_automation_confidence(case),
        margin=reading.margin,
        pending_flow=_flow_after(case, reply, now),
        pending_flow_unsent=_flow_after(case, None, now),
        risk_flags=risk_flags_of(turn),
        wants_order_lookup=may_change and wants_lookup(candidate, turn, order, switches, shop),
        wants_verdict=may_change and candidate.lacks_verdict,
        policy_refusal=turn.policy_refusal,
        rule=_rule(case),
        version=turn.classification.version,
        settings_version=shop.settings_version,
        match=order if isinstance(order, NoOrder) else order.path,
        masked_order=None if isinstance(order, NoOrder) else masked_order_number(order.number),
        language=reading.language,
        suspected_tier0=turn.classification.suspected_tier0,
        modifiers=turn.classification.modifiers,
    )


def _rule(case: _Case) -> Rule:
    reading, turn = case.reading, case.turn
    if reading.intent in turn.classification.strong_tier0:
        return Rule.TIER0_PATTERN
    if reading.continues and reading.intent is not turn.classification.primary:
        return Rule.PENDING_FLOW
    if reading.by_channel:
        return Rule.CHANNEL
    if reading.intent is Intent.UNKNOWN_OTHER:
        return Rule.NONE
    return Rule.MODEL if turn.model and turn.model.failure is None else Rule.WORD_MODEL


def _build_case(
    turn: Turn,
    memory: Memory,
    order: OrderFacts | NoOrder,
    switches: Switches,
    now: datetime,
    *,
    shop: Shop,
) -> _Case:
    reading = read(turn, memory, now)
    candidate = select_candidate(turn, reading, order, switches, shop)
    agents_only = is_tier0(memory.risk_flags | risk_flags_of(turn)) or _model_requires_tier0(turn)
    gates = evaluate_gates(
        turn,
        memory,
        reading=reading,
        candidate=candidate,
        switches=switches,
        shop=shop,
        now=now,
        is_tier0=agents_only,
    )
    return _Case(
        turn=turn,
        memory=memory,
        reading=reading,
        candidate=candidate,
        gates=gates,
        agents_only=agents_only,
    )


def _model_requires_tier0(turn: Turn) -> bool:
    verdict = turn.model.verdict if turn.model else None
    return verdict is not None and verdict.downgrade_to is Downgrade.TIER_0


def _reply(case: _Case) -> Reply | None:
    if case.candidate.template is None:
        return None
    return Reply(
        template=case.candidate.template,
        language=case.reading.language,
        variant=variant_for(case.turn.channel),
        values=case.candidate.values,
        tier=case.candidate.tier,
        intent=case.reading.intent,
    )


def _flow_after(case: _Case, reply: Reply | None, now: datetime) -> PendingFlow | None:
    flow = case.reading.flow
    if case.request_limit_reached or (reply and reply.tier is Tier.VERIFIED):
        return None
    if reply and reply.template == ASK_ORDER_NUMBER:
        attempts = flow.attempts + 1 if flow else 1
        return PendingFlow(now, attempts, language=reply.language)
    return flow


def _automation_confidence(case: _Case) -> float:
    if not case.candidate.is_matched or case.candidate.verdict is None:
        return 0.0
    return min(case.reading.routing_confidence, case.candidate.verdict.confidence)


def _tags(case: _Case, routed: Route) -> tuple[str, ...]:
    tags = [
        ControlTag.PROCESSED,
        ControlTag.ROUTING_APPLIED,
        teams[routed.team].route_tag,
        *intent_tags(case.reading.intent),
        *routed.tags,
    ]
    for modifier in sorted(case.turn.classification.modifiers):
        tags += modifiers[modifier].tags
    tags += (tag for tag, is_due in _control_tags(case).items() if is_due)
    return tuple(dict.fromkeys(str(tag) for tag in tags))


def _control_tags(case: _Case) -> dict[ControlTag, bool]:
    turn, candidate = case.turn, case.candidate
    is_unanswerable = case.request_limit_reached or case.first_shut is Gate.FIRST_REPLY
    lookup_failed = candidate.lookup_failed or candidate.context_missing
    asks_status = intents[case.reading.intent].tier2
    return {
        ControlTag.ATTACHMENT_ONLY: not turn.classification.has_text,
        ControlTag.MODEL_FAILURE: turn.model is not None and turn.model.failure is not None,
        ControlTag.AUTO_RATE_LIMITED: case.first_shut is Gate.RATE,
        ControlTag.ORDER_LOOKUP_FAILED: lookup_failed,
        ControlTag.ORDER_LOOKUP_NEEDED: asks_status and not (candidate.is_matched or lookup_failed),
        ControlTag.ESCALATED_HUMAN: case.agents_only or is_unanswerable or candidate.needs_person,
    }
