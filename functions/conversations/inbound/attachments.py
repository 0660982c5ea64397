"""Copies customers' files and long texts to the bucket; files are downloaded from allowed origins only."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from conversations.configuration.folders import folder_of
from conversations.outbound.providers.twilio_accounts import file_proof
from conversations.store import due, messages
from conversations.store.items.log import DueKind, Message
from shared.aws.sqs_fifo import digest
from shared.aws.stored_objects import (
    FOREIGN_KEY,
    MEDIA_PREFIX,
    Folder,
    ObjectUnusable,
    media_of,
    record,
)
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime import clock

if TYPE_CHECKING:
    from urllib3.response import BaseHTTPResponse

    from conversations.configuration.credentials import Credentials
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation
    from shared.aws.s3 import Bucket

MOST_FILES = 10
LARGEST_FILE_BYTES = 16 << 20
LONGEST_INLINE_BYTES = 16 << 10
SHOWN_CHARACTERS = 4_000
WITHIN_MS = 8 * clock.SECOND_MS
AGAIN_MS = 120 * clock.SECOND_MS
MOST_ATTEMPTS = 5
MOST_HOPS = 3
PENDING, AWAITED, STORED, FAILED = "pending", "awaited", "stored", "failed"
# Other contexts copy the files of these providers into the bucket. From any other provider an `s3://` URL is refused.
_WITH_COPIES = frozenset({"meta", "aws_social", "ses"})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# A file may be available shortly after its webhook, and a provider may be busy.
_NOT_YET = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS})


@dataclass(slots=True, kw_only=True, eq=False)
class AttachmentDependencies:
    """Storage, the allowed origins of downloads, and the secrets that Twilio requires for its files."""

    resources: Resources
    origins: tuple[str, ...]
    credentials: Credentials
    twilio_url: str


def shortened(bucket: Bucket, ref: str, message: Message) -> Message:
    """Return the message with text short enough for an item; the full text of a longer one is stored in the bucket."""
    encoded = message.content.encode("utf-8", "surrogatepass")
    if len(encoded) <= LONGEST_INLINE_BYTES:
        return message
    key = f"{folder_of(bucket, ref).prefix}text-{message.entry_id}"
    bucket.put(key, encoded, "text/plain; charset=utf-8")
    shown = message.content[:SHOWN_CHARACTERS]
    return message.model_copy(update={"content": shown, "content_key": key})


def copied_key(bucket: Bucket, provider: str | None, url: str) -> str | None:
    """Return the key of a file that another context copied into the bucket; None for any other URL."""
    try:
        return Folder(bucket, MEDIA_PREFIX).key_in(url) if provider in _WITH_COPIES else None
    except ObjectUnusable:
        return None


def is_of_company(bucket: Bucket, company_id: str, key: str) -> bool:
    """Return whether a copied file is the company's. If not, logs and counts it: no message may link to it."""
    is_own = media_of(bucket, company_id).holds(key)
    if not is_own:
        record(ObjectUnusable(FOREIGN_KEY), "media")
    return is_own


def keep(
    deps: AttachmentDependencies, opened: OpenConversation, message: Message, *, attempts: int = 0
) -> bool:
    """
    Copy a message's files; schedules a retry, up to `MOST_ATTEMPTS`, for those not available yet. Idempotent.

    Returns whether no retry is pending.
    """
    if not message.media or message.media_state != PENDING:
        return True
    from shared.providers import http  # noqa: PLC0415 - few messages have files

    bucket = deps.resources.bucket
    files: list[dict[str, str]] = []
    state = STORED
    for position, file in enumerate(message.media[:MOST_FILES]):
        if "key" in file or "url" not in file:
            files.append(file)
            continue
        key = copied_key(bucket, message.provider, file["url"])
        if key is not None and not is_of_company(bucket, opened.company.company_id, key):
            files.append({**file, "refused": FOREIGN_KEY})
            continue
        try:
            key = key or _copy(deps, opened, message, position, file["url"])
            files.append({**file, "key": key})
        except (http.OriginRefused, http.TooLarge) as refusal:
            files.append({**file, "refused": type(refusal).__name__})
        except (NotSent, InDoubt):
            files.append(file)
            state = PENDING if attempts < MOST_ATTEMPTS else FAILED
    sk = message.sk(message.message_timestamp, message.entry_id)
    facts = Message.named(media=files, media_state=state)
    messages.update(deps.resources.log, opened.ref, sk, facts)
    is_done = state != PENDING
    if not is_done:
        wait = AGAIN_MS * 2**attempts
        due.put(deps.resources.log, opened.ref, DueKind.MEDIA, clock.now_ms() + wait, message_sk=sk)
    return is_done


def _copy(
    deps: AttachmentDependencies,
    opened: OpenConversation,
    message: Message,
    position: int,
    url: str,
) -> str:
    """
    Copy one file and return its key. Raises OriginRefused, TooLarge, NotSent and InDoubt.

    Twilio redirects to a URL that is valid for a few hours. Its host must be an allowed origin too and receives no
    credentials. (Twilio, "Protect Media Access with HTTP Basic Authentication".)
    """
    from shared.providers import http  # noqa: PLC0415 - as above

    folder = folder_of(deps.resources.bucket, opened.ref)
    key = f"{folder.prefix}file-{digest(message.entry_id, str(position))[:24]}"
    for _ in range(MOST_HOPS):
        headers = file_proof(deps.credentials, deps.twilio_url, opened, url)
        with http.download(url, headers=headers, origins=deps.origins) as answer:
            if answer.status in _REDIRECTS:
                url = urljoin(url, answer.headers.get("location", ""))
                continue
            _keep(deps, key, answer)
            return key
    raise http.OriginRefused("too many redirects")


def _keep(deps: AttachmentDependencies, key: str, answer: BaseHTTPResponse) -> None:
    from shared.providers import http  # noqa: PLC0415 - as above

    if answer.status in _NOT_YET or answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        raise InDoubt(f"media_{answer.status}")
    if answer.status != HTTPStatus.OK:
        raise http.OriginRefused("file not found")
    with tempfile.SpooledTemporaryFile(max_size=1 << 20) as file:
        for piece in http.pieces(answer, most_bytes=LARGEST_FILE_BYTES, within_ms=WITHIN_MS):
            file.write(piece)
        file.seek(0)
        kind = answer.headers.get("content-type", "application/octet-stream")
        deps.resources.bucket.put_file(key, file, kind)
