"""Jobs that erase or export a person: each write replaces the revision that the caller read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.store.items import PrivacyJob
from shared.aws.dynamodb import ConditionFailed
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table


def get(table: Table, job_id: str) -> PrivacyJob | None:
    """Return the job with this id."""
    item = table.get(PrivacyJob.key(job_id))
    return PrivacyJob.read(item) if item else None


def replace(table: Table, job: PrivacyJob) -> PrivacyJob:
    """
    Write the next revision of a job and return it. Raises Transient after a concurrent write.

    A write whose response was lost counts as a concurrent write: the next delivery reads it and continues from there.
    """
    changed = job.model_copy(update={"revision": job.revision + 1})
    unchanged = PrivacyJob.attr("conversation_id").not_exists() | PrivacyJob.attr("revision").eq(
        job.revision
    )
    try:
        table.put(changed.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("privacy_job_contended") from None
    return changed
