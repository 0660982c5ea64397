"""
Starts or resumes the erase or export job of an address.

Separate from `jobs`, which only the worker imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.inbound.events import EmailPrivacy
from email_threads.store.items import PrivacyJob
from email_threads.store.privacy import privacy_jobs
from shared.events.queued_events import turn_entry
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.store.items.privacy import PrivacyKind
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_fifo import FifoQueue


def start(
    table: Table, queue: FifoQueue, *, company_id: str, kind: PrivacyKind, address: str, by: str
) -> PrivacyJob:
    """
    Start the job of an address, or continue it if it is not done, and return it.

    *by*: the authenticated caller. Raises NotEnqueued and Transient.
    """
    job_id = PrivacyJob.id_of(kind, company_id, address)
    job = privacy_jobs.get(table, job_id)
    if job is None or is_done(job):
        fresh = PrivacyJob(
            conversation_id=PrivacyJob.key(job_id)["conversation_id"],
            company_id=company_id,
            job_id=job_id,
            kind=kind,
            run=job.run + 1 if job else 1,
            revision=job.revision if job else 0,
            requested_at=clock.to_text(clock.now_ms()),
            requested_by=by,
            requested_for=address,
            step="fence" if kind == "erase" else "threads",
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
    queue.send([turn_entry(EmailPrivacy(job_id=job.job_id), job.job_id, *turn)])
