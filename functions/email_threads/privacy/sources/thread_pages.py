"""
Lists everything that is stored about a person in a thread, page by page: for an erasure and for an export.

    the whole thread    if it is closed or expired; for an export, if it has no other outside participant
        mails, files, notes, changes, drafts    of the thread and of threads that were merged into it
        end                                     rows of participants, heads
    the person's part   of a thread with others
        subjects                                of mails that other people wrote
        mails                                   by the person, and mails that name the person
        drafts                                  to the person
        end                                     the person's data in heads, the person's row

Drafts in lists of the company and parked events are in `unthreaded`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.privacy import fence
from email_threads.privacy.findings import ThreadPage
from email_threads.privacy.sources import shared_threads, whole_threads
from email_threads.store.items.privacy import Place

if TYPE_CHECKING:
    from email_threads.privacy.stored_data import StoredData

_OF_PART: Final = (
    shared_threads.subjects,
    shared_threads.mails,
    shared_threads.drafts,
    shared_threads.end,
)
# Read of the thread and of every one that was merged into it.
_OF_EACH: Final = (
    whole_threads.files,
    whole_threads.notes,
    whole_threads.records,
    whole_threads.drafts,
)


def page(stored: StoredData, thread_id: str, place: Place) -> ThreadPage:
    """Return a page of a thread, and the place of the next one in the thread."""
    _, head = fence.present(stored.table, stored.person, thread_id)
    if head is not None and not stored.is_whole(head):
        return _OF_PART[min(place.source, len(_OF_PART) - 1)](stored, head, place)
    if head is None and stored.for_export:
        return ThreadPage([])  # Its retention is over, and only its head named its company.
    merged = [one.conversation_id for one in stored.merged_into(head)] if head else []
    members = [*merged, thread_id]
    sources = [
        (whole_threads.mails, thread_id),
        *((read, one) for read in _OF_EACH for one in members),
        (whole_threads.end, thread_id),
    ]
    read, part_of = sources[min(place.source, len(sources) - 1)]
    found = read(stored, part_of, head, place)
    if found.following is not None or place.source + 1 >= len(sources):
        return found
    return ThreadPage(found.found, Place(place.source + 1))
