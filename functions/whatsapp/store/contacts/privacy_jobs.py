"""Jobs that erase or export a contact: each write replaces the revision that the caller read."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.items.privacy import PrivacyJob


def get(table: Table, job_id: str) -> PrivacyJob | None:
    """Return the job with this id (strongly consistent read)."""
    item = table.get(pk(PrivacyJob.key(job_id)))
    return PrivacyJob.read(item) if item else None


def replace(table: Table, job: PrivacyJob) -> PrivacyJob:
    """
    Write the next revision of a job and return it. Raises Transient after a concurrent write.

    A write whose response was lost counts as a concurrent write: the next delivery reads it and continues from there.
    """
    changed = job.model_copy(update={"revision": job.revision + 1})
    unchanged = Attr(PARTITION_KEY).not_exists() | PrivacyJob.attr("revision").eq(job.revision)
    try:
        table.put(changed.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("privacy_job_contended") from None
    return changed
