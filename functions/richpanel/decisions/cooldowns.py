"""Rate limits of automatic replies, counted over earlier replies, without the reply to the current message."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from richpanel.decisions.facts import Memory, Turn
from richpanel.taxonomy import cooldowns

_WINDOW = timedelta(seconds=cooldowns.window_seconds)
_PAUSE = timedelta(seconds=cooldowns.ticket_seconds)


def is_rate_limited(turn: Turn, memory: Memory, now: datetime, *, continues_flow: bool) -> bool:
    """Return whether another reply now exceeds a limit. Within a flow only the ten-minute pause is waived."""
    ticket = _others(memory.auto_reply_times, turn, memory)
    if memory.last_auto_reply and not _is_mine(turn, memory):
        ticket |= {memory.last_auto_reply.sent_at}
    customer = _others(memory.customer_reply_times, turn, memory)
    return (
        (not continues_flow and any(now - sent < _PAUSE for sent in ticket))
        or _in_window(ticket, now) >= cooldowns.most_replies_per_ticket
        or is_customer_limited(customer, now)
    )


def is_customer_limited(times: Collection[datetime], now: datetime) -> bool:
    """Return whether a customer's limit is reached, given the *times* of all replies to them in any ticket."""
    return _in_window(times, now) >= cooldowns.most_replies_per_customer


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


def _in_window(times: Iterable[datetime], now: datetime) -> int:
    return sum(now - sent < _WINDOW for sent in times)
