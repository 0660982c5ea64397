"""Jobs that export messages."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from whatsapp.store.items import pk
from whatsapp.store.items.analytics.exports import ExportJob
from whatsapp.store.items.item import PARTITION_KEY


def get(table: Table, job_id: str) -> ExportJob | None:
    """Return the job with this id (strongly consistent read)."""
    item = table.get(pk(ExportJob.key(job_id)))
    return ExportJob.read(item) if item else None


def add(table: Table, job: ExportJob) -> ExportJob:
    """Write a job unless it exists, and return the stored one. Safe to repeat."""
    try:
        table.put(job.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return ExportJob.read(refusal.existing)
    return job


def advance(table: Table, job: ExportJob, *, after: int) -> bool:
    """Write a job after its part number *after*; False if that part was recorded before."""
    try:
        table.put(job.attributes(), when=ExportJob.attr("page").eq(after))
    except ConditionFailed:
        return False
    return True
