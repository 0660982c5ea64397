"""Copies a media file from its provider into our bucket, and checks it against its announcement."""

import base64
import hashlib
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile

from shared.providers import http
from shared.providers.outcomes import InDoubt
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp import transmission
from whatsapp.configuration.folders import file_prefix
from whatsapp.configuration.resources import FileResources
from whatsapp.store.items import Phone
from whatsapp.worker.media import types

# Of the worker's 180 s; look-up, checks and upload take the rest.
DOWNLOAD_MS = 120 * clock.SECOND_MS
_CHUNK = 1 << 20
_SPOOLED_BYTES = 8 << 20  # Larger files are spooled to disk while they are checked.
_OK = 200


class FileRefused(Exception):
    """The file differs from its announcement; `reason` is wrong_hash, wrong_type, too_large or foreign_origin."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Announced:
    """The file as announced in the message; *within_ms*: the time for its download from Graph."""

    kind: str
    mime_type: str
    sha256: str
    within_ms: int = DOWNLOAD_MS


def copy(
    resources: FileResources, phone: Phone, media_id: str, announced: Announced
) -> tuple[str, int]:
    """
    Copy the file into our bucket and check it; return its key and size in bytes.

    Raises FileRefused, Refused, NotSent and InDoubt, and Transient if the copy is not visible yet.
    """
    prefix = file_prefix(phone.company, phone.phone, media_id)
    if phone.provider == "eum":
        return _copy_from_aws(resources, phone, media_id, prefix, announced)
    return _copy_from_graph(resources, phone, media_id, prefix, announced)


def _copy_from_graph(
    resources: FileResources, phone: Phone, media_id: str, prefix: str, announced: Announced
) -> tuple[str, int]:
    token = transmission.token_of(resources, phone)
    listing = resources.graph.media(phone.phone, token, media_id)
    if listing.size_bytes > types.LIMITS[announced.kind].largest_bytes:
        raise FileRefused("too_large")
    key = f"{prefix}file.{types.extension_of(announced.kind, announced.mime_type)}"
    headers = {"Authorization": f"Bearer {token}"}
    try:
        with (
            http.download(listing.url, headers=headers, origins=resources.media_origins) as answer,
            SpooledTemporaryFile(_SPOOLED_BYTES) as file,
        ):
            if answer.status != _OK:
                # The link expires after five minutes; the next delivery requests a new one.
                raise InDoubt(f"download_{answer.status}")
            most_bytes = types.LIMITS[announced.kind].largest_bytes
            for piece in http.pieces(answer, most_bytes=most_bytes, within_ms=announced.within_ms):
                file.write(piece)
            size = file.tell()
            _check(file, announced)
            file.seek(0)
            resources.bucket.put_file(key, file, types.plain(announced.mime_type))
    except http.OriginRefused:
        raise FileRefused("foreign_origin") from None
    except http.TooLarge:
        raise FileRefused("too_large") from None
    return key, size


def _copy_from_aws(
    resources: FileResources, phone: Phone, media_id: str, prefix: str, announced: Announced
) -> tuple[str, int]:
    # The service treats the key as a prefix and appends its own name: read it back, never predict it.
    resources.eum.copy_media(
        transmission.aws_phone_of(phone), media_id, resources.bucket.name, prefix
    )
    keys = resources.bucket.keys_under(prefix)
    if not keys:
        raise Transient("media_not_listed")
    try:
        return keys[0], _checked_object(resources, keys[0], announced)
    except FileRefused:
        for key in keys:
            resources.bucket.delete(key)
        raise


def _checked_object(resources: FileResources, key: str, announced: Announced) -> int:
    """Return the size of a file that AWS wrote to our bucket, checked against its announcement. Raises FileRefused."""
    size = resources.bucket.size(key)
    if size > types.LIMITS[announced.kind].largest_bytes:
        raise FileRefused("too_large")
    with SpooledTemporaryFile(_SPOOLED_BYTES) as file:
        for chunk in resources.bucket.chunks(key):
            file.write(chunk)
        _check(file, announced)
    return size


def _check(file: SpooledTemporaryFile[bytes], announced: Announced) -> None:
    """Check a file against its announcement. Raises FileRefused."""
    file.seek(0)
    if not types.matches_type(announced.kind, announced.mime_type, file.read(types.SNIFFED_BYTES)):
        raise FileRefused("wrong_type")
    file.seek(0)
    actual_hash = hashlib.sha256()
    while chunk := file.read(_CHUNK):
        actual_hash.update(chunk)
    if announced.sha256 and not _is_same_hash(announced.sha256, actual_hash.digest()):
        raise FileRefused("wrong_hash")


def _is_same_hash(announced: str, actual: bytes) -> bool:
    """Whether the webhook's `sha256` matches these bytes. Meta uses base64; hex is accepted too (not confirmed)."""
    return announced in {base64.b64encode(actual).decode(), actual.hex()}
