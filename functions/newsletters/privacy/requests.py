"""
Starts or resumes the erase or export job of a user.

Separate from `jobs`, which only the worker imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.inbound.events import PrivacyRequested
from newsletters.store import privacy_jobs
from newsletters.store.items import PrivacyJob
from shared.events.queued_events import turn_entry
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.store.items.privacy import PrivacyKind
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_fifo import FifoQueue


def start(
    table: Table, queue: FifoQueue, *, company_id: str, kind: PrivacyKind, user_id: str, by: str
) -> PrivacyJob:
    """
    Start the job of a user, or continue it if it is not done, and return it.

    *by*: the authenticated caller. Raises NotEnqueued and Transient.
    """
    job_id = PrivacyJob.id_of(kind, company_id, user_id)
    job = privacy_jobs.get(table, job_id)
    if job is None or is_done(job):
        fresh = PrivacyJob(
            **PrivacyJob.key(job_id),
            company_id=company_id,
            job_id=job_id,
            kind=kind,
            run=job.run + 1 if job else 1,
            revision=job.revision if job else 0,
            requested_at=clock.to_text(clock.now_ms()),
            requested_by=by,
            requested_for=user_id,
            receipts=job.receipts if job else [],
        )
        job = privacy_jobs.replace(table, fresh)
    # After the item: an event without its job would be parked.
    enqueue(queue, job)
    return job


def is_done(job: PrivacyJob) -> bool:
    """Whether the current run of a job has ended."""
    return job.state == "done"


def enqueue(queue: FifoQueue, job: PrivacyJob) -> None:
    """Queue the next turn of a job."""
    # A request queues the job even if its last turn is younger than the queue's deduplication.
    turn = (str(job.run), str(job.revision), str(clock.now_ms()))
    queue.send([turn_entry(PrivacyRequested(job_id=job.job_id), job.job_id, *turn)])
