"""Uploads samples of template headers, which the provider's reviewers see."""

from typing import Any

from botocore.exceptions import ClientError

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import digest
from shared.aws.stored_objects import MEDIA_PREFIX
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import remote
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.inputs import S3Key
from whatsapp.actions.dispatch.registration import Group
from whatsapp.actions.templates import accounts
from whatsapp.actions.templates.accounts import EumAccountInput, EumTemplates
from whatsapp.api.queries import NotFound
from whatsapp.configuration.folders import uploads_of
from whatsapp.sending.views import View
from whatsapp.store.items.accounts.templates import TemplateMedia
from whatsapp.worker.media.types import LIMITS, SNIFFED_BYTES, plain, refusal_of

EUM = Group("eum_templates")
# MIME type of a sample -> the kind of file that it is.
TYPES = {
    "image/jpeg": "image",
    "image/png": "image",
    "video/mp4": "video",
    "application/pdf": "document",
}
_FIND = "call again with another Idempotency-Key; an unused sample has no effect"
_PDF = b"%PDF"
_MISSING = frozenset(
    {403, 404}
)  # Without permission to list, S3 reports a missing object as forbidden.


class CreateTemplateMedia(EumAccountInput):
    """A file of the media bucket, under a prefix of the caller's company."""

    s3_key: S3Key


class TemplateSample(View):
    """A sample; *header_handle* belongs in `example.header_handle` of a header. Kept for 30 days."""

    media_id: str
    header_handle: str
    content_type: str
    content_length: int


@EUM.changes("remote_eum", Scope.WHATSAPP_TEMPLATES, idempotent=False)
def eum_create_template_media(call: Call[CreateTemplateMedia]) -> TemplateSample:
    """
    Upload a sample for a template's header: JPEG or PNG of 5 MB, MP4 of 16 MB, PDF of 100 MB.

    The type is checked by the file's first bytes.
    """
    return upload(call, accounts.on_eum(call), call.input.s3_key)


def upload(call: Call[Any], account: EumTemplates, key: str, *parts: str) -> TemplateSample:
    """Upload a sample once per idempotency key. Raises NotFound, InvalidInput, and as `remote.once`."""
    size, content_type = _checked(call, key)
    bucket = call.resources.bucket

    def attempt() -> str | None:
        answer = account.resources.eum.call(
            "create_whatsapp_message_template_media",
            id=account.waba,
            sourceS3File={"bucketName": bucket.name, "key": key},
        )
        handle = answer.get("metaHeaderHandle")
        return str(handle) if handle else None

    handle = remote.once(call, account.phone, _FIND, attempt, *parts)
    media = TemplateMedia(
        pk=TemplateMedia.key(digest(handle)),
        company=call.company,
        ttl=clock.expires_in((TemplateMedia.ttl_days or 0) * clock.DAY_SECONDS),
        media_id=digest(handle),
        waba_id=account.waba,
        s3_bucket=bucket.name,
        s3_key=key,
        content_type=content_type,
        content_length=size,
        uploaded_at=clock.to_text(clock.now_ms()),
        header_handle=handle,
    )
    store.cached_templates.add_media(call.table, media)
    return TemplateSample(
        media_id=media.media_id,
        header_handle=handle,
        content_type=content_type,
        content_length=size,
    )


def _checked(call: Call[Any], key: str) -> tuple[int, str]:
    """Return size and MIME type of a file of the company. Raises NotFound and InvalidInput."""
    bucket = call.resources.bucket
    if not key.startswith((f"{MEDIA_PREFIX}{call.company}/", uploads_of(call.company))):
        raise NotFound("s3Key: file not found")
    try:
        size, content_type = bucket.size(key), plain(bucket.content_type(key))
        first_bytes = bucket.first_bytes(key, SNIFFED_BYTES) if size else b""
    except ClientError as error:
        if error.response["ResponseMetadata"]["HTTPStatusCode"] not in _MISSING:
            raise
        raise NotFound("s3Key: file not found") from None
    kind = TYPES.get(content_type)
    if kind is None:
        raise _invalid(f"must be of one of the types {', '.join(TYPES)}")
    if not 0 < size <= LIMITS[kind].largest_bytes:
        raise _invalid(f"must have 1 to {LIMITS[kind].largest_bytes} bytes")
    is_pdf = kind != "document" or first_bytes.startswith(_PDF)
    refusal = refusal_of(kind, content_type, first_bytes)
    if refusal is not None or not is_pdf:
        raise _invalid(refusal or "the file's content differs from its type")
    return size, content_type


def _invalid(problem: str) -> InvalidInput:
    return InvalidInput([{"field": "s3Key", "problem": problem}])
