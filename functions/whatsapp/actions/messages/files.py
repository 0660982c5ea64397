"""Sends images, videos, audio files, documents and stickers."""

from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import (
    HttpsUrl,
    MediaId,
    MessageRef,
    ReplyInput,
    S3Key,
    SendInput,
    Text,
)
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.messages import provider_files
from whatsapp.sending import files
from whatsapp.sending.drafts import Draft, File
from whatsapp.sending.inputs import FileType
from whatsapp.sending.payloads import of_file, of_text
from whatsapp.store.items import Media, Phone

CORE = Group("core_messaging")

type Caption = Annotated[Text, Field(max_length=1_024)]
type Filename = Annotated[Text, Field(max_length=240)]
type MediaType = Literal["image", "video", "audio", "document"]


class Sourced(Protocol):
    """An input that names a file."""

    s3_key: str | None
    media_id: str | None
    link: str | None


class SendFile(ReplyInput):
    """
    A file: exactly one of `s3Key`, a key of the media bucket below a prefix of the company, `mediaId`, the provider's
    id of an uploaded or received file, and `link`, which the provider fetches.
    """

    s3_key: S3Key | None = None
    media_id: MediaId | None = None
    link: HttpsUrl | None = None

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        check_source(self)
        return self


class SendPicture(SendFile):
    """A file with an optional caption."""

    caption: Caption | None = None


class SendDocument(SendPicture):
    """A document; the customer sees *filename*."""

    filename: Filename | None = None


class SendMedia(SendDocument):
    """A file of one of four types."""

    media_type: MediaType

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        check_type(self.media_type, self.caption, self.filename)
        return self


class SendReply(SendInput):
    """An answer that quotes a message of the conversation: `text`, or `mediaType` with `s3Key`, `mediaId` or `link`."""

    reply_to_message_id: MessageRef
    text: Text | None = None
    media_type: MediaType | None = None
    s3_key: S3Key | None = None
    media_id: MediaId | None = None
    link: HttpsUrl | None = None
    caption: Caption | None = None

    @model_validator(mode="after")
    def _has_one_content(self) -> Self:
        if (self.text is None) == (self.media_type is None):
            raise PydanticCustomError("content", "must have exactly one of text, mediaType")
        if self.media_type is not None:
            check_source(self)
            check_type(self.media_type, self.caption, None)
        elif self.s3_key or self.media_id or self.link or self.caption:
            raise PydanticCustomError("content", "s3Key, mediaId, link and caption need mediaType")
        return self


def check_source(given: Sourced) -> None:
    """Raise PydanticCustomError unless a file has one source."""
    if sum(one is not None for one in (given.s3_key, given.media_id, given.link)) != 1:
        raise PydanticCustomError("source", "must have exactly one of s3Key, mediaId, link")


def check_type(kind: str, caption: str | None, filename: str | None) -> None:
    """Raise PydanticCustomError if a file of this type has no caption or no file name."""
    if caption and kind == "audio":
        raise PydanticCustomError("caption", "caption is for images, videos and documents")
    if filename and kind != "document":
        raise PydanticCustomError("filename", "filename is for documents")


@CORE.sends(Scope.WHATSAPP_SEND)
def send_media(call: Call[SendMedia]) -> Draft:
    """
    Send a file. One of S3 is checked by its first bytes and size, and a copy is kept with the message.

    A `mediaId` works for the number that uploaded or received the file. Missing files, and files of other companies,
    answer 404. A file that only the provider has, and one that it fetches from `link` (an https address with a public
    host name), are checked by their first bytes, too. An id that the provider does not show to the number is refused,
    and so is a link that cannot be read within three seconds, or asks for a login: upload the file. Numbers at AWS send
    no links (`not_supported`).
    """
    given = call.input
    return _draft(call, given.media_type, given.caption, given.filename)


@CORE.sends(Scope.WHATSAPP_SEND)
def send_image(call: Call[SendPicture]) -> Draft:
    """Send a JPEG or PNG of at most 5 MB; as `send_media`."""
    return _draft(call, "image", call.input.caption)


@CORE.sends(Scope.WHATSAPP_SEND)
def send_video(call: Call[SendPicture]) -> Draft:
    """Send an MP4 or 3GP video of at most 16 MB; as `send_media`."""
    return _draft(call, "video", call.input.caption)


@CORE.sends(Scope.WHATSAPP_SEND)
def send_audio(call: Call[SendFile]) -> Draft:
    """Send an audio file of at most 16 MB; as `send_media`. A caption is refused."""
    return _draft(call, "audio")


@CORE.sends(Scope.WHATSAPP_SEND)
def send_document(call: Call[SendDocument]) -> Draft:
    """Send a document of at most 100 MB; as `send_media`. `filename` is shown to the customer."""
    return _draft(call, "document", call.input.caption, call.input.filename)


@CORE.sends(Scope.WHATSAPP_SEND)
def send_sticker(call: Call[SendFile]) -> Draft:
    """Send a WebP sticker: 100 KB, animated 500 KB; as `send_media`."""
    return _draft(call, "sticker")


@CORE.sends(Scope.WHATSAPP_SEND)
def send_reply(call: Call[SendReply]) -> Draft:
    """Send a text or a file that quotes a message of the same conversation."""
    given = call.input
    if given.media_type is None:
        return of_text(given.text or "", given.reply_to_message_id)
    return _draft(call, given.media_type, given.caption)


def _draft(
    call: Call[Any], kind: FileType, caption: str | None = None, filename: str | None = None
) -> Draft:
    given = call.input
    file = file_of(
        call, participants.sender_of(call), kind, given, caption=caption, filename=filename
    )
    return of_file(file, given.reply_to_message_id)


def file_of(
    call: Call[Any],
    phone: Phone,
    kind: FileType,
    given: Sourced,
    *,
    caption: str | None = None,
    filename: str | None = None,
) -> File:
    """Return the file that an input names. Raises NotFound for another company's, and InvalidInput."""
    if given.s3_key is not None:
        key = files.own_key(call.resources.bucket, call.company, given.s3_key, "s3Key")
        return File(type=kind, place="s3Key", key=key, caption=caption, filename=filename)
    if given.link is not None:
        return File(type=kind, place="link", link=given.link, caption=caption, filename=filename)
    named = str(given.media_id)
    record = provider_files.known_media(call, named)
    stored_key = _key_of(call, record) if record else None
    is_usable = record is None or _is_at_provider(record, phone)
    if not is_usable and stored_key is None:
        raise _invalid("mediaId", "was uploaded for another number")
    provider_files.check_id(call, phone, named, kind, place="mediaId", record=record)
    return File(
        type=kind,
        place="mediaId",
        key=stored_key,
        media_id=named if is_usable else None,
        caption=caption,
        filename=filename,
    )


def _key_of(call: Call[Any], record: Media) -> str | None:
    """Return the key of the stored file of a record, None if it has none in our bucket."""
    bucket = call.resources.bucket
    if record.s3_key is None or record.s3_bucket != bucket.name:
        return None
    return files.own_key(bucket, call.company, record.s3_key, "mediaId")


def _is_at_provider(record: Media, phone: Phone) -> bool:
    """Whether the number can send a file by its id: ids of our actions name files of our bucket only."""
    return record.media_id.isdecimal() and record.phone in {None, phone.phone}


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])
