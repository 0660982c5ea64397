"""
Jobs that erase or export a contact: turns of `shared.privacy.engine` over its data, as `stored_data` lists it.

    exports/{company}/{job}/{run}/parts/000001.jsonl    one for each page, joined at the end
    exports/{company}/{job}/{run}/files/...             copies of media files, long texts and parked events
    exports/{company}/{job}/{run}/contact.jsonl         lines {kind: item type, item}, or {kind: OBJECT, file}

The bucket deletes exports after seven days; an erasure of the contact deletes them at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final

from shared.privacy import engine, inventory
from shared.privacy.engine import Engine
from shared.privacy.inventory import Page
from shared.runtime import clock
from whatsapp.configuration.folders import exports_of, message_exports_of
from whatsapp.inbound.event import Event, Outcome
from whatsapp.privacy import erasure, tombstones
from whatsapp.privacy.contents import kinds
from whatsapp.privacy.contents.stored_data import EXPORTED_A_PAGE, MESSAGES_A_PAGE, Listing
from whatsapp.privacy.requests import contact_of, jobs_of, subject_of_key
from whatsapp.privacy.shares import SHARE
from whatsapp.privacy.subjects import Contact, hashes_of, resolve
from whatsapp.store.items import Edit, pk
from whatsapp.store.items.contacts.privacy import PrivacyJob
from whatsapp.store.items.item import PARTITION_KEY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes, Table
    from shared.privacy.exports import ExportFolder
    from shared.privacy.inventory import Found, Line, Source
    from whatsapp.configuration.resources import Resources

# Messages of the same batch wait for a run.
RUN_MS = 5 * clock.SECOND_MS
_WITHOUT_ITEM: Final = frozenset({kinds.CAMPAIGN_LIST, kinds.OBJECT})


@dataclass(frozen=True, kw_only=True)
class Inventory(Listing, inventory.Inventory):
    """The listed data of a contact, and what an erasure and an export do with it."""

    objects: ClassVar[frozenset[str]] = frozenset({kinds.OBJECT})

    @property
    def fences(self) -> list[Source]:
        """The lists of sends in doubt, and of messages and calls."""
        return [*self.intents, *self.timelines, *self.sent]

    def fence(self, source: Source, start: Attributes | None, /) -> Page:
        """Mark a page of messages as erased; return sends in doubt, which are removed at once."""
        if source in self.intents:
            # Because a message made from an intent later has a time after the request.
            return self.page(source, start)
        messages, last = self.messages_in(source, start)
        for message in messages:
            if not message.erased:
                erasure.fence(self.table, message)
        return Page([], last)

    def remove(self, found: Found, /) -> None:
        """Remove a thing, or what it says about the contact."""
        erasure.remove(self, found)

    def export(self, page: Sequence[Found], folder: ExportFolder, /) -> list[Line]:
        """Return the lines of a page, whose items are read at once."""
        keys = dict.fromkeys(one.key for one in page if one.kind not in _WITHOUT_ITEM)
        stored = self.table.get_many([pk(key) for key in keys])
        items = {str(item[PARTITION_KEY]): item for item in stored}
        lines: list[Line] = []
        for found in page:
            if found.kind == kinds.CAMPAIGN_LIST:
                lines.append({"kind": found.kind, "file": None})  # Its other lines are of others.
            elif found.kind == kinds.OBJECT:
                lines += self.lines(found, folder)
            elif (item := items.get(found.key)) is not None:
                is_share = found.act == SHARE
                own = self.share.of(Edit.read(item)).attributes() if is_share else item
                lines.append({"kind": found.kind, "item": own})
        return lines

    @property
    def exported(self) -> list[str]:
        """The exports of the contact, and the exports of messages with it."""
        company, contact = self.company, self.contact
        subjects = [*contact.ids, *map(subject_of_key, contact.keys)]
        ids = (job_id for one in subjects for job_id in PrivacyJob.ids_of("export", company, one))
        of_messages = (each for key in contact.keys for each in folders_of(company, key))
        return [*(f"{exports_of(company)}{job_id}/" for job_id in ids), *of_messages]


def folders_of(company: str, contact_key: str) -> list[str]:
    """Return the prefixes that exports of messages with a contact may have: one for each key of the stage."""
    hashes = [subject.partition("#")[2] for subject in hashes_of(contact_key)]
    return [message_exports_of(company, hashed) for hashed in hashes]


def work(resources: Resources, event: Event) -> Outcome:
    """Continue a job as `engine.work` does."""
    of_contacts = Engine(
        jobs=jobs_of(resources.table, resources.bucket, resources.queue),
        inventory=lambda job: _inventory(resources, job),
        turn_ms=RUN_MS,
        settles_ms=lambda _: erasure.SETTLES_MS,
        resolve=lambda job: _resolved(resources.table, job),
    )
    done = engine.work(of_contacts, event.id)
    return Outcome.PERSISTED if done is not None else Outcome.DUPLICATE


def _resolved(table: Table, job: PrivacyJob) -> PrivacyJob:
    """Return a job with the ids of its contact; an erasure writes their tombstones."""
    named, by_key = contact_of(str(job.requested_for))
    contact = resolve(table, job.owner, named, by_key=by_key)
    if job.kind == "erase":
        tombstones.write(table, job.owner, contact, job.requested_at)
    return job.changed(contact=contact.attributes())


def _inventory(resources: Resources, job: PrivacyJob) -> Inventory:
    return Inventory(
        table=resources.table,
        bucket=resources.bucket,
        company=job.owner,
        contact=Contact(**(job.contact or {})),
        until=job.requested_at,
        messages_a_page=EXPORTED_A_PAGE if job.kind == "export" else MESSAGES_A_PAGE,
    )
