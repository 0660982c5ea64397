"""
Checks files that a message names by an id of the provider or by a link, before it is sent, by their first bytes.

    record with a stored file        its type, which its first bytes had when it was stored
    other ids at Graph               the type that Graph names, and the first bytes behind its link
    other ids at AWS                 the type that AWS names, and the first bytes of a copy that is deleted again
    links                            `files.check_link`

A file that the provider does not show passes: the provider refuses the message, or sends it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shared.api.errors import InvalidInput
from shared.aws.sqs_fifo import digest
from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent, Refused
from shared.runtime import clock
from shared.runtime.failures import Permanent
from whatsapp import store, transmission
from whatsapp.actions.calls import participants
from whatsapp.api.queries import NotFound
from whatsapp.configuration.folders import file_prefix
from whatsapp.sending import files
from whatsapp.store.items import Media
from whatsapp.worker.media.types import LIMITS, SNIFFED_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from whatsapp.actions.calls.call import Call
    from whatsapp.sending.inputs import FileType
    from whatsapp.store.items import Phone

_FOUND = frozenset({200, 206})
_GONE = frozenset({"FAILED", "EXPIRED", "REVOKED"})
# Files in objects of the provider, such as headers, and what they are sent as.
_IN_OBJECTS: Mapping[str, FileType] = {
    "image": "image",
    "video": "video",
    "gif": "video",
    "document": "document",
}
# After so many links that could not be read, a run of many messages leaves further ones to the provider.
_MOST_UNREAD = 3


@dataclass(slots=True)
class Checks:
    """The files that a run of many messages has checked, so that each is looked at once: None, or its refusal."""

    results: dict[tuple[str, str], InvalidInput | NotFound | None] = field(default_factory=dict)
    unread: int = 0


def check_files(
    call: Call[Any],
    part: object,
    place: str,
    phone: Phone | None = None,
    checks: Checks | None = None,
) -> None:
    """
    Check the files in an object of the provider, by id or link. *place*: the field of the request that it is. *phone*:
    the sending number, by default that of the input. *checks*: those of the messages before.

    Raises NotFound for another company's file, and InvalidInput for one that is of another type.
    """
    checks = checks or Checks()
    until = clock.now_ms() + files.LINKED_WITHIN_MS
    for name, kind, file in _files_in(part, place):
        source = "id" if "id" in file else "link"
        named = file.get(source)
        if named is None or (source == "link" and not isinstance(named, str)):
            continue
        key = (kind, f"{source} {named}")
        if key not in checks.results:
            try:
                if source == "id":
                    check_named(call, str(named), kind, f"{name}.id", phone)
                elif clock.now_ms() < until and checks.unread < _MOST_UNREAD:
                    # All of a message within the time of one: the others are left to the provider.
                    left_ms = until - clock.now_ms()
                    checks.unread += not files.check_link(kind, named, f"{name}.link", left_ms)
            except (InvalidInput, NotFound) as refusal:
                checks.results[key] = refusal
            else:
                checks.results[key] = None
        known = checks.results[key]
        if known is not None:
            raise known


def known_media(call: Call[Any], media_id: str, place: str = "mediaId") -> Media | None:
    """Return our record of a file at the provider, None if there is none. Raises NotFound for another company's."""
    record = store.media.get(call.table, Media.key(media_id))
    if record is not None and (record.company != call.company or record.media_status in _GONE):
        raise NotFound(f"{place}: file not found")
    return record


def check_named(
    call: Call[Any], media_id: str, kind: FileType, place: str, phone: Phone | None = None
) -> None:
    """Check a file with an id at the provider, ours or not. Raises NotFound for another company's, and InvalidInput."""
    record = known_media(call, media_id, place)
    check_id(call, phone, media_id, kind, place=place, record=record)


def check_id(
    call: Call[Any],
    phone: Phone | None,
    media_id: str,
    kind: FileType,
    *,
    place: str,
    record: Media | None,
) -> None:
    """Check a file with an id at the provider before it is sent as *kind*; *record*: ours. Raises InvalidInput."""
    if record is not None and record.s3_key is not None:
        files.check_type(kind, record.content_type or "", place)
        return
    phone = phone or participants.sender_of(call)
    try:
        if phone.provider == "eum":
            mime_type, first_bytes = _beginning_at_aws(call, phone, media_id, kind, place)
        else:
            mime_type, first_bytes = _beginning_at_graph(call, phone, media_id)
    except (Refused, NotSent, InDoubt, Permanent, http.OriginRefused, http.TooLarge):
        return
    if first_bytes is None:
        files.check_type(kind, mime_type, place)
    else:
        files.check_beginning(kind, mime_type, first_bytes, place)


def _files_in(part: object, place: str) -> Iterator[tuple[str, FileType, dict[str, Any]]]:
    """Yield the files in an object of the provider: the place of each, and what it is sent as."""
    if isinstance(part, list):
        for index, entry in enumerate(part):
            yield from _files_in(entry, f"{place}.{index}")
    if not isinstance(part, dict):
        return
    for name, value in part.items():
        if name in _IN_OBJECTS and isinstance(value, dict):
            yield f"{place}.{name}", _IN_OBJECTS[name], value
        yield from _files_in(value, f"{place}.{name}")


def _beginning_at_graph(call: Call[Any], phone: Phone, media_id: str) -> tuple[str, bytes | None]:
    """Return the type and the first bytes of a file; None for bytes that Graph's host does not send."""
    token = transmission.token_of(call.resources, phone)
    listing = call.resources.graph.media(phone.phone, token, media_id)
    headers = {
        "Authorization": f"Bearer {token}",
        "Range": f"bytes=0-{SNIFFED_BYTES - 1}",
        "Accept-Encoding": "identity",
    }
    with http.download(
        listing.url, headers=headers, origins=call.resources.media_origins
    ) as answer:
        if answer.status not in _FOUND:
            return listing.mime_type, None
        found = b""
        # A piece may be short, so that the next one exceeds what is wanted.
        for piece in http.pieces(
            answer, most_bytes=2 * SNIFFED_BYTES, within_ms=files.LINKED_WITHIN_MS, of=SNIFFED_BYTES
        ):
            found += piece
            if len(found) >= SNIFFED_BYTES:
                break
        return listing.mime_type, found[:SNIFFED_BYTES]


def _beginning_at_aws(
    call: Call[Any], phone: Phone, media_id: str, kind: FileType, place: str
) -> tuple[str, bytes | None]:
    """
    Return the type and the first bytes of a file; None for bytes of one that is not copied. AWS shows content only by
    copying the whole file: one of another type, or too large to be sent, is not.

    Raises InvalidInput, Refused, NotSent and InDoubt.
    """
    number, bucket = transmission.aws_phone_of(phone), call.resources.bucket
    listing = call.resources.eum.call(
        "get_whatsapp_message_media",
        originationPhoneNumberId=number,
        mediaId=media_id,
        metadataOnly=True,
    )
    mime_type = str(listing.get("mimeType", ""))
    files.check_type(kind, mime_type, place)
    if int(listing.get("fileSize") or 0) > LIMITS[kind].largest_bytes:
        return mime_type, None
    # A copy of its own: the folder of the id may get the file of a message meanwhile.
    folder = file_prefix(phone.company, phone.phone, digest("checked file", media_id, call.id))
    call.resources.eum.copy_media(number, media_id, bucket.name, folder)
    keys = bucket.keys_under(folder)
    try:
        return mime_type, bucket.first_bytes(keys[0], SNIFFED_BYTES) if keys else None
    finally:
        for key in keys:
            bucket.delete(key)
