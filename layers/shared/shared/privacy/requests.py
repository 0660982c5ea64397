"""
The jobs of a context that erase or export a person: how one starts, where its exports are, and how it is stated.

A job is of a subject: the person, or a name of the person, as a text of the context. Separate from the engine, which
only the process needs that works on a job.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.privacy import jobs, remainders
from shared.privacy.jobs import Job
from shared.privacy.settings import refuse_single_person
from shared.privacy.views import PrivacyJobView
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.privacy.exports import ExportFolder
    from shared.privacy.jobs import Kind
    from shared.privacy.remainders import Remainder


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs[J: Job]:
    """
    The jobs of one context, whose items are *item* in *table*.

    *exports*: the prefix of all exports of a company's job; a run is a folder below it, with *lines*, the name of its
    file of lines. *enqueue*: queues a turn; without it the process that has the request works on the job.
    """

    item: type[J]
    table: Table
    bucket: Bucket
    exports: Callable[[str, str], str]
    lines: str
    run: str = "{}"
    remainders: Callable[[J], Iterable[Remainder]]
    enqueue: Callable[[J], None] = lambda _: None

    def id_of(self, kind: Kind, company: str, subject: str) -> str:
        """Return the id of the job of a subject. Raises as `keyed_hashes`."""
        return self.item.ids_of(kind, company, subject)[0]

    def get(self, job_id: str, company: str | None = None) -> J | None:
        """Return a job (strongly consistent read), with *company* only one of it."""
        job = jobs.get(self.table, self.item, job_id)
        return job if job is None or company in {None, job.owner} else None

    def replace(self, job: J) -> J:
        """Write the next revision of a job and return it. Raises Transient after a concurrent write."""
        return jobs.replace(self.table, job)

    def start(
        self,
        kind: Kind,
        company: str,
        subject: str,
        *,
        by: str,
        at: str | None = None,
        **more: object,
    ) -> J:
        """
        Start the job of a subject, or continue it if it is not done, and return it.

        *by*: the authenticated caller. *at*: when it was requested, if not now. *more*: further attributes of a job.
        Raises NotEnqueued and Transient.
        """
        job_id = self.id_of(kind, company, subject)
        job = self.get(job_id)
        if job is None or job.is_done:
            fresh = self.item(
                **self.item.key_of(job_id),
                **{self.item.company_field: company},
                job_id=job_id,
                kind=kind,
                requested_at=at or clock.to_text(clock.now_ms()),
                requested_by=by,
                requested_for=subject,
                **more,
            )
            if job is not None:
                later = {"run": job.run + 1, "revision": job.revision, "receipts": job.receipts}
                fresh = fresh.changed(**later)
            job = self.replace(fresh)
        # After the item: an event without its job would be parked.
        self.enqueue(job)
        return job

    def request(
        self, contacts: Table, caller: Caller, kind: Kind, subject: str
    ) -> Callable[[], PrivacyJobView]:
        """Return what starts a job for a caller of an API and shows it. Raises SecondPersonRequired."""
        refuse_single_person(contacts, caller.company)
        by = caller.principal
        return lambda: self.view(self.start(kind, caller.company, subject, by=by))

    def exports_of(self, company: str, subject: str) -> list[str]:
        """Return the prefixes that exports of a subject may have."""
        return [self.exports(company, one) for one in self.item.ids_of("export", company, subject)]

    def folder(self, job: J) -> ExportFolder:
        """Return the folder of a job's current run."""
        from shared.privacy.exports import ExportFolder  # noqa: PLC0415 - of rare calls

        prefix = f"{self.exports(job.owner, job.job_id)}{self.run.format(job.run)}/"
        return ExportFolder(self.bucket, prefix, self.lines)

    def view(self, job: J) -> PrivacyJobView:
        """Return the view of a job."""
        is_exported = job.kind == "export" and job.is_done
        left = self.remainders(job)
        return PrivacyJobView(
            id=job.job_id,
            kind=job.kind,
            state=job.state,
            run=job.run,
            requested_at=job.requested_at,
            counts=job.counts,
            receipts=[remainders.receipt(left, one) for one in job.receipts],
            export=self.folder(job).view() if is_exported else None,
        )
