"""Where this context stores objects, apart from the files of messages (`shared.aws.stored_objects.media_of`)."""

from shared.aws.s3 import Bucket
from shared.aws.stored_objects import Folder

CONTENT_OF_COMPANY = "content/{company}/"


def claims(bucket: Bucket) -> Folder:
    """Payloads that are too large for the queue, until the worker has read them."""
    return Folder(bucket, "claims/")


def parked_events(bucket: Bucket) -> Folder:
    """Whole events: parked ones, and kept ones that are too large for their item."""
    return Folder(bucket, "parked/")


def content_of(bucket: Bucket, company: str | None) -> Folder:
    """The long messages and forms of a company's customers."""
    return Folder(bucket, CONTENT_OF_COMPANY.format(company=company))
