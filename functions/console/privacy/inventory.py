"""
The data of a person over all contexts.

    erasure    fences     contexts     the job of each context, until it is done
                          feeds        until every feed that has read an erased conversation has ended
                          profiles     notes, changes, lists, merges by people and tokens, then the profile; one that
                                       others lead to comes last
               (settle)                until every feed that has read a removed profile has ended
               sources    entries      conversations since the request get a contact anew; others leave the inbox
                          parked       conversations that a feed could not show, and that are gone
                          consents     the evidence of the person's choices
    export     sources    contexts     the job of each context, until it is done
                          profiles, entries, consents

Feeds read a conversation, then its contact, and write the entry. So a feed that began before the conversation was
erased can make the contact again, until it ends; one that begins later finds no conversation. And a feed that has read
a profile just before it was removed writes an entry that leads to nothing: after the second wait each is resolved.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from console.privacy import profiles
from console.privacy.person import OWNED
from console.privacy.profiles import Profiles
from console.store.person_jobs import PersonJob
from shared.identity.addresses import USER_ID_PREFIX
from shared.inbox import entries
from shared.inbox.items import CONTACT_INDEX, Context, Entry, OfContact, pk
from shared.policy.consent import evidence
from shared.privacy import inventory
from shared.privacy.inventory import Found, Page
from shared.privacy.parts import Named, NameKind
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Mapping

    from shared.aws.dynamodb import Attributes, Table
    from shared.inbox.entries import Tables
    from shared.privacy.exports import ExportFolder
    from shared.privacy.inventory import Line, Source
    from shared.privacy.parts import Part, PartJob, PersonHeads

ENTRY, PARKED, EXPORT, CONSENT = "entries", "parked_heads", "exports", "consents"
_FEEDS = "feeds"
# The timeout of the feeds is 30 s; the rest covers clock skew and the lag of the index.
SETTLES_MS: Final = 60 * clock.SECOND_MS
POLL_MS: Final = 5 * clock.SECOND_MS
BEGUN_A_POLL: Final = 8  # jobs of contexts; a call takes up to three seconds
ENTRIES_A_PAGE: Final = 50
PARKED_A_PAGE: Final = 200
_EXPORTS: Final = "exports/~people/{company}/{job}/"  # no id of a company has a tilde


@dataclass(frozen=True, kw_only=True)
class Inventory(inventory.Inventory):
    """The data of the person of a job, over the tables of inbox and contacts, and the other contexts."""

    tables: Tables
    consents: Table
    heads: Mapping[Context, PersonHeads]
    parts: Mapping[str, Part]
    queued: set[str]
    job: PersonJob

    @property
    def fences(self) -> list[Source]:
        """Jobs, a wait, profiles; of a request about some contexts only their jobs."""
        if self.job.contexts is not None:
            return self._of_contexts
        return [*self._of_contexts, (_FEEDS, ""), *self._profiles]

    @property
    def sources(self) -> list[Source]:
        """Entries, after an export's jobs and profiles, before an erasure's parked heads; then consents."""
        listed = [(ENTRY, contact_id) for contact_id in self.job.contact_ids or []]
        addresses = (address_of(name) for name in self.job.names)
        choices = [(CONSENT, one) for one in addresses if one is not None]
        if self.job.kind == "export":
            return [*self._of_contexts, *self._profiles, *listed, *choices]
        if self.job.contexts is not None:
            return []
        return [*listed, *((PARKED, str(context)) for context in self.heads), *choices]

    def fence(self, source: Source, start: Attributes | None, /) -> Page:
        """Wait for the jobs of the contexts, then for the feeds; return what is removed then."""
        name, key = source
        if name == _FEEDS:
            self._wait_for_feeds()
            return Page([])
        if name == profiles.PROFILE:
            return self._stored_profiles.page(key, start)
        self._done(name, key)
        return Page([])

    def page(self, source: Source, start: Attributes | None, /) -> Page:
        """Return a page of a source."""
        name, key = source
        if name == profiles.PROFILE:
            return self._stored_profiles.page(key, start)
        if name == ENTRY:
            return self._entries(key, start)
        if name == PARKED:
            return self._parked(Context(key))
        if name == CONSENT:
            return self._consents(key)
        return Page([Found(EXPORT, json.dumps([name, self._done(name, key).job_id]))])

    def remove(self, found: Found, /) -> None:
        """Remove a finding; an entry shows its conversation anew, or goes with it."""
        if found.kind in profiles.KINDS:
            self._stored_profiles.remove(found)
        elif found.kind == ENTRY:
            entry = entries.get(self.tables.inbox, found.key)
            if entry is not None:
                heads = self.heads[entry.context]
                entries.refresh(self.tables, heads, entry.reference, resolves_again=True)
        elif found.kind == PARKED:
            context, reference = json.loads(found.key)
            entries.unpark(self.tables.inbox, Context(context), reference)
        elif found.kind == CONSENT:
            evidence.erase(self.consents, json.loads(found.key))

    def lines(self, found: Found, _folder: ExportFolder, /) -> list[Line]:
        """Return the line of a job of a context, a profile without tokens, a name of a list, an entry or a choice."""
        if found.kind == EXPORT:
            context, job_id = json.loads(found.key)
            return [{"kind": found.kind, "context": context, "job": job_id}]
        if found.kind in profiles.KINDS:
            return [self._stored_profiles.line(found)]
        of_choice = found.kind == CONSENT
        table = self.consents if of_choice else self.tables.inbox
        item = table.get(json.loads(found.key) if of_choice else pk(found.key))
        return [{"kind": found.kind, "item": item}]

    @property
    def exported(self) -> list[str]:
        """The exports of the person by any one name; each context removes its own."""
        if self.job.contexts is not None:
            return []
        company, contacts = self.job.company_id, self.job.contact_ids or []
        names = [*self.job.names, *(Named(NameKind.CONTACT, one) for one in contacts)]
        subjects = (PersonJob.subject_of([one]) for one in names)
        ids = (job_id for one in subjects for job_id in PersonJob.ids_of("export", company, one))
        return [exports_of(company, one) for one in ids]

    @property
    def _of_contexts(self) -> list[Source]:
        return [(context, subject) for context, subject in self.job.subjects or []]

    @property
    def _stored_profiles(self) -> Profiles:
        return Profiles(self.tables.contacts, self.job)

    @property
    def _profiles(self) -> list[Source]:
        return [(profiles.PROFILE, contact_id) for contact_id in self.job.contact_ids or []]

    def _done(self, context: str, subject: str) -> PartJob:
        """Return the job of a context that is done. Raises Transient until then."""
        job = self._asked(context, subject)
        if not job.is_done:
            # All begin now, so that each leaves what arrives from now on.
            waiting = (one for one in self._of_contexts if " ".join(one) not in self.queued)
            for other, name in islice(waiting, BEGUN_A_POLL):
                self._asked(other, name)
            raise Transient("privacy_context_works", POLL_MS)
        return job

    def _asked(self, context: str, subject: str) -> PartJob:
        """Return the job of a context, which is started or queued again at its first call in this process."""
        named = f"{context} {subject}"
        job = self.parts[context].since(self.job.asked, subject, queues=named not in self.queued)
        self.queued.add(named)
        return job

    def _wait_for_feeds(self) -> None:
        ended = [str(self._done(*source).finished_at) for source in self._of_contexts]
        newest = max(map(clock.from_text, ended), default=clock.from_text(self.job.requested_at))
        wait_ms = newest + SETTLES_MS - clock.now_ms()
        if wait_ms > 0:
            raise Transient("privacy_feeds_settle", wait_ms)

    def _entries(self, contact_id: str, start: Attributes | None) -> Page:
        listed, last = self.tables.inbox.query(
            CONTACT_INDEX,
            Key(OfContact.name_of("contact_id")).eq(contact_id),
            limit=ENTRIES_A_PAGE,
            start=start,
        )
        return Page([Found(ENTRY, OfContact.read(item).pk) for item in listed], last)

    def _consents(self, address: str) -> Page:
        """Return the records of an address; of an erasure those that have evidence."""
        is_export = self.job.kind == "export"
        return Page(
            [
                Found(CONSENT, json.dumps({"pk": item["pk"], "sk": item["sk"]}))
                for item in evidence.records_of(self.consents, self.job.company_id, address)
                if is_export or evidence.has_evidence(item)
            ]
        )

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


def address_of(name: Named) -> str | None:
    """Return the address under which the choices of a person with this name are recorded."""
    if name.kind is NameKind.USER_ID:
        return USER_ID_PREFIX + name.value
    is_own = name.kind in {NameKind.PHONE, NameKind.EMAIL} and OWNED not in name.value
    return name.value if is_own else None
