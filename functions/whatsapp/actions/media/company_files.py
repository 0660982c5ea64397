"""Finds files of the bucket that a call may name: only files below the prefixes of the caller's company."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from shared.aws.stored_objects import media_of
from whatsapp import store
from whatsapp.api.queries import NotFound
from whatsapp.configuration.folders import uploads_of
from whatsapp.store.items import Media
from whatsapp.worker.media.types import SNIFFED_BYTES, plain

if TYPE_CHECKING:
    from whatsapp.actions.calls.call import Call
    from whatsapp.store.items import Phone

# Without permission to list, S3 reports a missing object as forbidden; 416: an empty one has no first bytes.
_MISSING = frozenset({403, 404})
_EMPTY = 416


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the bucket, with its type as its writer gave it."""

    key: str
    mime_type: str
    size: int
    first_bytes: bytes


def file_of(call: Call[Any], key: str) -> StoredFile:
    """Return a file of the company by its key. Raises NotFound."""
    bucket = call.resources.bucket
    if not key.startswith((uploads_of(call.company), media_of(bucket, call.company).prefix)):
        raise NotFound("s3Key: file not found")
    try:
        size, mime_type = bucket.size(key), bucket.content_type(key)
        first_bytes = bucket.first_bytes(key, SNIFFED_BYTES) if size else b""
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] not in _MISSING | {_EMPTY}:
            raise
        raise NotFound("s3Key: file not found") from None
    return StoredFile(key, plain(mime_type), size, first_bytes)


def record_of(call: Call[Any], phone: Phone, media_id: str) -> Media:
    """Return the record of a file of a number. Raises NotFound."""
    record = store.media.get(call.table, Media.key(media_id))
    if record is None or (record.company, record.phone) != (call.company, phone.phone):
        raise NotFound("mediaId: file not found")
    return record
