"""Jobs that erase or export a person in all contexts: turns of `shared.privacy.engine`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from console.privacy import person
from console.privacy.inventory import SETTLES_MS, Inventory
from console.privacy.person import Sources
from console.privacy.remainders import REMAINDERS
from console.store.person_jobs import PersonJob
from shared.privacy import requests
from shared.privacy.engine import Engine
from shared.privacy.exports import ExportFolder
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from console.privacy.contexts import ContextJobs, CustomerRows
    from console.store.person_jobs import Named
    from shared.aws.s3 import Bucket
    from shared.inbox.entries import Heads, Tables
    from shared.inbox.items import Context
    from shared.privacy.jobs import Kind

TURN_MS: Final = 60 * clock.SECOND_MS
_LINES: Final = "person.jsonl"
_EXPORTS: Final = "exports/{company}/people/{job}/{run}/"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonDependencies:
    """Tables of inbox and contacts, heads and jobs of the contexts, rows of the help desk, the bucket of exports."""

    tables: Tables
    heads: Mapping[Context, Heads]
    contexts: Mapping[str, ContextJobs]
    help_desk: CustomerRows
    bucket: Bucket

    @property
    def sources(self) -> Sources:
        """Where the identifiers of a person are found."""
        contexts = [*self.contexts.values()]
        return Sources(tables=self.tables, heads=self.heads, contexts=contexts)


def start(
    deps: PersonDependencies,
    kind: Kind,
    company: str,
    given: Sequence[Named],
    *,
    by: str,
    reason: str,
    reference: str | None = None,
) -> PersonJob:
    """Start the job of the person with these identifiers, or continue it if it is not done, and return it."""
    job_id = PersonJob.id_of(kind, company, given)
    fresh = PersonJob(
        **PersonJob.key_of(job_id),
        company_id=company,
        job_id=job_id,
        kind=kind,
        requested_at=clock.to_text(clock.now_ms()),
        requested_by=by,
        reason=reason,
        reference=reference,
        given=[list(one) for one in given],
    )
    return requests.start(deps.tables.contacts, fresh, lambda _: None)


def engine_of(deps: PersonDependencies) -> Engine[PersonJob]:
    """Return the engine of these jobs, which an operator's process works on."""
    return Engine(
        item=PersonJob,
        table=deps.tables.contacts,
        inventory=lambda job: Inventory(
            tables=deps.tables,
            heads=deps.heads,
            contexts=deps.contexts,
            help_desk=deps.help_desk,
            job=job,
        ),
        folder=lambda job: folder_of(deps.bucket, job),
        enqueue=lambda _: None,
        remainders=REMAINDERS,
        turn_ms=TURN_MS,
        settles_ms=SETTLES_MS,
        resolve=lambda job: _resolved(deps, job),
    )


def folder_of(bucket: Bucket, job: PersonJob) -> ExportFolder:
    """Return the folder of a job's current run."""
    prefix = _EXPORTS.format(company=job.company_id, job=job.job_id, run=job.run)
    return ExportFolder(bucket, prefix, _LINES)


def _resolved(deps: PersonDependencies, job: PersonJob) -> PersonJob:
    """Return a job with all identifiers of the person, stored before anything that leads to them is removed."""
    names, ids = person.of_names(deps.sources, job.company_id, job.names)
    parts = [
        {"context": name, "job_id": context.id_of(job.kind, job.company_id, subject)}
        for name, context in deps.contexts.items()
        for subject in context.subjects(names)
    ]
    identifiers = [list(one) for one in names]
    return job.changed(identifiers=identifiers, contact_ids=ids, parts=parts)
