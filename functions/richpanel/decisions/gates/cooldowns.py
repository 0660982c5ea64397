"""Rate limits of automatic replies, counted over earlier replies, without the reply to the current message."""

from collections.abc import Collection, Iterable
from datetime import datetime

from richpanel.classification.taxonomy import cooldowns
from richpanel.decisions.facts import Memory, Turn
from shared.aws.tables.rate_limits.limit import Limit
from shared.runtime import clock

_PAUSE = Limit(1, cooldowns.ticket_seconds)
_PER_TICKET = Limit(cooldowns.most_replies_per_ticket, cooldowns.window_seconds)
_PER_CUSTOMER = Limit(cooldowns.most_replies_per_customer, cooldowns.window_seconds)


def is_rate_limited(turn: Turn, memory: Memory, now: datetime, *, continues_flow: bool) -> bool:
    """Return whether another reply now exceeds a limit. Within a flow only the ten-minute pause is waived."""
    ticket = _others(memory.auto_reply_times, turn, memory)
    if memory.last_auto_reply and not _is_mine(turn, memory):
        ticket |= {memory.last_auto_reply.sent_at}
    customer = _others(memory.customer_reply_times, turn, memory)
    return (
        (not continues_flow and _is_reached(_PAUSE, ticket, now))
        or _is_reached(_PER_TICKET, ticket, now)
        or is_customer_limited(customer, now)
    )


def is_customer_limited(times: Collection[datetime], now: datetime) -> bool:
    """Return whether a customer's limit is reached, given the *times* of all replies to them in any ticket."""
    return _is_reached(_PER_CUSTOMER, times, now)


def was_answered_before(turn: Turn, memory: Memory) -> bool:
    """Return whether an automatic reply to another message of this ticket was sent before."""
    if turn.earlier_auto_reply or _others(memory.auto_reply_times, turn, memory):
        return True
    return memory.last_auto_reply is not None and not _is_mine(turn, memory)


def _is_mine(turn: Turn, memory: Memory) -> bool:
    # A redelivery finds the reservation of its first run; counting it would refuse the reply that it must complete.
    return (
        memory.last_auto_reply is not None
        and memory.last_auto_reply.source_message_id == turn.message_id
    )


def _others(times: Iterable[datetime], turn: Turn, memory: Memory) -> set[datetime]:
    mine = memory.last_auto_reply if _is_mine(turn, memory) else None
    return {sent for sent in times if mine is None or sent != mine.sent_at}


def _is_reached(limit: Limit, times: Iterable[datetime], now: datetime) -> bool:
    return limit.free_at(map(_ms, times), _ms(now)) is not None


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * clock.SECOND_MS)
