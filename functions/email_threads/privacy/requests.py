"""
Starts or resumes the erase or export job of an address.

Separate from `jobs`, which only the worker imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.inbound.events import EmailPrivacy
from email_threads.store.items import PrivacyJob
from shared.events.queued_events import turn_entry
from shared.privacy import requests
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_fifo import FifoQueue
    from shared.privacy.jobs import Kind


def start(
    table: Table,
    queue: FifoQueue,
    *,
    company_id: str,
    kind: Kind,
    address: str,
    by: str,
    at: str | None = None,
) -> PrivacyJob:
    """
    Start the job of an address, or continue it if it is not done, and return it.

    *by*: the authenticated caller. *at*: when it was requested, if not now. Raises NotEnqueued and Transient.
    """
    job_id = PrivacyJob.id_of(kind, company_id, address)
    fresh = PrivacyJob(
        **PrivacyJob.key_of(job_id),
        company_id=company_id,
        job_id=job_id,
        kind=kind,
        requested_at=at or clock.to_text(clock.now_ms()),
        requested_by=by,
        requested_for=address,
        # A worker of an earlier release, during a deployment, fences also an export that has the step of fences.
        step="fence" if kind == "erase" else "pages",
    )
    return requests.start(table, fresh, lambda job: enqueue(queue, job))


def enqueue(queue: FifoQueue, job: PrivacyJob) -> None:
    """Queue the next turn of a job."""
    queue.send([turn_entry(EmailPrivacy(job_id=job.job_id), job.job_id, *job.turn())])
