"""
Lists everything that is stored about a person in a thread, page by page: for an erasure and for an export.

    the whole thread    if it is closed or expired; for an export, if it has no other outside participant
        mails, files, notes, changes, drafts    of the thread and of those that were merged into it
        end                                     rows of participants, heads
    the person's part   of a thread with others
        subjects                                those that others share
        mails                                   theirs, and those that name them
        drafts                                  to them
        end                                     what the heads say about them, their row

Drafts in lists of the company and parked events are in `unthreaded`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from email_threads.privacy import fence, shared_threads, whole_threads
from email_threads.privacy.found import Page, Place
from email_threads.store import retention

if TYPE_CHECKING:
    from email_threads.privacy.person import Person
    from email_threads.store.items import Thread
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket

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
_MOST_MERGED: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """
    What a company has stored about a person. *owners*: the table with the owners of domains. *for_export*: nothing is
    removed while the pages are read.
    """

    table: Table
    owners: Table
    bucket: Bucket
    person: Person
    for_export: bool

    def page(self, thread_id: str, place: Place) -> Page:
        """Return a page of a thread, and the place of the next one in the thread."""
        _, head = fence.present(self.table, self.person, thread_id)
        if head is not None and not self.is_whole(head):
            return _OF_PART[min(place.source, len(_OF_PART) - 1)](self, head, place)
        if head is None and self.for_export:
            return Page([])  # Its retention is over, and only its head told whose it is.
        merged = [one.conversation_id for one in self.merged_into(head)] if head else []
        members = [*merged, thread_id]
        sources = [
            (whole_threads.mails, thread_id),
            *((read, one) for read in _OF_EACH for one in members),
            (whole_threads.end, thread_id),
        ]
        read, part_of = sources[min(place.source, len(sources) - 1)]
        page = read(self, part_of, head, place)
        if page.following is not None or place.source + 1 >= len(sources):
            return page
        return Page(page.found, Place(place.source + 1))

    def is_whole(self, head: Thread) -> bool:
        """Whether all of a thread is about the person."""
        return not self.person.others_in(head) if self.for_export else retention.is_expired(head)

    def merged_into(self, head: Thread) -> list[Thread]:
        """Return the heads that became part of a thread, also by way of others, the farthest first."""
        found: dict[str, Thread] = {}
        waiting = sorted(head.merged_from)
        while waiting and len(found) < _MOST_MERGED:
            one = retention.head(self.table, waiting.pop())
            if one is None or one.conversation_id in found or one.merged_into is None:
                continue
            if one.company_id == self.person.company_id:
                found[one.conversation_id] = one
                waiting += sorted(one.merged_from)
        return list(reversed(found.values()))
