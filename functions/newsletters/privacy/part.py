"""Newsletters as a part of one request about a person."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from newsletters.privacy import requests
from newsletters.privacy.jobs import folder_of_export
from newsletters.privacy.remainders import of_job
from newsletters.store.items import PrivacyJob
from shared.privacy import jobs as stored_jobs
from shared.privacy.parts import Known, NameKind, PartJob, Subject, job_since, part_job

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from newsletters.configuration.resources import Resources
    from shared.privacy.jobs import Kind
    from shared.privacy.parts import Asked, Named

# A subject is its kind and the name; no kind has a space.
_OWN: Final = (NameKind.EMAIL, NameKind.PRINCIPAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewsletterPart:
    """A job of the worker for each address, whose bylines it removes, and for each user of the company."""

    resources: Resources
    context: str = "newsletters"

    def known(self, _company: str, _name: Named, /) -> Known:
        """Return nothing: a byline is no proof of who has an address."""
        return Known(names=[], has_passed_on=False)

    def subjects(self, kind: Kind, company: str, names: Sequence[Named], /) -> list[Subject]:
        """Return addresses and users."""
        return [
            Subject(
                name=f"{name.kind} {name.value}",
                job_id=_job_id(kind, company, name.kind, name.value),
            )
            for name in names
            if name.kind in _OWN
        ]

    def since(self, asked: Asked, subject: str, /, *, queues: bool) -> PartJob:
        """Return the job of a subject that belongs to the request."""
        kind, _, value = subject.partition(" ")
        table, steps = self.resources.store.table, self.resources.steps
        start: Callable[[], PrivacyJob]
        if kind == NameKind.EMAIL:
            start = partial(requests.start_of_address, table, steps, address=value, **_of(asked))
        else:
            start = partial(requests.start, table, steps, user_id=value, **_of(asked))
        stored = stored_jobs.get(
            table, PrivacyJob, _job_id(asked.kind, asked.company, NameKind(kind), value)
        )
        return self._stated(job_since(asked, stored, start, goes_on=queues))

    def stored(self, job_id: str, /) -> PartJob | None:
        """Return a job."""
        job = stored_jobs.get(self.resources.store.table, PrivacyJob, job_id)
        return self._stated(job) if job is not None else None

    def _stated(self, job: PrivacyJob) -> PartJob:
        bucket = self.resources.store.bucket
        return part_job(job, of_job(job), bucket, folder_of_export(bucket, job).prefix)


def _job_id(kind: Kind, company: str, name: NameKind, value: str) -> str:
    by_name = PrivacyJob.id_of_address if name is NameKind.EMAIL else PrivacyJob.id_of
    return by_name(kind, company, value)


def _of(asked: Asked) -> dict[str, Any]:
    by, at = asked.requested_by, asked.requested_at
    return {"company_id": asked.company, "kind": asked.kind, "by": by, "at": at}
