"""Pages of a thread that is all about the person: everything of it, its head last."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from email_threads.privacy.findings import (
    CHANGE,
    DRAFT,
    FILE,
    NOTE,
    PARTICIPANT,
    ThreadPage,
    raw_of,
    row_key,
)
from email_threads.store import changes, objects, threads
from email_threads.store.items.privacy.privacy import MAIL, THREAD, Place
from email_threads.store.privacy import erasure, retention
from shared.privacy.inventory import Found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from email_threads.privacy.findings import StoredData
    from email_threads.store.items import Audit, Note, Thread

MAILS_A_PAGE: Final = 10
ITEMS_A_PAGE: Final = 100
OBJECTS_A_PAGE: Final = 100


def mails(stored: StoredData, thread_id: str, head: Thread | None, place: Place) -> ThreadPage:
    """Return a page of mails with their raw forms."""
    # Without a head: an interrupted removal leaves a gap at the beginning.
    last = place.n + (MAILS_A_PAGE if head is not None else ITEMS_A_PAGE)
    read = threads.places(stored.table, thread_id, range(place.n + 1, last + 1))
    own = [mail for mail in read if mail.company_id == stored.person.company_id]
    found = [one for mail in own for one in (*raw_of(mail), Found(MAIL, mail.conversation_id))]
    is_end = last >= head.email_count if head is not None else not read
    return ThreadPage(found, None if is_end else Place(place.source, last))


def files(stored: StoredData, thread_id: str, _: Thread | None, place: Place) -> ThreadPage:
    """Return a page of bodies and attachments under the id of a thread."""
    keys = chain.from_iterable(
        stored.bucket.all_keys_under(prefix) for prefix in objects.prefixes_of(thread_id)
    )
    page = list(islice(keys, place.n, place.n + OBJECTS_A_PAGE))
    found = [Found(FILE, key) for key in page]
    if len(page) < OBJECTS_A_PAGE:
        return ThreadPage(found)
    # An erasure removes the page, so that the next one begins at the same position.
    moved = OBJECTS_A_PAGE if stored.for_export else 0
    return ThreadPage(found, Place(place.source, place.n + moved))


def notes(stored: StoredData, thread_id: str, _: Thread | None, place: Place) -> ThreadPage:
    """Return a page of internal notes."""
    numbers = range(place.n + 1, place.n + ITEMS_A_PAGE + 1)
    return _numbered(NOTE, changes.notes(stored.table, thread_id, numbers), numbers, place)


def records(stored: StoredData, thread_id: str, _: Thread | None, place: Place) -> ThreadPage:
    """Return a page of the record of changes."""
    numbers = range(place.n + 1, place.n + ITEMS_A_PAGE + 1)
    read = changes.audit_entries(stored.table, thread_id, numbers)
    return _numbered(CHANGE, read, numbers, place)


def drafts(stored: StoredData, thread_id: str, _: Thread | None, __: Place) -> ThreadPage:
    """Return the drafts of answers."""
    head = retention.head(stored.table, thread_id)
    keys = erasure.draft_keys(head) if head is not None else []
    return ThreadPage(
        [Found(DRAFT, str(item["conversation_id"])) for item in erasure.items(stored.table, keys)]
    )


def end(stored: StoredData, thread_id: str, head: Thread | None, _: Place) -> ThreadPage:
    """Return the rows and heads of a thread and of threads merged into it; the head of the thread last."""
    if head is None:
        return ThreadPage(list(_rows(stored, thread_id, {stored.person.address})))
    merged = stored.merged_into(head)
    heads = [*merged, head]
    rows = [
        row for one in heads for row in _rows(stored, one.conversation_id, _people_of(stored, one))
    ]
    return ThreadPage([*rows, *(Found(THREAD, one.conversation_id) for one in heads)])


def _people_of(stored: StoredData, head: Thread) -> set[str]:
    return stored.person.others_in(head) | {stored.person.address}


def _rows(stored: StoredData, thread_id: str, addresses: set[str]) -> Iterator[Found]:
    keys = [row_key(thread_id, one) for one in sorted(addresses)]
    for item in erasure.items(stored.table, keys):
        yield Found(PARTICIPANT, str(item["conversation_id"]))


def _numbered(
    kind: str, read: list[Note] | list[Audit], numbers: range, place: Place
) -> ThreadPage:
    found = [Found(kind, one.conversation_id) for one in read]
    return ThreadPage(found, Place(place.source, numbers[-1]) if read else None)
