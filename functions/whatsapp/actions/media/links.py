"""Returns download links to stored files."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.aws.stored_objects import media_of
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import references
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import Input, MessageRef, S3Key, Whole
from whatsapp.actions.dispatch.registration import Group
from whatsapp.api.queries import NotFound
from whatsapp.configuration.folders import media_id_of
from whatsapp.sending.views import View
from whatsapp.store.items import Media

LEGACY = Group("legacy")
LONGEST_SECONDS = 3_600


class LinkRequest(Input):
    """A stored file by its key or by its message. `expirySeconds` above 3,600 counts as 3,600."""

    s3_key: S3Key | None = None
    message_id: MessageRef | None = None
    expiry_seconds: Annotated[Whole, Field(ge=60, le=86_400)] = 900

    @model_validator(mode="after")
    def _names_one_file(self) -> Self:
        if (self.s3_key is None) == (self.message_id is None):
            raise PydanticCustomError("file", "must have exactly one of s3Key, messageId")
        return self


class MediaLink(View):
    """A link that downloads the file as an attachment until *expires_at*."""

    url: str
    expires_at: str
    expiry_seconds: int
    content_type: str | None = None
    content_length: int | None = None


@LEGACY.reads("local", Scope.WHATSAPP_MEDIA)
def get_media_url(call: Call[LinkRequest]) -> MediaLink:
    """
    Return a link that downloads a stored file of the company as an attachment, for at most 3,600 seconds.

    404: the file is unknown, not downloaded yet, or deleted.
    """
    key, filename, record = _found(call)
    folder = media_of(call.resources.bucket, call.company)
    if key is None or not folder.holds(key):
        raise NotFound("the file is not stored")
    seconds = min(call.input.expiry_seconds, LONGEST_SECONDS)
    return MediaLink(
        url=folder.link_to(key, seconds=seconds, filename=filename),
        expires_at=clock.to_text(clock.now_ms() + seconds * clock.SECOND_MS),
        expiry_seconds=seconds,
        content_type=record.content_type if record else None,
        content_length=record.content_length if record else None,
    )


def _found(call: Call[LinkRequest]) -> tuple[str | None, str | None, Media | None]:
    """Return the key of the file, the name for its download, and its record. Raises NotFound and StateConflict."""
    if call.input.s3_key is not None:
        record = _record(call, media_id_of(call.input.s3_key))
        if record is None or record.s3_key != call.input.s3_key:
            raise NotFound("s3Key: file not found")
        return record.s3_key, None, record
    message = references.message_of(call, str(call.input.message_id))
    record = _record(call, message.media_id)
    return message.s3_key, message.filename, record


def _record(call: Call[LinkRequest], media_id: str | None) -> Media | None:
    """Return the company's record of a file that is stored."""
    record = store.media.get(call.table, Media.key(media_id)) if media_id else None
    is_stored = record is not None and record.media_status == "STORED"
    return record if record and is_stored and record.company == call.company else None
