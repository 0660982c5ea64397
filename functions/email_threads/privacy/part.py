"""Mail threads as a part of one request about a person."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from email_threads.privacy import requests
from email_threads.privacy.jobs import folder_of
from email_threads.privacy.remainders import REMAINDERS
from email_threads.store.items import PrivacyJob
from shared.privacy import jobs as stored_jobs
from shared.privacy.parts import Known, NameKind, PartJob, Subject, job_since, part_job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.aws.sqs_fifo import FifoQueue
    from shared.privacy.jobs import Kind
    from shared.privacy.parts import Asked, Named


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailPart:
    """A job of the worker for each address."""

    table: Table
    queue: FifoQueue
    bucket: Bucket
    context: str = "email_threads"

    def known(self, _company: str, _name: Named, /) -> Known:
        """Return nothing: an address is all that threads know of a person, and its owner is not known to change."""
        return Known(names=[], has_passed_on=False)

    def subjects(self, kind: Kind, company: str, names: Sequence[Named], /) -> list[Subject]:
        """Return the addresses."""
        own = [name.value for name in names if name.kind is NameKind.EMAIL]
        return [Subject(name=one, job_id=PrivacyJob.id_of(kind, company, one)) for one in own]

    def since(self, asked: Asked, subject: str, /, *, queues: bool) -> PartJob:
        """Return the job of a subject that belongs to the request."""
        job_id = PrivacyJob.id_of(asked.kind, asked.company, subject)
        start = partial(
            requests.start,
            self.table,
            self.queue,
            company_id=asked.company,
            kind=asked.kind,
            address=subject,
            by=asked.requested_by,
            at=asked.requested_at,
        )
        stored = stored_jobs.get(self.table, PrivacyJob, job_id)
        return self._stated(job_since(asked, stored, start, goes_on=queues))

    def stored(self, job_id: str, /) -> PartJob | None:
        """Return a job."""
        job = stored_jobs.get(self.table, PrivacyJob, job_id)
        return self._stated(job) if job is not None else None

    def _stated(self, job: PrivacyJob) -> PartJob:
        return part_job(job, REMAINDERS, self.bucket, folder_of(self.bucket, job).prefix)
