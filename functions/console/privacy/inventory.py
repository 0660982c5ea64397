"""
The data of a person over all contexts.

    erasure    fences     contexts     the job of each context, until it is done
                          help_desk    rows about the customer
                          feeds        until every feed that has read an erased conversation has ended
                          profiles     notes, changes, lists, merges by people and tokens, then the profile; one that
                                       others lead to comes last
               (settle)                until every feed that has read a removed profile has ended
               sources    entries      conversations since the request get a contact anew; others leave the inbox
                          parked       conversations that a feed could not show, and that are gone
    export     sources    contexts     the job of each context, until it is done
                          profiles, entries

Feeds read a conversation, then its contact, and write the entry. So a feed that began before the conversation was
erased can make the contact again, until it ends; one that begins later finds no conversation. And a feed that has read
a profile just before it was removed writes an entry that leads to nothing: after the second wait each is resolved.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from console.store.person_jobs import PersonJob
from shared.contacts import lists
from shared.contacts.items import LIST_PREFIX, ContactList
from shared.identity.contacts.items import Found as Token
from shared.identity.contacts.items import Marker, Merge, Profile
from shared.inbox import entries
from shared.inbox.items import CONTACT_INDEX, Context, Entry, OfContact, pk
from shared.privacy.inventory import Found, Page
from shared.privacy.parts import Named, NameKind
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shared.aws.dynamodb import Attributes
    from shared.aws.s3 import Bucket
    from shared.inbox.entries import Tables
    from shared.privacy.exports import ExportFolder
    from shared.privacy.inventory import Source
    from shared.privacy.parts import CustomerRows, Part, PartJob, PersonHeads

PROFILE, TOKEN, LIST, MERGE, ENTRY = "profiles", "tokens", "lists", "merges", "entries"
RECORD = "contact_records"
PARKED, HELP_DESK, EXPORT = "parked_heads", "help_desk_customers", "exports"
_FEEDS = "feeds"
# The timeout of the feeds is 30 s; the rest covers clock skew and the lag of the index.
SETTLES_MS: Final = 60 * clock.SECOND_MS
POLL_MS: Final = 5 * clock.SECOND_MS
ENTRIES_A_PAGE: Final = 50
PARKED_A_PAGE: Final = 200
_EXPORTS: Final = "exports/~people/{company}/{job}/"  # no id of a company has a tilde
RECORDS_A_PAGE: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """The data of the person of a job, over the tables of inbox and contacts, and the other contexts."""

    tables: Tables
    heads: Mapping[Context, PersonHeads]
    parts: Mapping[str, Part]
    queued: set[str]
    help_desk: CustomerRows
    bucket: Bucket
    job: PersonJob

    @property
    def fences(self) -> list[Source]:
        """Jobs, rows of the help desk, a wait, profiles."""
        return [
            *self._of_contexts,
            *((HELP_DESK, str(n)) for n in range(len(self.job.names))),
            (_FEEDS, ""),
            *self._profiles,
        ]

    @property
    def sources(self) -> list[Source]:
        """Entries, after an export's jobs and profiles, before an erasure's parked heads."""
        listed = [(ENTRY, contact_id) for contact_id in self.job.contact_ids or []]
        if self.job.kind == "export":
            return [*self._of_contexts, *self._profiles, *listed]
        return [*listed, *((PARKED, str(context)) for context in self.heads)]

    def fence(self, source: Source, start: Attributes | None, /) -> Page:
        """Wait for the jobs of the contexts, then for the feeds; return what is removed then."""
        name, key = source
        if name == _FEEDS:
            self._wait_for_feeds()
            return Page([])
        if name == HELP_DESK:
            keys = self.help_desk.keys(self.job.company_id, self.job.names[int(key)])
            return Page([Found(HELP_DESK, one) for one in keys])
        if name == PROFILE:
            return self._profile(key, start)
        self._done(name, key)
        return Page([])

    def page(self, source: Source, start: Attributes | None, /) -> Page:
        """Return a page of a source."""
        name, key = source
        if name == PROFILE:
            return self._profile(key, start)
        if name == ENTRY:
            return self._entries(key, start)
        if name == PARKED:
            return self._parked(Context(key))
        return Page([Found(EXPORT, json.dumps([name, self._done(name, key).job_id]))])

    def remove(self, found: Found, /) -> None:
        """Remove a finding; an entry shows its conversation anew, or goes with it."""
        if found.kind == HELP_DESK:
            self.help_desk.remove(found.key)
        elif found.kind == PROFILE:
            self._remove_profile(found.key)
        elif found.kind == MERGE:
            self.tables.contacts.delete(Merge.key(self.job.company_id, found.key))
        elif found.kind == RECORD:
            contact_id, sort = json.loads(found.key)
            key = Profile.key(self.job.company_id, contact_id) | {"sk": sort}
            self.tables.contacts.delete(key)
        elif found.kind == TOKEN:
            partition, contact_id = json.loads(found.key)
            self.tables.contacts.delete({"pk": partition, "sk": contact_id})
        elif found.kind == LIST:
            list_id, contact_id = json.loads(found.key)
            lists.forget(self.tables.contacts, self.job.company_id, list_id, contact_id)
        elif found.kind == ENTRY:
            entry = entries.get(self.tables.inbox, found.key)
            if entry is not None:
                heads = self.heads[entry.context]
                entries.refresh(self.tables, heads, entry.reference, resolves_again=True)
        elif found.kind == PARKED:
            context, reference = json.loads(found.key)
            entries.unpark(self.tables.inbox, Context(context), reference)

    def export(self, page: Sequence[Found], _folder: ExportFolder, /) -> list[dict[str, object]]:
        """Return the lines of a page: jobs of the contexts, profiles without tokens, names of lists, entries."""
        lines: list[dict[str, object]] = []
        for found in page:
            if found.kind == EXPORT:
                context, job_id = json.loads(found.key)
                lines.append({"kind": found.kind, "context": context, "job": job_id})
            elif found.kind == PROFILE:
                item = self.tables.contacts.get(Profile.key(self.job.company_id, found.key))
                lines.append({"kind": found.kind, "item": item})
            elif found.kind == LIST:
                key = ContactList.key(self.job.company_id, json.loads(found.key)[0])
                item = self.tables.contacts.get(key) or {}
                lines.append({"kind": found.kind, "name": item.get(ContactList.name_of("name"))})
            elif found.kind == RECORD:
                contact_id, sort = json.loads(found.key)
                key = Profile.key(self.job.company_id, contact_id) | {"sk": sort}
                lines.append({"kind": found.kind, "item": self.tables.contacts.get(key)})
            elif found.kind == ENTRY:
                item = self.tables.inbox.get(pk(found.key))
                lines.append({"kind": found.kind, "item": item})
        return lines

    def finish(self) -> None:
        """Delete the exports of the person by any one name; each context has removed its own."""
        company, contacts = self.job.company_id, self.job.contact_ids or []
        names = [*self.job.names, *(Named(NameKind.CONTACT, one) for one in contacts)]
        given = [
            [Named(NameKind(kind), value) for kind, value in self.job.given or []],
            *([one] for one in names),
        ]
        ids = dict.fromkeys(PersonJob.id_of("export", company, one) for one in given)
        for job_id in ids:
            for key in self.bucket.all_keys_under(exports_of(company, job_id)):
                self.bucket.delete(key)

    @property
    def _of_contexts(self) -> list[Source]:
        if self.job.subjects is not None:
            return [(context, subject) for context, subject in self.job.subjects]
        # A run that an earlier release has begun.
        names, kind, company = self.job.names, self.job.kind, self.job.company_id
        return [
            (context, subject.name)
            for context, part in self.parts.items()
            for subject in part.subjects(kind, company, names)
        ]

    @property
    def _profiles(self) -> list[Source]:
        return [(PROFILE, contact_id) for contact_id in self.job.contact_ids or []]

    def _done(self, context: str, subject: str) -> PartJob:
        """Return the job of a context that is done. Raises Transient until then."""
        named = f"{context} {subject}"
        job = self.parts[context].since(self.job.asked, subject, queues=named not in self.queued)
        self.queued.add(named)
        if not job.is_done:
            raise Transient("privacy_context_works", POLL_MS)
        return job

    def _wait_for_feeds(self) -> None:
        ended = [str(self._done(*source).finished_at) for source in self._of_contexts]
        newest = max(map(clock.from_text, ended), default=clock.from_text(self.job.requested_at))
        wait_ms = newest + SETTLES_MS - clock.now_ms()
        if wait_ms > 0:
            raise Transient("privacy_feeds_settle", wait_ms)

    def _profile(self, contact_id: str, start: Attributes | None) -> Page:
        """
        Return the records beside a profile page by page, with the last ones the profile after its tokens, and after
        profiles that lead to it since the begin of the run.
        """
        records, last = self._records(contact_id, start)
        found = [_beside(contact_id, sort) for sort in records]
        is_export = self.job.kind == "export"
        if last is not None:
            return Page([one for one in found if not (is_export and _is_technical(one))], last)
        for one in [*self._later_members(contact_id), contact_id]:
            item = self.tables.contacts.get(Profile.key(self.job.company_id, one))
            if item is None:
                continue
            profile = Profile.read(item)
            tokens = [Token.list_of(self.job.company_id, each) for each in sorted(profile.tokens)]
            found += [Found(MERGE, each) for each in sorted(profile.merges)]
            found += [Found(TOKEN, json.dumps([partition, one])) for partition in tokens]
            found.append(Found(PROFILE, one))
        return Page([one for one in found if not (is_export and _is_technical(one))])

    def _records(
        self, contact_id: str, start: Attributes | None
    ) -> tuple[list[str], Attributes | None]:
        """Return sort keys of the items beside a profile: notes, changes, marks of requests, memberships in lists."""
        key = Profile.key(self.job.company_id, contact_id)
        items, last = self.tables.contacts.query(
            None,
            Key(Profile.name_of("pk")).eq(key["pk"]),
            limit=RECORDS_A_PAGE,
            start=start,
            fields=["sk"],
        )
        return [item["sk"] for item in items if item["sk"] != key["sk"]], last

    def _remove_profile(self, contact_id: str) -> None:
        """Remove a profile, then what was written beside it since the page: nothing is without a profile."""
        self.tables.contacts.delete(Profile.key(self.job.company_id, contact_id))
        last: Attributes | None = None
        while True:
            records, last = self._records(contact_id, last)
            for sort in records:
                self.remove(_beside(contact_id, sort))
            if last is None:
                return

    def _later_members(self, contact_id: str) -> list[str]:
        item = self.tables.contacts.get(Profile.key(self.job.company_id, contact_id))
        return sorted(Profile.read(item).members - {*(self.job.contact_ids or [])}) if item else []

    def _entries(self, contact_id: str, start: Attributes | None) -> Page:
        listed, last = self.tables.inbox.query(
            CONTACT_INDEX,
            Key(OfContact.name_of("contact_id")).eq(contact_id),
            limit=ENTRIES_A_PAGE,
            start=start,
        )
        return Page([Found(ENTRY, OfContact.read(item).pk) for item in listed], last)

    def _parked(self, context: Context) -> Page:
        """Return the parked heads that are gone: of erased people, and of no use to any other company."""
        heads = self.heads[context]
        gone = [
            head.reference
            for head in entries.parked(self.tables.inbox, context)
            if heads.read(head.reference) is None
            and entries.get(self.tables.inbox, Entry.key(context, head.reference)) is None
        ]
        found = [Found(PARKED, json.dumps([str(context), one])) for one in gone[:PARKED_A_PAGE]]
        # The next page lists what is left of them.
        return Page(found, {"after": str(context)} if len(gone) > PARKED_A_PAGE else None)


def exports_of(company: str, job_id: str) -> str:
    """Return the prefix of all exports of a job."""
    return _EXPORTS.format(company=company, job=job_id)


def _beside(contact_id: str, sort: str) -> Found:
    """Return the finding of an item beside a profile. A membership is two items, which are removed in their order."""
    if sort.startswith(LIST_PREFIX):
        return Found(LIST, json.dumps([sort.removeprefix(LIST_PREFIX), contact_id]))
    return Found(RECORD, json.dumps([contact_id, sort]))


def _is_technical(found: Found) -> bool:
    """Whether a finding says nothing about the person: a token, a merge, or the mark of a request."""
    if found.kind == RECORD:
        return str(json.loads(found.key)[1]).startswith(Marker.prefix())
    return found.kind in {TOKEN, MERGE}
