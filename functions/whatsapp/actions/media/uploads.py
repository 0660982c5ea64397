"""Uploads our files to the provider; messages and templates then name them by media id."""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from whatsapp import store, transmission
from whatsapp.actions.calls import participants, remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import S3Key, SenderInput
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.media import company_files, limits
from whatsapp.actions.media.views import MediaFile, file_view
from whatsapp.sending.failures import ProviderUnavailable, of_not_sent, of_refused
from whatsapp.store.items import Media
from whatsapp.worker.media.downloads import PROVIDER_KEEPS_SECONDS, REFERENCE_SECONDS
from whatsapp.worker.media.types import extension_of

if TYPE_CHECKING:
    from whatsapp.actions.media.company_files import StoredFile
    from whatsapp.store.items import Phone

EUM = Group("eum_media")
LEGACY = Group("legacy")
# Meta's documentation has one name for Opus in Ogg.
_NAMES_AT_META = {"audio/opus": "audio/ogg"}


class Upload(SenderInput):
    """A file of the company: below `uploads/{company}/` or `media/{company}/`."""

    s3_key: S3Key


@EUM.changes("remote_eum", Scope.WHATSAPP_MEDIA, idempotent=False)
def eum_upload_media(call: Call[Upload]) -> MediaFile:
    """
    Upload a stored file to the number's provider and return its media id, which is valid for 30 days.

    Type and size are checked first, by the first bytes: 400 `invalid_input`. If the provider's answer is lost, the
    answer is 503 and the call may be repeated: the first copy stays unused. At numbers on Graph the function holds the
    file in memory, twice for a moment: at most 200 MB, for the largest document.
    """
    return _uploaded(call)


@LEGACY.changes("remote_eum", Scope.WHATSAPP_MEDIA, idempotent=False)
def upload_media(call: Call[Upload]) -> MediaFile:
    """Upload a file as `eum_upload_media` does."""
    return _uploaded(call)


def _uploaded(call: Call[Upload]) -> MediaFile:
    """Check and upload the file, then store the reference. After a crash in between the call uploads it again."""
    phone = participants.sender_of(call)
    file = company_files.file_of(call, call.input.s3_key)
    problems = limits.problems_of(file.mime_type, file.size, file.first_bytes)
    if problems:
        raise InvalidInput([{"field": "s3Key", "problem": problem} for problem in problems])
    media_id, now = _media_id(call, phone, file), clock.now_ms()
    reference = Media(
        pk=Media.key(media_id),
        company=phone.company,
        ttl=clock.expires_in(REFERENCE_SECONDS),
        media_id=media_id,
        s3_bucket=call.resources.bucket.name,
        s3_key=file.key,
        content_type=file.mime_type,
        content_length=file.size,
        uploaded_at=clock.to_text(now),
        expires_at=clock.to_text(now + PROVIDER_KEEPS_SECONDS * clock.SECOND_MS),
        waba_meta_id=phone.waba_meta_id,
        phone=phone.phone,
    )
    return file_view(store.media.add(call.table, reference))


def _media_id(call: Call[Upload], phone: Phone, file: StoredFile) -> str:
    """
    Upload a file in one attempt and return its media id.

    Raises ProviderRejected, ProviderUnavailable, TooFast and NotConfigured.
    """
    try:
        if phone.provider == "eum":
            remote.eum_of(call, phone)
            bucket = call.resources.bucket.name
            return call.resources.eum.upload_media(
                transmission.aws_phone_of(phone), bucket, file.key
            )
        return _to_graph(call, phone, file)
    except Refused as refusal:
        raise of_refused(refusal) from None
    except NotSent as failure:
        raise of_not_sent(failure) from None
    except InDoubt:
        raise ProviderUnavailable(
            "the provider's answer was lost; the call can be repeated, and an unused copy may remain"
        ) from None


def _to_graph(call: Call[Upload], phone: Phone, file: StoredFile) -> str:
    """Upload a file as a form (Meta, "Upload media": POST /{version}/{phone}/media). Raises as `_media_id`."""
    account = remote.graph_of(call, phone)
    boundary = token_hex(16)
    content_type, body = _form(call, file, boundary)
    headers = {"Authorization": f"Bearer {account.token}", "Content-Type": content_type}
    answer = call.resources.graph.upload(f"{phone.phone}/media", headers, body)
    media_id = answer.get("id")
    if not isinstance(media_id, str) or not media_id:
        raise InDoubt("no_media_id")
    return media_id


def _form(call: Call[Upload], file: StoredFile, boundary: str) -> tuple[str, bytes]:
    """Return type and body of the form that uploads a file."""
    extension = extension_of(limits.category_of(file.mime_type), file.mime_type)
    mime_type = _NAMES_AT_META.get(file.mime_type, file.mime_type)
    fields = (("messaging_product", "whatsapp"), ("type", mime_type))
    head = "".join(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in fields
    )
    head += (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="file.{extension}"\r\n'
        f"Content-Type: {mime_type}\r\n\r\n"
    )
    parts = (
        head.encode(),
        *call.resources.bucket.chunks(file.key),
        f"\r\n--{boundary}--\r\n".encode(),
    )
    return f"multipart/form-data; boundary={boundary}", b"".join(parts)
