"""
Files that are sent: uploaded by a form to our bucket, stored in it before, linked on the web, or at the provider.

    uploads/{company}/{upload}                       uploaded by the form; S3 deletes it after a day
    media/{company}/...                              files of the company's messages
    media/{company}/{phone}/{action}/file.{ext}      the copy that was sent, kept with its message

Graph fetches files by link: a web link, or a short-lived link to the bucket. End User Messaging takes files of S3 only.

A file is checked by its first bytes: of the bucket, of a web link, or, by the provider's own link, of one that only the
provider has. A link that cannot be read is refused: the provider would be told to send a file that no rule has seen.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from shared.api.errors import InvalidInput
from shared.aws.stored_objects import Folder, media_of
from shared.providers import linked_files
from shared.providers.http import OriginRefused
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from whatsapp import store, transmission
from whatsapp.api.queries import NotFound
from whatsapp.configuration.folders import file_prefix, uploads_of
from whatsapp.inbound.content import PREVIEW_CHARACTERS
from whatsapp.sending.drafts import File
from whatsapp.sending.failures import NotSupported, ProviderUnavailable, of_refused
from whatsapp.sending.views import UploadView
from whatsapp.store.items import Media
from whatsapp.worker.media.types import (
    LARGEST_STILL_STICKER_BYTES,
    LIMITS,
    SNIFFED_BYTES,
    extension_of,
    is_animated,
    plain,
    refusal_of,
    type_of,
)

if TYPE_CHECKING:
    from shared.aws.s3 import Bucket
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.sending.drafts import Draft
    from whatsapp.sending.inputs import MediaInput, UploadInput
    from whatsapp.store.items import Phone

FORM_SECONDS = 15 * 60
LINKED_WITHIN_MS = 3 * clock.SECOND_MS
LINK_SECONDS = 15 * 60
_MISSING = frozenset(
    {403, 404}
)  # Without permission to list, S3 reports a missing object as forbidden.


def of_input(company: str, media: MediaInput) -> File:
    """Return the file that a request of the inbox names."""
    return File(
        type=media.type,
        place="media.link" if media.link else "media.upload",
        key=uploads_of(company) + media.upload if media.upload else None,
        link=media.link,
        caption=media.caption,
        filename=media.filename,
        is_upload=media.upload is not None,
    )


def own_key(bucket: Bucket, company: str, key: str, place: str) -> str:
    """Return the key of a file if it lies in a folder of the company's files. Raises NotFound for any other key."""
    folders = (Folder(bucket, uploads_of(company)), media_of(bucket, company))
    if not any(folder.holds(key) for folder in folders):
        raise NotFound(f"{place}: file not found")
    return key


def upload_form(bucket: Bucket, company: str, upload: str, body: UploadInput) -> UploadView:
    """Return the form that uploads one file; *upload* is its id. Raises InvalidInput."""
    limit = LIMITS[body.type]
    mime_type = plain(body.mime_type)
    if body.type != "document" and mime_type not in limit.extensions:
        allowed = ", ".join(sorted(limit.extensions))
        raise _invalid("mimeType", f"must be one of {allowed} for the type {body.type}")
    url, fields = bucket.upload_form(
        uploads_of(company) + upload,
        content_type=mime_type,
        largest_bytes=limit.largest_bytes,
        seconds=FORM_SECONDS,
    )
    return UploadView(
        upload=upload,
        url=url,
        fields=fields,
        largest_bytes=limit.largest_bytes,
        expires_in_seconds=FORM_SECONDS,
    )


def shown(media: File) -> dict[str, Any]:
    """Return the fields of `Message` of a file, as far as they are known before it is sent."""
    named = f"[document] {media.filename}" if media.filename else ""
    preview = media.caption or named or f"[{media.type}]"
    return {
        "type": media.type,
        "caption": media.caption,
        "filename": media.filename,
        "preview": preview[:PREVIEW_CHARACTERS],
        "content": where(media) or None,
    }


def where(media: File) -> dict[str, str]:
    """Return `link` or `id` of a file that has one; nothing for a file of our bucket only."""
    named = {"link": media.link, "id": media.media_id}
    return {name: value for name, value in named.items() if value}


def content(media: File, source: dict[str, str]) -> dict[str, Any]:
    """Return Meta's JSON of a file; *source* has its `link` or `id`."""
    more = {"caption": media.caption, "filename": media.filename}
    return source | {name: value for name, value in more.items() if value}


def placed(resources: SendingResources, phone: Phone, action_id: str, draft: Draft) -> Draft:
    """
    Return the draft with the file where the number's provider takes it; a draft without a file as it is. Repeatable.

    Raises InvalidInput, NotSupported, ProviderRejected and ProviderUnavailable.
    """
    media = draft.media
    if media is None:
        return draft
    if media.link is not None:
        if phone.provider == "eum":
            raise NotSupported(f"{media.place}: numbers at AWS send files that were uploaded")
        check_link(media.type, media.link, media.place)
        return draft
    if media.key is None:
        return replace(draft, shown=draft.shown | {"media_id": media.media_id})
    try:
        record = _kept(resources, phone, action_id, media, media.key)
    except NotFound:
        if media.media_id is None:
            raise
        # An upload is deleted after a day. The provider keeps the file that it was checked as, for a month.
        return replace(draft, shown=draft.shown | {"media_id": media.media_id})
    source = (
        {"id": media.media_id} if media.media_id else _source(resources, phone, str(record.s3_key))
    )
    stored = {
        "media_id": record.media_id,
        "mime_type": record.content_type,
        "s3_bucket": record.s3_bucket,
        "s3_key": record.s3_key,
    }
    return replace(draft, content=content(media, source), shown=draft.shown | stored)


def check_link(kind: str, link: str, place: str, within_ms: int = LINKED_WITHIN_MS) -> None:
    """
    Check a file on the web that shall be sent as *kind*, by its first bytes.

    Raises InvalidInput, and LinkUnread, which is one, if it cannot be read within *within_ms*.
    """
    try:
        beginning = linked_files.beginning_of(link, most_bytes=SNIFFED_BYTES, within_ms=within_ms)
    except linked_files.Missing:
        raise _invalid(place, "the link leads to no file") from None
    except OriginRefused:
        raise _invalid(place, "must be an https URL with a public host name") from None
    except linked_files.Unreadable as failure:
        raise LinkUnread(place, failure.status) from None
    check_beginning(kind, beginning.mime_type, beginning.first_bytes, place)


class LinkUnread(InvalidInput):
    """A file by link that cannot be read, so that its type is not known. *status*: the answer of its host, if any."""

    def __init__(self, place: str, status: int | None) -> None:
        found = f"its host answers {status}" if status else "its host does not answer in time"
        rule = "a link must be open to everyone, without a login"
        problem = f"unreadable link: {found}; {rule}. Try again, or upload the file"
        super().__init__([{"field": place, "problem": problem}])
        self.has_answer = status is not None


def check_type(kind: str, mime_type: str, place: str) -> None:
    """Check the type of a file whose content is not known; an empty type passes. Raises InvalidInput."""
    accepted = LIMITS[kind].extensions
    if mime_type and kind != "document" and plain(mime_type) not in accepted:
        listed = ", ".join(sorted(accepted))
        raise _invalid(place, f"a file that is sent as {kind} must be one of {listed}")


def check_beginning(kind: str, mime_type: str, first_bytes: bytes, place: str) -> None:
    """Check the beginning of a file that its host calls *mime_type*. Raises InvalidInput."""
    if not first_bytes:
        raise _invalid(place, "the file is empty")
    refusal = refusal_of(kind, type_of(kind, mime_type, first_bytes), first_bytes)
    if refusal is not None:
        raise _invalid(place, refusal)


def _kept(
    resources: SendingResources, phone: Phone, action_id: str, media: File, source: str
) -> Media:
    """
    Check a file of our bucket, copy it for its message, and record it under the action's id, by which an erasure finds
    it.

    Raises InvalidInput, and NotFound for a missing file that is no upload.
    """
    bucket = resources.bucket
    try:
        size, named = bucket.size(source), bucket.content_type(source)
        first_bytes = bucket.first_bytes(source, SNIFFED_BYTES) if size else b""
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] not in _MISSING:
            raise
        if not media.is_upload:
            raise NotFound(f"{media.place}: file not found") from None
        raise _invalid(media.place, "no file has been uploaded, or more than a day ago") from None
    largest = LIMITS[media.type].largest_bytes
    if media.type == "sticker" and not is_animated(first_bytes):
        largest = LARGEST_STILL_STICKER_BYTES
    if not size:
        raise _invalid(media.place, "the file is empty")
    if size > largest:
        raise _invalid(media.place, f"a file of this type has at most {largest} bytes")
    # The provider goes by the type: one that is none of its own, such as image/jpg, is corrected.
    found = type_of(media.type, named, first_bytes)
    mime_type = named if found == plain(named) else found
    refusal = refusal_of(media.type, mime_type, first_bytes)
    if refusal is not None:
        raise _invalid(media.place, refusal)
    folder = file_prefix(phone.company, phone.phone, action_id)
    record = Media(
        pk=Media.key(action_id),
        company=phone.company,
        media_id=action_id,
        media_status="STORED",
        s3_bucket=bucket.name,
        s3_key=f"{folder}file.{extension_of(media.type, mime_type)}",
        content_type=mime_type,
        content_length=size,
        uploaded_at=clock.to_text(clock.now_ms()),
        waba_meta_id=phone.waba_meta_id,
        phone=phone.phone,
    )
    store.media.add(resources.table, record)
    bucket.copy(source, str(record.s3_key), None if mime_type == named else mime_type)
    return record


def _source(resources: SendingResources, phone: Phone, key: str) -> dict[str, str]:
    """
    Return the reference by which the provider gets a file of our bucket. Raises ProviderRejected and
    ProviderUnavailable.
    """
    bucket = resources.bucket
    if phone.provider == "graph":
        return {"link": bucket.link_to(key, seconds=LINK_SECONDS)}
    try:
        # Repeated after a lost answer: the first copy stays unused.
        return {
            "id": resources.eum.upload_media(transmission.aws_phone_of(phone), bucket.name, key)
        }
    except Refused as refusal:
        raise of_refused(refusal) from None
    except (NotSent, InDoubt):
        raise ProviderUnavailable("the provider did not take the file; nothing was sent") from None


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])
