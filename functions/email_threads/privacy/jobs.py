"""
Jobs that erase or export a person: turns of `shared.privacy.engine` over lists of threads, then turns of `unthreaded`.

    exports/{company}/{job}/{run}/parts/000001.jsonl    one for each page, joined at the end
    exports/{company}/{job}/{run}/person.jsonl          lines {kind, item}, or {kind, file}
    exports/{company}/{job}/{run}/files/...             copies of long bodies, HTML, attachments and raw mails

Of a thread with other people only mails by the person or naming the person are exported. The bucket deletes
exports after seven days; an erasure of the person deletes them at once.

Of a thread everything is listed that is stored about the person, page by page:

    the whole thread    if it is closed or expired; for an export, if it has no other outside participant
        mails, files, notes, changes, drafts    of the thread and of threads that were merged into it
        end                                     rows of participants, heads
    the person's part   of a thread with others
        subjects                                of mails that other people wrote
        mails                                   by the person, and mails that name the person
        drafts                                  to the person
        end                                     the person's data in heads, the person's row
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from email_threads.privacy import erasure, fence
from email_threads.privacy import findings as kinds
from email_threads.privacy.findings import StoredData, ThreadPage, row_key
from email_threads.privacy.person import OWN_LIST, Person
from email_threads.privacy.requests import jobs_of
from email_threads.privacy.sources import shared_threads, unthreaded, whole_threads
from email_threads.store import parked, threads
from email_threads.store.configuration import mailboxes
from email_threads.store.items import Mail
from email_threads.store.items.item import PARTITION_KEY
from email_threads.store.items.privacy.privacy import MAIL, THREAD, WHOLE, Place, Position
from email_threads.store.lists import thread_lists
from email_threads.store.privacy import retention
from email_threads.store.privacy.erasure import items
from email_threads.threading import tombstones
from shared.aws.tables.items import stored as as_stored
from shared.privacy import engine, inventory
from shared.privacy.engine import Engine
from shared.privacy.inventory import Page
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from email_threads.configuration.resources import Resources
    from email_threads.inbound.events import EmailPrivacy
    from email_threads.store.items import PrivacyJob, Thread
    from shared.aws.dynamodb import Attributes, Table
    from shared.privacy.inventory import Found, Source

TURN_MS: Final = 20 * clock.SECOND_MS
# The worker's timeout is 120 s; the rest covers clock skew and the lag of the index.
SETTLES_MS: Final = 150 * clock.SECOND_MS
_THREADS, _BLOCKED = "threads", "blocked_senders"
# The attributes of a thread with others that do not tell the texts of other people.
_SHARED: Final = frozenset({
    "conversation_id", "company_id", "mailbox", "created_at", "updated_at", "status", "subject", "email_count",
})  # fmt: skip
_OF_MODELS: Final = frozenset(Mail.named(analysis=None, shadow=None))
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


@dataclass(frozen=True, kw_only=True)
class Inventory(StoredData, inventory.Inventory):
    """The stored data of a person, and what an erasure and an export do with it."""

    objects: ClassVar[frozenset[str]] = kinds.OBJECTS
    suffixes: ClassVar[Mapping[str, str]] = {kinds.RAW: ".eml", kinds.PARKED_MAIL: ".eml"}
    fences: ClassVar[Sequence[Source]] = ((_THREADS, OWN_LIST), (_BLOCKED, ""))

    @property
    def sources(self) -> list[Source]:
        """The lists of threads, and those beside the threads."""
        return [
            *((_THREADS, one) for one in self.person.lists),
            *((one, "") for one in unthreaded.LISTS),
        ]

    def fence(self, source: Source, start: Attributes | None, /) -> Page:
        """Fence a page of the person's threads, or unblock the address at the company's mailboxes."""
        name, of_list = source
        if name == _BLOCKED:
            self._unblock()
            return Page([])
        found, last = thread_lists.ids_of(self.table, self.person.lists[of_list], start)
        for thread_id in found:
            fence.exclude(self.table, self.person, thread_id)
        return Page([], last)

    def page(self, source: Source, start: Attributes | None, /) -> Page:
        """Return a page of a thread of a list, or of a list beside the threads."""
        name, of_list = source
        if name != _THREADS:
            return unthreaded.LISTS[name](self, start)
        at = Position.model_validate(start or {})
        if not at.threads:
            at = self._listed(of_list, at.after)
        if not at.threads:
            return Page([], at.attributes())
        (thread_id, *others), place = at.threads, at.place
        if place == Place():
            thread_id = self._entered(thread_id)
        page = _page_of(self, thread_id, place)
        left = [thread_id, *others] if page.following is not None else others
        position = Position(threads=left, place=page.following or Place(), after=at.after)
        return Page(page.found, position.attributes())

    def remove(self, found: Found, /) -> None:
        """Remove a finding, or the person's part of it. Raises Transient."""
        erasure.remove(self, found)

    def _unblock(self) -> None:
        """Remove the address from the blocked senders of the company's mailboxes."""
        for mailbox in mailboxes.of_company(self.table, self.person.company_id):
            if self.person.address in mailbox.blocked_senders:
                mailboxes.unblock(self.table, mailbox, {self.person.address})

    def _listed(self, of_list: str, start: Attributes | None) -> Position:
        """Return the position at the next threads of a list; of a list of the company, those that name the person."""
        person = self.person
        found, last = thread_lists.ids_of(self.table, person.lists[of_list], start)
        if of_list != OWN_LIST:
            heads = threads.get_many(self.table, found)
            found = [one for one in found if one in heads and person.is_named_in(heads[one])]
            if self.for_export:  # Those with a row were exported already.
                rows = {row_key(one, person.address): one for one in found}
                listed = {str(row[PARTITION_KEY]) for row in items(self.table, rows)}
                found = [one for key, one in rows.items() if key not in listed]
        return Position(threads=found, after=last)

    def _entered(self, thread_id: str) -> str:
        """Return the thread that a thread is part of today; an erasure fences it, unless that is done already."""
        if self.for_export:
            return fence.present(self.table, self.person, thread_id)[0]
        return fence.exclude(self.table, self.person, thread_id)

    def item(self, found: Found, /) -> Attributes | None:
        """Return an item; of a thread with others what says nothing about these."""
        if found.kind == kinds.PARKED_EVENT:
            event = parked.events_of(self.table).get(found.key)
            return event.attributes() if event is not None else None
        if found.kind == THREAD:
            head = retention.head(self.table, found.key)
            return self._head(head, found) if head is not None else None
        item = next(iter(items(self.table, [found.key])), None)
        if item is not None and found.kind == MAIL and found.act != WHOLE:
            return self._mail(item)
        return item

    def _mail(self, item: Attributes) -> Attributes:
        """Return a mail of a thread with others: what a model made of another author's is about that author."""
        if self.person.wrote(Mail.read(item)):
            return item
        return {name: value for name, value in item.items() if name not in _OF_MODELS}

    def _head(self, head: Thread, found: Found) -> dict[str, Any]:
        item = head.attributes()
        if found.act == WHOLE:
            return item
        mails = [
            as_stored(entry)
            for entry in head.email_history
            if self.person.wrote(entry) or self.person.received(entry)
        ]
        return {name: item[name] for name in item if name in _SHARED} | {"email_history": mails}


def _page_of(stored: StoredData, thread_id: str, place: Place) -> ThreadPage:
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


def work(resources: Resources, event: EmailPrivacy) -> PrivacyJob | None:
    """Continue a job as `engine.work` does."""
    of_threads = Engine(
        jobs=jobs_of(resources.table, resources.bucket, resources.queue),
        inventory=lambda job: _inventory(resources, job),
        turn_ms=TURN_MS,
        settles_ms=lambda _: SETTLES_MS,
        resolve=lambda job: _resolved(resources.table, job),
    )
    return engine.work(of_threads, event.job_id)


def _resolved(table: Table, job: PrivacyJob) -> PrivacyJob:
    """Return a job, whose address is all that is known of the person; an erasure writes its tombstone."""
    if job.kind == "erase":
        tombstones.write(table, job.company_id, str(job.requested_for), job.requested_at)
    return job


def _inventory(resources: Resources, job: PrivacyJob) -> Inventory:
    own = mailboxes.of_company(resources.table, job.company_id)
    person = Person(
        company_id=job.company_id,
        address=str(job.requested_for),
        own=frozenset(one.address for one in own),
        until=job.requested_at,
    )
    return Inventory(
        table=resources.table,
        owners=resources.owners.table,
        bucket=resources.bucket,
        person=person,
        for_export=job.kind == "export",
    )
