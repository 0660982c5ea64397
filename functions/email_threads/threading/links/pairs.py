"""Two threads that a mail names, and whether it shows that they are one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from email_threads.store.items.threads.thread import Direction
from email_threads.threading.head.follow_up import is_final
from email_threads.threading.links.merge import MOST_MAILS, winner_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from email_threads.store.items import Thread
    from email_threads.threading.incoming_mail import Incoming

_TWO: Final = 2


@dataclass(frozen=True, slots=True)
class Pair:
    """Two threads that are one: the older, and the id of the other, which is merged or only linked."""

    thread: Thread | None = None
    merges: str | None = None
    linked: str | None = None


def pair_of(incoming: Incoming, live: list[Thread], is_of: Callable[[Thread], bool]) -> Pair:
    """
    Decide about the first two threads that a mail names. *is_of*: its sender is a verified participant of a thread.

    The company's mailbox takes part in all its threads, so a sent mail connects only threads with the same customer.
    """
    pair = live[:_TWO]
    if len(pair) < _TWO or not all(is_of(one) for one in pair) or _are_apart(incoming, *pair):
        return Pair()
    is_ours = incoming.direction is Direction.OUTBOUND
    if is_ours and len({one.participant for one in pair}) == _TWO:
        return Pair()
    winner, loser = winner_of(*pair)
    name = loser.conversation_id
    return Pair(winner, name, None) if loser.email_count <= MOST_MAILS else Pair(winner, None, name)


def _are_apart(incoming: Incoming, one: Thread, other: Thread) -> bool:
    """Whether two threads stay two: people separated them, or one continues the other, or is closed for good."""
    if one.conversation_id in other.kept_apart or other.conversation_id in one.kept_apart:
        return True
    continued = {one.metadata.client_info.continues, other.metadata.client_info.continues}
    is_closed = any(
        is_final(thread, incoming.received_ms, incoming.reopen_days) for thread in (one, other)
    )
    return is_closed or not continued.isdisjoint({one.conversation_id, other.conversation_id})
