"""
Keeps further mails of a person out of the threads that are erased.

    sole outside participant    the thread is closed: a mail that names it opens a new one
    one of several              the person is no participant any more: their next mail opens a new thread

A thread that a mail of the person has reached after the request stays open to them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.privacy.remains import without_participant
from email_threads.store import threads
from email_threads.store.privacy import erasure, retention
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from email_threads.privacy.person import Person
    from email_threads.store.items import Mail, Thread
    from shared.aws.dynamodb import Table

TRIES: Final = 8
NEWEST: Final = 25  # mails among which one after the request is looked for
_HOPS: Final = 8  # of merged threads


def exclude(table: Table, person: Person, thread_id: str) -> str:
    """
    Keep further mails of the person out of a thread, or of the one that it became part of; return its id.

    Idempotent. Raises Transient after eight lost races.
    """
    for _ in range(TRIES):
        thread_id, thread = present(table, person, thread_id)
        if thread is None or retention.is_expired(thread) or stays(table, person, thread):
            return thread_id
        if person.is_alone_in(thread):
            if erasure.close(table, thread):
                return thread_id
        elif erasure.rewrite(table, thread, without_participant(thread, person)):
            erasure.exclude_participant(table, _bumped(thread), person.address_hash)
            return thread_id
    raise Transient("thread_contended")


def present(table: Table, person: Person, thread_id: str) -> tuple[str, Thread | None]:
    """
    Return the id and the head, also an expired one, of the thread that a thread is part of today.

    The head is None if it is gone, or if it is another company's.
    """
    thread = retention.head(table, thread_id)
    for _ in range(_HOPS):
        if thread is None or thread.merged_into is None:
            break
        thread_id = thread.merged_into
        thread = retention.head(table, thread_id)
    is_theirs = thread is not None and thread.company_id == person.company_id
    return thread_id, thread if is_theirs else None


def stays(table: Table, person: Person, thread: Thread) -> bool:
    """Whether a mail after the request has made the person a participant of a thread."""
    return any(person.is_joined_by(mail) for mail in _newest(table, thread))


def keeps_row(table: Table, person: Person, thread: Thread) -> bool:
    """Whether a mail after the request has listed a thread for the person again."""
    return any(person.is_listed_by(mail) for mail in _newest(table, thread))


def _newest(table: Table, thread: Thread) -> list[Mail]:
    last = thread.email_count
    return threads.mails(table, thread.conversation_id, range(max(1, last - NEWEST + 1), last + 1))


def _bumped(thread: Thread) -> Thread:
    return thread.model_copy(update={"last_seq": thread.seq + 1})
