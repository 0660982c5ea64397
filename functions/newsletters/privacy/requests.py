"""
Starts or resumes the erase or export job of a user or of an address.

Separate from `jobs`, which only the worker imports.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.inbound.events import PrivacyRequested
from newsletters.store.items import PrivacyJob
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
    user_id: str,
    by: str,
    at: str | None = None,
) -> PrivacyJob:
    """
    Start the job of a user, or continue it if it is not done, and return it.

    *by*: the authenticated caller. *at*: when it was requested, if not now. Raises NotEnqueued and Transient.
    """
    job_id = PrivacyJob.id_of(kind, company_id, user_id)
    fresh = PrivacyJob(
        **PrivacyJob.key_of(job_id),
        company_id=company_id,
        job_id=job_id,
        kind=kind,
        requested_at=at or clock.to_text(clock.now_ms()),
        requested_by=by,
        requested_for=user_id,
    )
    return requests.start(table, fresh, lambda job: enqueue(queue, job))


def start_of_address(
    table: Table,
    queue: FifoQueue,
    *,
    company_id: str,
    kind: Kind,
    address: str,
    by: str,
    at: str | None = None,
) -> PrivacyJob:
    """Start the job of an address in its normal form, as `start` does."""
    job_id = PrivacyJob.id_of_address(kind, company_id, address)
    fresh = PrivacyJob(
        **PrivacyJob.key_of(job_id),
        company_id=company_id,
        job_id=job_id,
        kind=kind,
        requested_at=at or clock.to_text(clock.now_ms()),
        requested_by=by,
        requested_for=address,
        by_address=True,
        export_id=PrivacyJob.id_of_address("export", company_id, address),
    )
    return requests.start(table, fresh, lambda job: enqueue(queue, job))


def enqueue(queue: FifoQueue, job: PrivacyJob) -> None:
    """Queue the next turn of a job."""
    event = PrivacyRequested(job_id=job.job_id)
    queue.send([turn_entry(event, job.job_id, *job.turn())])
