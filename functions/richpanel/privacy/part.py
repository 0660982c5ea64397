"""The help desk as a part of one request about a person. Its jobs are in no queue: each call makes a turn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from richpanel.guards.customer_hash import can_count, customer_hmac
from richpanel.privacy import tickets
from richpanel.privacy.inventory import TICKET, Inventory
from richpanel.privacy.remainders import REMAINDERS
from richpanel.store.items import PrivacyJob
from shared.privacy import engine, requests
from shared.privacy import jobs as stored_jobs
from shared.privacy.engine import Engine
from shared.privacy.exports import ExportFolder
from shared.privacy.parts import Known, NameKind, PartJob, Subject, job_since, part_job
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.aws.secrets import JsonSecret
    from shared.privacy.jobs import Kind
    from shared.privacy.parts import Asked, Named

TURN_MS: Final = 3 * clock.SECOND_MS  # the coordinator waits for ten seconds
# The timeout of the worker is 60 s; the rest covers clock skew.
SETTLES_MS: Final = 70 * clock.SECOND_MS
_LINES: Final = "help_desk.jsonl"
_EXPORTS: Final = "exports/~help-desk/{company}/{job}/"  # no id of a company has a tilde


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpDeskPart:
    """
    A job for each address and ticket, over the tables of states, audit and contacts and the bucket of exports.

    *secret*: the help desk's, with the salt of the hashes. *owner*: returns the company of the help desk; None if it is
    every company's.
    """

    table: Table
    audit: Table
    contacts: Table
    bucket: Bucket
    secret: JsonSecret
    owner: Callable[[], str | None]
    context: str = "richpanel"

    def known(self, _company: str, _name: Named, /) -> Known:
        """Return nothing: an address is all that the help desk's middleware counts by."""
        return Known(names=[], has_passed_on=False)

    def subjects(self, kind: Kind, company: str, names: Sequence[Named], /) -> list[Subject]:
        """Return tickets, and hashes of addresses if there is a salt; none of another company's customers."""
        if self.owner() not in {None, company}:
            return []
        keys = [tickets.key_of(one.value) for one in names if one.kind is NameKind.TICKET]
        own = [f"{TICKET}{key}" for key in keys if key is not None]
        if can_count(self.secret):
            addresses = [one.value for one in names if one.kind is NameKind.EMAIL]
            own += [customer_hmac(self.secret, one) for one in addresses]
        return [Subject(name=one, job_id=PrivacyJob.id_of(kind, company, one)) for one in own]

    def since(self, asked: Asked, subject: str, /, *, queues: bool) -> PartJob:
        """Make a turn of the job of a subject that belongs to the request, unless it is done."""
        del queues
        job_id = PrivacyJob.id_of(asked.kind, asked.company, subject)
        stored = stored_jobs.get(self.table, PrivacyJob, job_id)
        job = job_since(asked, stored, lambda: self._turn(asked, subject, job_id), goes_on=True)
        return self._stated(job)

    def stored(self, job_id: str, /) -> PartJob | None:
        """Return a job."""
        job = stored_jobs.get(self.table, PrivacyJob, job_id)
        return self._stated(job) if job is not None else None

    def _turn(self, asked: Asked, subject: str, job_id: str) -> PrivacyJob:
        fresh = PrivacyJob(
            **PrivacyJob.key_of(job_id),
            company_id=asked.company,
            job_id=job_id,
            kind=asked.kind,
            requested_at=asked.requested_at,
            requested_by=asked.requested_by,
            requested_for=subject,
        )
        job = requests.start(self.table, fresh, lambda _: None)
        try:
            engine.work(self._engine(), job.job_id)
        except Transient as wait:
            if not wait.wait_ms:
                raise
        return stored_jobs.get(self.table, PrivacyJob, job.job_id) or job

    def _engine(self) -> Engine[PrivacyJob]:
        return Engine(
            item=PrivacyJob,
            table=self.table,
            inventory=lambda job: Inventory(
                tables=tickets.Tables(self.table, self.audit, self.contacts),
                company=job.company_id,
                bucket=self.bucket,
                subject=str(job.requested_for),
                exports=_exports_of(
                    job.company_id,
                    PrivacyJob.id_of("export", job.company_id, str(job.requested_for)),
                ),
            ),
            folder=self._folder,
            enqueue=lambda _: None,
            remainders=REMAINDERS,
            turn_ms=TURN_MS,
            settles_ms=SETTLES_MS,
        )

    def _folder(self, job: PrivacyJob) -> ExportFolder:
        prefix = f"{_exports_of(job.company_id, job.job_id)}{job.run}/"
        return ExportFolder(self.bucket, prefix, _LINES)

    def _stated(self, job: PrivacyJob) -> PartJob:
        return part_job(job, REMAINDERS, self.bucket, self._folder(job).prefix)


def _exports_of(company_id: str, job_id: str) -> str:
    """Return the prefix of all exports of a job."""
    return _EXPORTS.format(company=company_id, job=job_id)
