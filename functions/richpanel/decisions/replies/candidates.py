"""Selection of the candidate reply: the reply sent if every gate is open, and order-related reasons against it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType

from richpanel.classification import Classification
from richpanel.classification.taxonomy import intents, thresholds
from richpanel.decisions.facts import (
    MatchPath,
    NoOrder,
    OrderFacts,
    Shop,
    Turn,
    Verdict,
    VerdictReason,
)
from richpanel.decisions.readings import Reading
from richpanel.decisions.replies.order_replies import order_reply
from richpanel.decisions.replies.renderer import missing
from richpanel.decisions.replies.verifier import verify
from richpanel.decisions.switches import Switches
from richpanel.decisions.templates.catalogue import (
    ASK_ORDER_NUMBER,
    ASKS_NUMBER,
    Tier,
)
from richpanel.decisions.templates.wordings import asks_number
from richpanel.inbound.channels import Channel


class Tier2Refusal(StrEnum):
    """The reason why facts of an order are not stated."""

    MISSING_MATCH = "tier2_missing_deterministic_match"
    VERIFIER_FAILED = "tier2_verifier_failed"
    LOW_CONFIDENCE = "low_confidence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """
    The candidate reply. *template* is None if there is none; the flags are reasons not to send it.

    *verdict* and *tier2_refusal* are set for the order-status intents only. *is_exhausted*: the order number was
    requested the maximum number of times. *is_settled*: no order lookup is pending. *lacks_verdict*: Tier 2 lacks only
    the verdict of the model's verifier.
    """

    template: str | None = None
    tier: Tier = Tier.ASSIST
    values: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    verdict: Verdict | None = None
    tier2_refusal: Tier2Refusal | None = None
    is_matched: bool = False
    needs_person: bool = False
    may_close: bool = False
    lookup_failed: bool = False
    context_missing: bool = False
    is_exhausted: bool = False
    is_settled: bool = True
    verifier_forbids: bool = False
    lacks_verdict: bool = False

    @property
    def has_template(self) -> bool:
        """Whether the intent has a reply, including one that is withheld for another reason."""
        return self.template is not None or self.context_missing or self.verifier_forbids

    @property
    def missing_variables(self) -> tuple[str, ...]:
        """The required variables without a value."""
        return missing(self.template, self.values) if self.template else ()


def select_candidate(
    turn: Turn,
    reading: Reading,
    order: OrderFacts | NoOrder,
    switches: Switches,
    shop: Shop,
) -> Candidate:
    """Select the candidate reply for this turn."""
    usable_order = _usable(order, turn, switches)
    if not intents[reading.intent].tier2:
        is_known = usable_order is not None or bool(turn.classification.order_numbers)
        return Candidate(
            template=intents[reading.intent].template,
            values={} if is_known else {ASKS_NUMBER: "yes"},
            is_matched=usable_order is not None,
        )
    verdict = verify(turn.classification, reading, is_matched=usable_order is not None)
    refusal = _tier2_refusal(turn, reading, verdict)
    candidate = Candidate(
        verdict=verdict, tier2_refusal=refusal, is_matched=usable_order is not None
    )
    numbers = turn.classification.order_numbers
    if usable_order is None:
        return _ask(
            candidate,
            reading,
            order,
            is_settled=not (numbers and is_lookup_due(turn, order, switches)),
        )
    if refusal is None:
        return _tier2(candidate, usable_order, turn, switches, shop)
    # The order is known: asking for its number would be wrong.
    lacks_verdict = _lacks_verdict(turn, reading, verdict)
    return replace(candidate, lacks_verdict=lacks_verdict, verifier_forbids=True)


def is_lookup_due(turn: Turn, order: OrderFacts | NoOrder, switches: Switches) -> bool:
    """Return whether to look an order up: not done yet, and the switches allow stating its facts."""
    if order is not NoOrder.NOT_LOOKED_UP or not _may_state_facts(turn.channel, switches):
        return False
    numbers = len(turn.classification.order_numbers)
    by_number = MatchPath.NUMBER in switches.tier2_paths and numbers == 1
    return by_number or (MatchPath.LINKED in switches.tier2_paths and numbers <= 1)


def wants_lookup(
    candidate: Candidate,
    turn: Turn,
    order: OrderFacts | NoOrder,
    switches: Switches,
    shop: Shop,
) -> bool:
    """Return whether the reply depends on the order: it states its facts, or asks for the number of a linked order."""
    if candidate.template is None or not is_lookup_due(turn, order, switches):
        return False
    if candidate.template == ASK_ORDER_NUMBER:
        return True
    may_be_linked = MatchPath.LINKED in switches.tier2_paths
    is_asked = bool(candidate.values.get(ASKS_NUMBER)) and asks_number(
        shop.wordings, candidate.template
    )
    return may_be_linked and is_asked


def same_number(first: str, second: str) -> bool:
    """Return whether two order numbers are equal, ignoring letter case, spaces and a leading `#`."""
    return _normal(first) == _normal(second)


def _normal(number: str) -> str:
    return "".join(number.split()).lstrip("#").upper()


def _usable(order: OrderFacts | NoOrder, turn: Turn, switches: Switches) -> OrderFacts | None:
    """Return the order if channel and match path allow stating its facts and the turn names no other number."""
    if isinstance(order, NoOrder) or not _may_state_facts(turn.channel, switches):
        return None
    if order.path not in switches.tier2_paths or not _is_named_order(order, turn.classification):
        return None
    return order


def _may_state_facts(channel: Channel, switches: Switches) -> bool:
    # In a chat the customer's address cannot be proved: no switch overrides this.
    return channel is Channel.EMAIL and channel in switches.tier2_channels


def _is_named_order(order: OrderFacts, answer: Classification) -> bool:
    if order.path is MatchPath.NUMBER and len(answer.order_numbers) != 1:
        return False
    return all(same_number(number, order.number) for number in answer.order_numbers)


def _tier2_refusal(turn: Turn, reading: Reading, verdict: Verdict) -> Tier2Refusal | None:
    if not verdict.allow_tier2:
        is_unmatched = verdict.reason is VerdictReason.DETERMINISTIC_MATCH_FALSE
        return Tier2Refusal.MISSING_MATCH if is_unmatched else Tier2Refusal.VERIFIER_FAILED
    if reading.routing_confidence < thresholds.tier2_confidence:
        return Tier2Refusal.LOW_CONFIDENCE
    if not _model_allows(turn) or verdict.confidence < thresholds.tier2_verifier:
        return Tier2Refusal.VERIFIER_FAILED
    return None


def _model_allows(turn: Turn) -> bool:
    if turn.model is None:
        return True
    verdict = turn.model.verdict
    if turn.model.failure or verdict is None:
        return False
    return verdict.allow_tier2 and verdict.confidence >= thresholds.tier2_verifier


def _lacks_verdict(turn: Turn, reading: Reading, verdict: Verdict) -> bool:
    model = turn.model
    return (
        model is not None
        and model.failure is None
        and model.verdict is None
        and verdict.allow_tier2
        and reading.routing_confidence >= thresholds.tier2_confidence
    )


def _ask(
    candidate: Candidate, reading: Reading, order: OrderFacts | NoOrder, *, is_settled: bool
) -> Candidate:
    failed = order is NoOrder.LOOKUP_FAILED
    return replace(
        candidate,
        template=ASK_ORDER_NUMBER,
        lookup_failed=failed,
        is_exhausted=reading.is_exhausted,
        is_settled=is_settled and not failed,
    )


def _tier2(
    candidate: Candidate, order: OrderFacts, turn: Turn, switches: Switches, shop: Shop
) -> Candidate:
    reply = order_reply(order, turn.message_at, shop)
    if reply is None:
        return replace(candidate, tier=Tier.VERIFIED, context_missing=True)
    may_close = reply.may_close and switches.auto_close_enabled
    return replace(
        candidate,
        tier=Tier.VERIFIED,
        template=reply.template,
        values=reply.values | ({"will_close": "yes"} if may_close else {}),
        needs_person=reply.needs_person,
        may_close=may_close,
    )
