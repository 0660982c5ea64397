"""Jobs that erase or export a person in all contexts: turns of `shared.privacy.engine`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from console.privacy import person
from console.privacy.inventory import SETTLES_MS, Inventory, exports_of
from console.privacy.person import Sources
from console.privacy.remainders import REMAINDERS
from console.store.person_jobs import PersonJob
from shared.privacy import requests
from shared.privacy.engine import Engine
from shared.privacy.exports import ExportFolder
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
_LINES: Final = "person.jsonl"


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
        """Where the names of a person are found."""
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
    job_id = PersonJob.id_of(kind, company, given, contexts)
    fresh = PersonJob(
        **PersonJob.key_of(job_id),
        company_id=company,
        job_id=job_id,
        kind=kind,
        requested_at=at or clock.to_text(clock.now_ms()),
        requested_by=by,
        reason=reason,
        reference=reference,
        given=[list(one) for one in given],
        layout=PersonJob.PRESENT,
        contexts=contexts,
    )
    return requests.start(deps.tables.contacts, fresh, lambda _: None)


def engine_of(deps: PersonDependencies, turn_ms: int = TURN_MS) -> Engine[PersonJob]:
    """Return the engine of these jobs, which are in no queue: the process that has the request works on them."""
    return Engine(
        item=PersonJob,
        table=deps.tables.contacts,
        inventory=lambda job: Inventory(
            tables=deps.tables,
            consents=deps.consents,
            heads=deps.heads,
            parts=deps.parts,
            queued=deps.queued,
            bucket=deps.bucket,
            job=job,
        ),
        folder=lambda job: folder_of(deps.bucket, job),
        enqueue=lambda _: None,
        remainders=REMAINDERS,
        turn_ms=turn_ms,
        settles_ms=SETTLES_MS,
        resolve=lambda job: _resolved(deps, job),
    )


def folder_of(bucket: Bucket, job: PersonJob) -> ExportFolder:
    """Return the folder of a job's current run."""
    return ExportFolder(bucket, f"{exports_of(job.company_id, job.job_id)}{job.run}/", _LINES)


def _resolved(deps: PersonDependencies, job: PersonJob) -> PersonJob:
    """Return a job with all names of the person, stored before anything that leads to them is removed."""
    names, found = person.of_names(deps.sources, job.company_id, job.names)
    ids = list(dict.fromkeys([*(job.contact_ids or []), *found]))  # known to an earlier release
    subjects = [
        (context, subject)
        for context, part in deps.parts.items()
        if job.contexts is None or context in job.contexts
        for subject in part.subjects(job.kind, job.company_id, names)
    ]
    return job.changed(
        identifiers=[list(one) for one in names],
        contact_ids=ids if job.contexts is None else [],
        subjects=[[context, subject.name] for context, subject in subjects],
        parts=[{"context": context, "job_id": subject.job_id} for context, subject in subjects],
    )
