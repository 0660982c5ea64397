"""The live thread behind an id: the one that it was merged into, or in which it is continued after its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.parsing.kinds import Kind
from email_threads.store import threads
from email_threads.store.items.threads.thread import Direction
from email_threads.threading.head.follow_up import is_final

if TYPE_CHECKING:
    from email_threads.store.items import Thread
    from email_threads.threading.incoming_mail import Incoming
    from shared.aws.dynamodb import Table

_HOPS: Final = 3  # of merged threads
_MOST_CONTINUATIONS: Final = 10  # of a closed thread, one after the other


def live(table: Table, candidates: list[str]) -> list[Thread]:
    """Return the live threads of the candidates in their order, each once; merged ones lead to their winner."""
    read = threads.get_many(table, candidates)
    found: dict[str, Thread] = {}
    for candidate in candidates:
        thread = read.get(candidate)
        for _ in range(_HOPS):
            if thread is None or thread.merged_into is None:
                break
            thread = threads.get(table, thread.merged_into)
        if thread is not None and thread.merged_into is None:
            found.setdefault(thread.conversation_id, thread)
    return list(found.values())


def continuation(table: Table, incoming: Incoming, thread: Thread) -> Thread:
    """
    Return the thread itself, or the one in which it is continued after it was closed for too long: an open one, or the
    last. Mail that wakes no thread joins where it belongs.
    """
    for _ in range(_MOST_CONTINUATIONS):
        if not comes_too_late(incoming, thread) or thread.continued_in is None:
            break
        following = live(table, [thread.continued_in])
        if not following:
            break
        thread = following[0]
    return thread


def comes_too_late(incoming: Incoming, thread: Thread) -> bool:
    """Whether a mail of the customer does not reopen a closed thread any more."""
    is_news = incoming.mail.kind is Kind.MAIL and incoming.direction is Direction.INBOUND
    return is_news and is_final(thread, incoming.received_ms, incoming.reopen_days)
