"""Folders of this context in the bucket."""

from shared.aws.s3 import Bucket
from shared.aws.sqs_fifo import digest
from shared.aws.stored_objects import MEDIA_PREFIX, Folder

CONTENT_OF_COMPANY = "content/{company}/"
# Folders of a message's objects: its content and its versions; its statuses; fields of reactions and revocations.
WRITTEN, STATUSES, CHANGES = "written/", "statuses/", "changes/"

# Of a line of a campaign: its recipient was erased.
ERASED_RECIPIENT = "erased"
_PARTS_OF_A_FILE = len(("company", "phone", "media id", "name"))


def claims(bucket: Bucket) -> Folder:
    """Return the folder of payloads too large for the queue, kept until the worker has read them."""
    return Folder(bucket, "claims/")


def parked_events(bucket: Bucket) -> Folder:
    """Return the folder of whole events: parked ones, and stored ones too large for their item."""
    return Folder(bucket, "parked/")


def older_versions_of(bucket: Bucket, company: str | None, phone: str, message_id: str) -> Folder:
    """Return the folder of the versions of a message that are not in its EDIT item, named by their order."""
    return Folder(bucket, f"{content_of_message(company, phone, message_id)}{WRITTEN}older/")


def content_of_message(company: str | None, phone: str, message_id: str) -> str:
    """Return the prefix of the objects of one message, in the folders above."""
    return f"{CONTENT_OF_COMPANY.format(company=company)}{phone}/{digest(message_id)}/"


def content_of(bucket: Bucket, company: str | None) -> Folder:
    """Return the folder of long messages and forms of a company's customers."""
    return Folder(bucket, CONTENT_OF_COMPANY.format(company=company))


def templates_of(bucket: Bucket, company: str | None) -> Folder:
    """Return the folder of the components of a company's templates that are too large for an item."""
    return Folder(bucket, f"templates/{company}/")


def file_prefix(company: str | None, phone: str, media_id: str) -> str:
    """Return the prefix of the objects of one media file; the object name varies."""
    return f"{MEDIA_PREFIX}{company}/{phone}/{media_id}/"


def media_id_of(key: str) -> str | None:
    """Return the media id in a key below `file_prefix`, to find the record that must have the key; None for others."""
    parts = key.removeprefix(MEDIA_PREFIX).split("/")
    return parts[2] if key.startswith(MEDIA_PREFIX) and len(parts) == _PARTS_OF_A_FILE else None


def exports_of(company: str) -> str:
    """Return the prefix of the exports of a company's contacts."""
    return f"exports/{company}/"


def message_exports_of(company: str, subject: str) -> str:
    """
    Return the prefix of the exports of messages with one contact; *subject* is a keyed hash of its contact key.

    An erasure of the contact deletes what is under it.
    """
    return f"{exports_of(company)}messages/{subject}/"


def campaigns_of(company: str) -> str:
    """Return the prefix of the recipients of a company's campaigns that are still to be sent to."""
    return f"campaigns/{company}/"


def uploads_of(company: str) -> str:
    """Return the prefix of the files that a company's agents have uploaded to send them, kept for a day."""
    return f"uploads/{company}/"
