"""How often a machine may write: counted over what it sent before, never over the reply to this very message."""

from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from richpanel.decisions.facts import Memory, Turn
from richpanel.taxonomy import cooldowns

_WINDOW = timedelta(seconds=cooldowns.window_seconds)
_PAUSE = timedelta(seconds=cooldowns.ticket_seconds)


def is_rate_limited(turn: Turn, memory: Memory, now: datetime, *, continues_flow: bool) -> bool:
    """Whether another reply now would be one too many. Only the pause of ten minutes is waived within a flow."""
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
    """Whether a customer who was answered at these *times*, in whatever tickets, may not be answered again yet."""
    return _in_window(times, now) >= cooldowns.most_replies_per_customer


def was_answered_before(turn: Turn, memory: Memory) -> bool:
    """Whether a machine wrote in this ticket before, for another message than this one."""
    if turn.earlier_auto_reply or _others(memory.auto_reply_times, turn, memory):
        return True
    return memory.last_auto_reply is not None and not _is_mine(turn, memory)


def _is_mine(turn: Turn, memory: Memory) -> bool:
    # A redelivery finds the slot that its first run took; counting it would refuse the reply that it has to finish.
    return (
        memory.last_auto_reply is not None
        and memory.last_auto_reply.source_message_id == turn.message_id
    )


def _others(times: Iterable[datetime], turn: Turn, memory: Memory) -> set[datetime]:
    mine = memory.last_auto_reply if _is_mine(turn, memory) else None
    return {sent for sent in times if mine is None or sent != mine.sent_at}


def _in_window(times: Iterable[datetime], now: datetime) -> int:
    return sum(now - sent < _WINDOW for sent in times)
