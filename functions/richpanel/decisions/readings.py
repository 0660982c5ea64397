"""
The interpretation of a turn: the classifier's result combined with the channel and a pending request for a number.

    no flow --ask--> asked once --no number, no match--> asked twice --no number, no match--> flow ends, to an agent
    asked --number of the sender's order--> answered (Tier 2), flow ends
    asked --an intent of P0 to P3, an agent's reply, 14 days--> flow ends, the message is interpreted on its own
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from richpanel.classification import Classification, Language
from richpanel.classification.taxonomy import (
    Intent,
    Level,
    channels,
    cooldowns,
    intents,
    thresholds,
)
from richpanel.decisions.facts import Memory, PendingFlow, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """
    The intent used for routing, with its confidence and margin after all penalties.

    *language*: the language of a reply.
    *flow*: the pending request for an order number. *continues*: this turn responds to it. *by_channel*: the text has
    no known intent and the channel determines it, so the confidences do not apply.
    """

    intent: Intent
    routing_confidence: float
    margin: float
    language: Language
    flow: PendingFlow | None = None
    continues: bool = False
    by_channel: bool = False

    @property
    def is_exhausted(self) -> bool:
        """Whether the order number was already requested the maximum number of times in this flow."""
        requests_sent = self.flow.attempts if self.flow and self.continues else 0
        return requests_sent >= cooldowns.most_pending_attempts


def read(turn: Turn, memory: Memory, now: datetime) -> Reading:
    """Interpret this turn."""
    answer = turn.classification
    flow = _applicable_flow(turn, memory, now)
    if flow and _responds_to_request(answer):
        return _in_flow(answer, flow)
    has_no_intent = not answer.present
    channel_intent = channels[turn.channel].unknown_becomes
    return Reading(
        intent=channel_intent if has_no_intent and channel_intent else answer.primary,
        routing_confidence=answer.routing_confidence,
        margin=answer.margin,
        language=answer.language,
        flow=flow,
        by_channel=has_no_intent and channel_intent is not None,
    )


def awaits_order_number(memory: Memory, now: datetime) -> bool:
    """Return whether a request for an order number is pending, so that a bare number counts as one."""
    flow = memory.pending_flow
    if flow is None:
        return False
    return now < flow.requested_at + timedelta(seconds=cooldowns.pending_flow_seconds)


def is_plain(answer: Classification) -> bool:
    """Return whether the message itself permits a reply: it has text, no modifier, and is no resolution."""
    return answer.has_text and not answer.is_resolution and not answer.modifiers


def _applicable_flow(turn: Turn, memory: Memory, now: datetime) -> PendingFlow | None:
    flow = memory.pending_flow
    if flow is None or not awaits_order_number(memory, now):
        return None
    if turn.last_person_reply_at and turn.last_person_reply_at >= flow.requested_at:
        return None
    if any(intents[scored.intent].level <= Level.P3 for scored in turn.classification.present):
        return None
    return flow


def _responds_to_request(answer: Classification) -> bool:
    """
    Return whether a message responds to the pending request: by a number, an order-status intent or no known intent.
    Another intent leaves the request pending.
    """
    if not is_plain(answer):
        return False
    return bool(answer.order_numbers) or not answer.present or intents[answer.primary].tier2


def _in_flow(answer: Classification, flow: PendingFlow) -> Reading:
    # A number alone has no language: the customer understood our request.
    language = answer.language if answer.is_language_certain else flow.language
    if answer.order_numbers:
        confidence = thresholds.pending_flow_confidence
        return Reading(
            intent=Intent.ORDER_STATUS_TRACKING,
            routing_confidence=confidence,
            margin=confidence,
            language=language,
            flow=flow,
            continues=True,
        )
    # "I cannot find it" is a response too: confident enough to ask once more, never for facts of an order.
    confidence = max(thresholds.tier1_confidence, answer.routing_confidence)
    return Reading(
        intent=answer.primary if answer.present else Intent.ORDER_STATUS_TRACKING,
        routing_confidence=confidence,
        margin=confidence,
        language=language,
        flow=flow,
        continues=True,
    )
