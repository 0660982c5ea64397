"""Requests for the jobs that erase or export a person: how one starts, and the view of a job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.privacy import jobs, remainders
from shared.privacy.jobs import Job
from shared.privacy.views import PrivacyJobView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shared.aws.dynamodb import Table
    from shared.privacy.exports import ExportFolder
    from shared.privacy.remainders import Remainder


def start[J: Job](table: Table, fresh: J, enqueue: Callable[[J], None]) -> J:
    """
    Start the job *fresh*, or continue the stored one if it is not done, and return it.

    *enqueue* queues a turn. Raises NotEnqueued and Transient.
    """
    job = jobs.get(table, type(fresh), fresh.job_id)
    if job is None or job.is_done:
        if job is not None:
            fresh = fresh.changed(run=job.run + 1, revision=job.revision, receipts=job.receipts)
        job = jobs.replace(table, fresh)
    # After the item: an event without its job would be parked.
    enqueue(job)
    return job


def view_of[J: Job](
    job: J, left: Iterable[Remainder], folder: Callable[[J], ExportFolder]
) -> PrivacyJobView:
    """Return the view of a job: *left* are the context's remainders, *folder* is of the current export."""
    is_exported = job.kind == "export" and job.is_done
    return PrivacyJobView(
        id=job.job_id,
        kind=job.kind,
        state=job.state,
        run=job.run,
        requested_at=job.requested_at,
        counts=job.counts,
        receipts=[remainders.receipt(left, one) for one in job.receipts],
        export=folder(job).view() if is_exported else None,
    )
