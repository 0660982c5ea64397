"""
S3's notifications about stored objects.

Source: Amazon S3 User Guide, "Event message structure": keys are URL-encoded, with `+` for a blank; a new
configuration sends `s3:TestEvent` without records.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote_plus

from shared.runtime.failures import Permanent
from shared.runtime.json_objects import json_object

if TYPE_CHECKING:
    from collections.abc import Mapping

RAW_PREFIX: Final = "raw/"
# SES writes the object when a receipt rule is created, and the text when an event destination is.
SETUP_OBJECT: Final = "AMAZON_SES_SETUP_NOTIFICATION"
_SETUP_TEXT: Final = "Successfully validated SNS topic"
_UNREADABLE: Final = "unreadable_notification"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMail:
    """An object under `raw/`: its key, ETag, size in bytes, and when it was stored (ISO 8601 UTC)."""

    bucket: str
    key: str = field(repr=False)
    etag: str
    size: int
    stored_at: str


def read(body: str) -> dict[str, Any]:
    """
    Parse a notification as SQS delivers it; empty for the message by which SES tests a topic.

    Raises Permanent (`unreadable_notification`).
    """
    if body.startswith(_SETUP_TEXT):
        return {}
    notification = json_object(body)
    if notification is None:
        raise Permanent(_UNREADABLE)
    return notification


def is_notification(event: Mapping[str, Any]) -> bool:
    """Whether an invocation has a bare notification instead of queue records, as `sam local invoke` gives it."""
    records = event.get("Records")
    return isinstance(records, list) and bool(records) and "s3" in records[0]


def mails_in(notification: Mapping[str, Any]) -> list[StoredMail]:
    """Return the mails of a parsed notification. Raises Permanent (`unreadable_notification`)."""
    if not notification or notification.get("Event") == "s3:TestEvent":
        return []
    try:
        found = [_mail(record) for record in notification["Records"]]
    except (KeyError, TypeError, ValueError):
        raise Permanent(_UNREADABLE) from None
    return [
        mail
        for mail in found
        if mail.key.startswith(RAW_PREFIX) and not mail.key.endswith(SETUP_OBJECT)
    ]


def _mail(record: Mapping[str, Any]) -> StoredMail:
    stored = record["s3"]["object"]
    return StoredMail(
        bucket=str(record["s3"]["bucket"]["name"]),
        key=unquote_plus(stored["key"]),
        etag=str(stored.get("eTag", "")).strip('"'),
        size=int(stored["size"]),
        stored_at=str(record["eventTime"]),
    )
