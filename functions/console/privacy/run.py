"""
Runs of a request about a person: each goes on from where the one before ended, until the request has ended.

    run of the person's job since the request has begun (`shared.privacy.engine`)
    an export: its ZIP, some megabytes in a step
    the receipts of all contexts, on the request; its names are removed

A run is started by the request, by its confirmation or by the run before it; Lambda repeats a run that has died, and a
schedule starts those whose start was lost. Two runs of one request may meet: each write names the revision that it has
read, and the one that loses ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from console.privacy import archive, jobs
from console.privacy.archive import Exported
from console.privacy.inventory import exports_of
from console.privacy.remainders import REMAINDERS
from console.store import person_requests
from console.store.person_jobs import PersonJob
from shared.privacy import engine, remainders
from shared.privacy import jobs as stored_jobs
from shared.privacy.parts import Named, NameKind, PartJob
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from console.privacy.jobs import PersonDependencies
    from console.store.person_requests import PersonRequest
    from shared.aws.dynamodb import Table
    from shared.privacy.jobs import Kind
    from shared.privacy.views import ReceiptView

OWN: Final = "contacts"  # the name of this context's part in receipts and archives
TURN_MS: Final = 3 * clock.SECOND_MS
# A call of a context that hangs is given up after 10 s; its failure is stored after it.
SPARE_MS: Final = 14 * clock.SECOND_MS
LAST_MS: Final = 3 * clock.SECOND_MS  # of a run that only waits
FAILED_MS: Final = 5 * clock.SECOND_MS
MOST_FAILURES: Final = 3  # of a run, which then leaves the request to the schedule


def go_on(
    deps: PersonDependencies, company: str, request_id: str, remaining_ms: Callable[[], int]
) -> bool:
    """
    Go on with a request as long as the time of this run allows. Returns whether another run is wanted at once.

    Without an open request nothing happens. A failure that may pass is stored with the request, by its code, and tried
    again; after some of them the schedule goes on.
    """
    request = person_requests.get(deps.tables.contacts, company, request_id)
    if request is None or not request.is_open:
        return False
    try:
        if request.stage == "waiting":
            _expire(deps.tables.contacts, request)
            return False
        return _gone_on(_Run(deps, request), remaining_ms)
    except person_requests.Contended:
        return False


def _gone_on(running: _Run, remaining_ms: Callable[[], int]) -> bool:
    failures = 0
    while remaining_ms() > SPARE_MS and failures < MOST_FAILURES:
        wait_ms = running.waited_step()
        if wait_ms is None:
            return False
        failures += running.has_failed
        left_ms = remaining_ms()
        if wait_ms:
            # A wait that leaves no time for a step takes the rest of the run: few runs follow each other.
            has_time = left_ms - wait_ms > SPARE_MS
            clock.sleep_ms(wait_ms if has_time else max(0, left_ms - LAST_MS))
    return failures < MOST_FAILURES


def _expire(table: Table, request: PersonRequest) -> None:
    now = clock.to_text(clock.now_ms())
    if (request.expires_at or now) <= now:
        person_requests.replace(table, request, stage="expired", given=None, finished_at=now)


@dataclass(slots=True)
class _Run:
    deps: PersonDependencies
    request: PersonRequest
    has_failed: bool = False

    def waited_step(self) -> int | None:
        """Do the next part of the request; return how long to wait for the one after it, None at the end."""
        self.has_failed = False
        try:
            return None if self.step() else 0
        except person_requests.Contended:
            raise
        except Transient as wait:
            if wait.wait_ms is not None:
                return wait.wait_ms
            logger.warning("privacy request waits", extra=describe(wait))
            self.has_failed = True
            self.note(wait.reason)
            return FAILED_MS

    def step(self) -> bool:
        """Do the next part of the request; return whether it has ended. Raises Transient."""
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
            folder = jobs.folder_of(self.deps.bucket, job)
            own = Exported(OWN, job.counts, self.deps.bucket, folder.prefix)
            if not archive.step(self.deps.bucket, key, [*exported, own], job.requested_at):
                return False
        self._end(job, parts, key)
        return True

    def note(self, problem: str) -> None:
        """Store the code of a failure, unless it is stored."""
        if self.request.problem != problem:
            self._replace(problem=problem)

    def _job(self) -> PersonJob:
        """Return the person's job of a run that belongs to the request; start it if there is none."""
        request = self.request
        kind: Kind = request.kind
        given = [Named(NameKind(request.given[0]), request.given[1])] if request.given else []
        job_id = PersonJob.id_of(kind, request.company_id, given)
        job = stored_jobs.get(self.deps.tables.contacts, PersonJob, job_id)
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
        own = remainders.receipt(REMAINDERS, job.receipts[0]) if job.receipts else None
        receipts = [
            _receipt(context, receipt, counts)
            for context, receipt, counts in [*stated, (OWN, own, job.counts)]
        ]
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
