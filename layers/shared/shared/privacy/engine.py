"""
Runs the jobs that erase or export a person, the same in each context; the context supplies an inventory.

    fence     no event from before the request adds anything any more              erasure only
    settle    until every worker that started before has ended                     erasure only
              back to `fence` if a worker has stored further ids of the person
    pages     plan a page -> store the plan -> remove -> store the counts; an export writes the page
    finish    the pages of an export are joined, 5 MB in a step; an erasure removes the person's exports; the receipt

A turn takes bounded time, and then the job is queued again. All progress is in the job's item: a turn that dies is
continued by the next delivery, and a second request queues the same job.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from shared.privacy import remainders
from shared.privacy.inventory import Found
from shared.privacy.jobs import MOST_RECEIPTS, Job
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shared.privacy.inventory import Inventory, Page
    from shared.privacy.remainders import Remainder
    from shared.privacy.requests import Jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine[J: Job]:
    """
    The engine of the jobs of one context.

    *resolve*: returns a job at the begin of a run with all ids of the person; an erasure writes their tombstones.
    *turn_ms*: the time after which a turn ends. *settles_ms*: the time after which every worker that started before a
    fence has ended. *grown*: returns a job whose fences have settled with the ids that the person has by now, to be
    fenced again; None if there are no further ones.
    """

    jobs: Jobs[J]
    inventory: Callable[[J], Inventory]
    turn_ms: int
    settles_ms: Callable[[J], int] = lambda _: 0
    resolve: Callable[[J], J] | None = None
    grown: Callable[[J], J | None] | None = None


def work[J: Job](engine: Engine[J], job_id: str) -> J | None:
    """
    Continue a job until its turn ends, and queue it again unless it is done. None if it was done before.

    Raises Permanent (`no_privacy_job`), and Transient while it waits or after a concurrent write.
    """
    job = _stored(engine, job_id)
    if job.is_done:
        return None
    until = clock.now_ms() + engine.turn_ms
    if job.state == "queued":
        job = _begun(engine, job)
    inventory = engine.inventory(job)
    while True:
        job = engine.jobs.replace(_step(engine, inventory, job))
        if job.is_done:
            return job
        if clock.now_ms() >= until:
            engine.jobs.enqueue(job)
            return job


def turn[J: Job](engine: Engine[J], job_id: str) -> J:
    """
    Work on a job in this process until its turn ends or it waits, and return it.

    Raises Permanent (`no_privacy_job`), and Transient for every other reason than a wait of a known length.
    """
    try:
        work(engine, job_id)
    except Transient as wait:
        if not wait.wait_ms:
            raise
    return _stored(engine, job_id)


def _stored[J: Job](engine: Engine[J], job_id: str) -> J:
    job = engine.jobs.get(job_id)
    if job is None:
        raise Permanent("no_privacy_job")
    return job


def _begun[J: Job](engine: Engine[J], job: J) -> J:
    """Return the job with the ids of the person, which are stored before anything that leads to them is removed."""
    if engine.resolve is None:
        return job.changed(state="running")
    return engine.jobs.replace(engine.resolve(job).changed(state="running"))


def _step[J: Job](engine: Engine[J], inventory: Inventory, job: J) -> J:
    """Do the next part of a job and return its new state."""
    if job.planned:
        return _removed(engine, inventory, job)
    if job.step == "fence" and job.kind == "erase":
        fences, number = inventory.fences, job.source or 0
        if number < len(fences):
            return _planned(job, inventory.fence(fences[number], job.start))
        if settles_ms := engine.settles_ms(job):
            return job.changed(step="settle", settles_at=clock.now_ms() + settles_ms)
    if job.step == "settle":
        wait_ms = (job.settles_at or 0) - clock.now_ms()
        if wait_ms > 0:
            raise Transient("privacy_job_settles", wait_ms)
        if engine.grown is not None and (grown := engine.grown(job)) is not None:
            return grown.changed(step="fence", source=0, start=None)
    if job.step in {"fence", "settle"}:
        job = job.changed(step="pages", source=0, start=None)
    if job.step == "finish":
        return _finished(engine, inventory, job)
    return _paged(engine, inventory, job)


def _paged[J: Job](engine: Engine[J], inventory: Inventory, job: J) -> J:
    """Plan a page of an erasure, or write a page of an export."""
    sources, number = inventory.sources, job.source or 0
    if number >= len(sources):
        return _finished(engine, inventory, job)
    page = inventory.page(sources[number], job.start)
    if job.kind == "erase":
        return _planned(job, page)
    if page.found:
        folder = engine.jobs.folder(job)
        folder.put_part(job.page, inventory.export(page.found, folder))
    return _moved_on(job, page).counted(found.kind for found in page.found)


def _planned[J: Job](job: J, page: Page) -> J:
    """
    Return the job with the plan of a page.

    It is stored before anything is removed. Counts come from the stored plan, so a crash cannot change them.
    """
    return _moved_on(job, page).changed(planned=[found.plan() for found in page.found])


def _removed[J: Job](engine: Engine[J], inventory: Inventory, job: J) -> J:
    """Remove what is planned, and count it."""
    planned = [Found(**entry) for entry in job.planned]
    for found in planned:
        if found.kind in inventory.objects:
            engine.jobs.bucket.delete(found.key)
        else:
            inventory.remove(found)
    return job.removed(planned).changed(planned=[])


def _moved_on[J: Job](job: J, page: Page) -> J:
    """Return the job at the next page of its source, or at the next source."""
    number = job.source or 0
    source = number if page.last is not None else number + 1
    return job.changed(source=source, start=page.last, page=job.page + 1)


def _finished[J: Job](engine: Engine[J], inventory: Inventory, job: J) -> J:
    """Join the pages of an export, some in each step, or remove what an erasure removes last; then end the run."""
    if job.kind == "erase":
        inventory.finish()
        bucket, own = engine.jobs.bucket, engine.jobs.exports_of(job.owner, str(job.requested_for))
        for key in chain.from_iterable(map(bucket.all_keys_under, [*own, *inventory.exported])):
            bucket.delete(key)
    elif (joining := engine.jobs.folder(job).join(job.joining)) is not None:
        return job.changed(step="finish", joining=joining)
    return _ended(job, engine.jobs.remainders(job))


def _ended[J: Job](job: J, left: Iterable[Remainder]) -> J:
    """End a run: only its receipt remains."""
    finished_at = clock.to_text(clock.now_ms())
    receipt = job.named(
        run=job.run,
        requested_at=job.requested_at,
        requested_by=job.requested_by,
        finished_at=finished_at,
        counts=job.counts,
    )
    if job.kind == "erase":
        receipt["left"] = remainders.ends(left, clock.from_text(finished_at))
    receipts = [receipt, *job.receipts][:MOST_RECEIPTS]
    ended = job.changed(state="done", finished_at=finished_at, receipts=receipts)
    return ended.changed(**dict.fromkeys(job.of_run))
