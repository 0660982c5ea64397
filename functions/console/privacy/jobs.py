"""Jobs that erase or export a person in all contexts: turns of `shared.privacy.engine`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from console.privacy import person
from console.privacy.inventory import SETTLES_MS, Inventory, exports_of
from console.privacy.person import Sources
from console.store.contacts import imports
from console.store.person_jobs import PersonJob
from shared.privacy.engine import Engine
from shared.privacy.remainders import stated
from shared.privacy.requests import Jobs
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.inbox.entries import Tables
    from shared.inbox.items import Context
    from shared.privacy.jobs import Kind
    from shared.privacy.parts import Named, Part, PersonHeads

TURN_MS: Final = 60 * clock.SECOND_MS
# Beside what the receipts of the contexts name.
REMAINDERS: Final = stated(
    kept="""
    receipts: the jobs of all contexts, under hashes of the identifiers, with counts, reason and reference
    open_requests, 7 days: the name in other requests about the person, until these end or expire
    newsletters: names in texts that people of the company have written; no identifier of a customer is stored there
    new_conversations: conversations with the person since the request, and their contact
    contact_files, 1 day: files of contacts that people of the company have imported or exported, until these expire; \
        an import that has begun makes no contact of the person
    consent: what the person has chosen and when, under keyed hashes of the addresses, without evidence
    texts_of_the_company: names in segments, labels, saved views and settings, which people of the company have \
        written
    rebuilds, 7 days: the key at which an unfinished rebuild of the inbox goes on
    requests, 1 day: answers of API calls of the last day, sealed
    audit_log: who requested the erasure, and changes by people, without content, for the retention of the log
    """,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonDependencies:
    """
    Tables of inbox, contacts and consent records, heads and jobs of the contexts, the bucket of exports.

    *queued*: the subjects whose jobs this process has queued. A job of an earlier process may be in no queue.
    """

    tables: Tables
    consents: Table
    heads: Mapping[Context, PersonHeads]
    parts: Mapping[str, Part]
    bucket: Bucket
    queued: set[str] = field(default_factory=set)

    @property
    def sources(self) -> Sources:
        """The sources of a person's names."""
        parts = [*self.parts.values()]
        return Sources(tables=self.tables, heads=self.heads, parts=parts)


def start(
    deps: PersonDependencies,
    kind: Kind,
    company: str,
    given: Sequence[Named],
    *,
    by: str,
    reason: str,
    reference: str | None = None,
    contexts: list[str] | None = None,
    at: str | None = None,
) -> PersonJob:
    """
    Start the job of the person with these names, or continue it if it is not done, and return it.

    *at*: when it was requested, if not now; what is stored later stays.
    """
    subject = PersonJob.subject_of(given, contexts)
    more = {"reason": reason, "reference": reference, "contexts": contexts}
    return jobs_of(deps).start(kind, company, subject, by=by, at=at, **more)


def jobs_of(deps: PersonDependencies) -> Jobs[PersonJob]:
    """Return these jobs, which are in no queue: the process that has the request works on them."""
    return Jobs(
        item=PersonJob,
        table=deps.tables.contacts,
        bucket=deps.bucket,
        exports=exports_of,
        lines="person.jsonl",
        remainders=lambda _: REMAINDERS,
    )


def engine_of(deps: PersonDependencies, turn_ms: int = TURN_MS) -> Engine[PersonJob]:
    """Return the engine of these jobs."""
    return Engine(
        jobs=jobs_of(deps),
        inventory=lambda job: Inventory(
            tables=deps.tables,
            consents=deps.consents,
            heads=deps.heads,
            parts=deps.parts,
            queued=deps.queued,
            job=job,
        ),
        turn_ms=turn_ms,
        settles_ms=lambda _: SETTLES_MS,
        resolve=lambda job: _resolved(deps, job),
    )


def _resolved(deps: PersonDependencies, job: PersonJob) -> PersonJob:
    """
    Return a job with all names of the person, stored before anything that leads to them is removed. An erasure keeps
    the rows of imports that run from making the person again.
    """
    names, found = person.of_names(deps.sources, job.company_id, job.names)
    if job.kind == "erase" and job.contexts is None:
        erased = {*found, *person.ids_of_names(deps.tables, job.company_id, names)}
        imports.refuse_erased(deps.tables.contacts, job.company_id, erased)
    subjects = [
        (context, subject)
        for context, part in deps.parts.items()
        if job.contexts is None or context in job.contexts
        for subject in part.subjects(job.kind, job.company_id, names)
    ]
    return job.changed(
        identifiers=[list(one) for one in names],
        contact_ids=found if job.contexts is None else [],
        subjects=[[context, subject.name] for context, subject in subjects],
        parts=[{"context": context, "job_id": subject.job_id} for context, subject in subjects],
    )
