"""
A request about a person as a job (`console.jobs`):

    run of the person's job since the request has begun (`shared.privacy.engine`)
    an export: its ZIP, some megabytes in a step
    the receipts of all contexts, on the request; its names are removed

Two runs of one request may meet: each write names the revision that it has read, and the one that loses ends.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from console.jobs.runs import Job
from console.privacy import archive, jobs
from console.privacy.archive import Exported
from console.privacy.inventory import exports_of
from console.store import person_requests
from console.store.person_jobs import PersonJob
from shared.aws.tables.leases import LeaseLost
from shared.privacy import engine, remainders
from shared.privacy.parts import Named, NameKind, PartJob
from shared.runtime import clock
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from console.privacy.jobs import PersonDependencies
    from console.store.person_requests import PersonRequest
    from shared.aws.dynamodb import Table
    from shared.privacy.jobs import Kind
    from shared.privacy.views import ReceiptView
    from shared.runtime.failures import Transient

KIND: Final = "person"
OWN: Final = "contacts"  # the name of this context's part in receipts and archives
TURN_MS: Final = 3 * clock.SECOND_MS
# A call of a context that hangs is given up after 10 s; its failure is stored after it.
SPARE_MS: Final = 14 * clock.SECOND_MS
FAILED_MS: Final = 5 * clock.SECOND_MS
MOST_FAILURES: Final = 3  # of a run, which then leaves the request to the schedule


@dataclass(frozen=True, slots=True)
class PersonRequests:
    """The requests as a kind of job, whose name is the id of the request. *person*: what a run needs."""

    person: Callable[[], PersonDependencies]
    spare_ms: int = SPARE_MS
    most_failures: int = MOST_FAILURES

    def opened(self) -> Iterator[Job]:
        """Yield the requests of all companies that are due."""
        for company, request_id in person_requests.due(self.person().tables.contacts):
            yield job_of(company, request_id)

    def taken(self, job: Job, owner: str, remaining_ms: int) -> _Turn | None:
        """Return the next turn of an open request; one that was not confirmed in time expires."""
        del owner, remaining_ms  # Of two runs the one that loses ends, by the request's revision.
        deps = self.person()
        request = person_requests.get(deps.tables.contacts, job.company, job.name)
        if request is None or not request.is_open:
            return None
        if request.stage == "waiting":
            with suppress(person_requests.Contended):
                _expire(deps.tables.contacts, request)
            return None
        return _Turn(deps, request)


def job_of(company: str, request_id: str) -> Job:
    """Return the job of a request."""
    return Job(kind=KIND, company=company, name=request_id)


def _expire(table: Table, request: PersonRequest) -> None:
    now = clock.to_text(clock.now_ms())
    if (request.expires_at or now) <= now:
        person_requests.replace(table, request, stage="expired", given=None, finished_at=now)


@dataclass(slots=True)
class _Turn:
    deps: PersonDependencies
    request: PersonRequest

    def step(self) -> int | None:
        """Do the next part of the request."""
        try:
            return None if self._is_done() else 0
        except person_requests.Contended:
            raise LeaseLost from None

    def failed(self, failure: Transient) -> int:
        """Store the code of a failure with the request."""
        try:
            self._note(failure.reason)
        except person_requests.Contended:
            raise LeaseLost from None
        return FAILED_MS

    def leave(self) -> None:
        """Each step has stored its progress."""

    def _is_done(self) -> bool:
        """Do the next part; return whether the request has ended. Raises Transient."""
        job = self._job()
        if not job.is_done:
            engine.work(jobs.engine_of(self.deps, TURN_MS), job.job_id)
            return False
        parts = list(self._parts(job))
        key = None
        if job.kind == "export":
            key = f"{exports_of(job.company_id, job.job_id)}{job.run}/{archive.NAME}"
            exported = [
                Exported(
                    context=context,
                    counts=part.counts,
                    bucket=self.deps.bucket.beside(part.bucket),
                    prefix=part.prefix,
                )
                for context, part in parts
            ]
            folder = jobs.jobs_of(self.deps).folder(job)
            own = Exported(OWN, job.counts, self.deps.bucket, folder.prefix)
            if not archive.step(self.deps.bucket, key, [*exported, own], job.requested_at):
                return False
        self._end(job, parts, key)
        return True

    def _note(self, problem: str) -> None:
        """Store the code of a failure, unless it is stored."""
        if self.request.problem != problem:
            self._replace(problem=problem)

    def _job(self) -> PersonJob:
        """Return the person's job of a run that belongs to the request; start it if there is none."""
        request = self.request
        kind: Kind = request.kind
        given = [Named(NameKind(request.given[0]), request.given[1])] if request.given else []
        own = jobs.jobs_of(self.deps)
        job_id = own.id_of(kind, request.company_id, PersonJob.subject_of(given, request.contexts))
        job = own.get(job_id)
        is_earlier = job is not None and job.requested_at < str(request.begun_at)
        if job is None or (job.is_done and is_earlier):
            job = jobs.start(
                self.deps,
                kind,
                request.company_id,
                given,
                by=request.requested_by,
                reason=request.reason,
                reference=request.reference,
                contexts=request.contexts,
                at=request.begun_at,
            )
        if request.job_id is None:
            self._replace(job_id=job_id)
        return job

    def _parts(self, job: PersonJob) -> Iterator[tuple[str, PartJob]]:
        for one in job.parts:
            part = self.deps.parts[one["context"]].stored(one["job_id"])
            if part is not None and part.requested_at >= job.requested_at:
                yield one["context"], part

    def _end(self, job: PersonJob, parts: list[tuple[str, PartJob]], key: str | None) -> None:
        stated = [(context, part.receipt, part.counts) for context, part in parts]
        if job.contexts is None:
            own = remainders.receipt(jobs.REMAINDERS, job.receipts[0]) if job.receipts else None
            stated.append((OWN, own, job.counts))
        receipts = [_receipt(context, receipt, counts) for context, receipt, counts in stated]
        self._replace(
            stage="done",
            given=None,
            finished_at=clock.to_text(clock.now_ms()),
            receipts=receipts,
            left=[copy for _, part in parts for copy in part.left],
            archive=key,
            problem=None,
        )
        facts = {"company": job.company_id, "request": self.request.request_id, "kind": job.kind}
        logger.info("privacy request ended", extra=facts)

    def _replace(self, **fields: object) -> None:
        table = self.deps.tables.contacts
        self.request = person_requests.replace(table, self.request, **fields)


def _receipt(context: str, receipt: ReceiptView | None, counts: dict[str, int]) -> dict[str, Any]:
    lists = receipt.model_dump(include={"kept", "outside"}, exclude_none=True) if receipt else {}
    return {"context": context, "counts": counts, **lists}
