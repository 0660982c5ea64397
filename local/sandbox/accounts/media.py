"""
The media of customers in the sandbox: small generated files with fixed ids.

Sample events contain these ids; `WEBHOOK_MEDIA` has the webhook's data of each file.
"""

import base64
import hashlib
import mimetypes
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

JPEG_IMAGE = "1003383421387256"
PNG_IMAGE = "1003383421387257"
PDF_DOCUMENT = "1003383421387258"
OGG_VOICE = "1003383421387259"
MP4_VIDEO = "1003383421387260"
WEBP_STICKER = "1003383421387261"
EXECUTABLE_AS_JPEG = "1003383421387262"
WRONG_HASH = "1003383421387263"
GONE = "1003383421387264"


class WebhookMedia(NamedTuple):
    """The data of a file in a webhook; `sha256` is in base64, as in Meta's webhooks."""

    filename: str
    mime_type: str
    sha256: str


@dataclass(frozen=True)
class MediaFile:
    """One stored file. `announced` is the SHA-256 that the provider reports, which may be wrong."""

    media_id: str
    filename: str
    mime_type: str
    content: bytes
    announced: bytes
    gone: bool = False

    @property
    def webhook_sha256(self) -> str:
        """The digest as webhooks write it: base64 (the examples in Meta's webhook reference)."""
        return base64.b64encode(self.announced).decode()

    @property
    def listing_sha256(self) -> str:
        """The digest as `GET /{media id}` writes it: hex, by answers seen in public."""
        return self.announced.hex()


def stored(
    media_id: str,
    filename: str,
    mime_type: str,
    content: bytes,
    *,
    announced_for: bytes | None = None,
) -> MediaFile:
    """Return a stored file; with *announced_for* it reports the digest of that content."""
    digest = hashlib.sha256(content if announced_for is None else announced_for).digest()
    return MediaFile(media_id, filename, mime_type, content, digest)


def library(folder: Path | None) -> dict[str, MediaFile]:
    """
    Return all media by id: the built-in ones and the files `<media id>.<extension>` of *folder*.

    Raises ValueError if a file name is no media id, is already used, or has an unknown type.
    """
    files = dict(BUILT_IN)
    for path in sorted(folder.iterdir()) if folder else ():
        mime_type = mimetypes.guess_type(path.name)[0]
        if not (path.stem.isascii() and path.stem.isalnum()) or path.stem in files or not mime_type:
            raise ValueError(f"{path.name}: must be <unused media id>.<known extension>")
        files[path.stem] = stored(path.stem, path.name, mime_type, path.read_bytes())
    return files


def _jpeg() -> bytes:
    """One grey pixel, baseline: each table holds the single code that this picture needs."""
    header = (
        b"\xff\xe0"
        + struct.pack(">H", 16)
        + b"JFIF\0\x01\x01\0"
        + struct.pack(">HH", 1, 1)
        + b"\0\0"
    )
    quantisation = b"\xff\xdb" + struct.pack(">H", 67) + b"\0" + bytes([1] * 64)
    frame = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, 1, 1, 1) + b"\x01\x11\0"
    one_code = bytes([1] + [0] * 15) + b"\0"  # a code of one bit, for the value 0
    tables = b"".join(
        b"\xff\xc4" + struct.pack(">H", 20) + kind + one_code for kind in (b"\0", b"\x10")
    )
    scan = b"\xff\xda" + struct.pack(">H", 8) + b"\x01\x01\0\0\x3f\0" + b"\x3f"
    return b"\xff\xd8" + header + quantisation + frame + tables + scan + b"\xff\xd9"


def _png() -> bytes:
    """One grey pixel, stored: what a compressor makes of it may differ from build to build."""
    row = b"\0\x80"
    block = b"\x78\x01\x01" + struct.pack("<HH", len(row), 0xFFFF ^ len(row)) + row
    chunks = {
        b"IHDR": struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0),
        b"IDAT": block + struct.pack(">I", zlib.adler32(row)),
        b"IEND": b"",
    }
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks.items()
    )


def _pdf() -> bytes:
    """One empty page."""
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>",
    )
    document = b"%PDF-1.4\n"
    offsets = b""
    for number, body in enumerate(objects, start=1):
        offsets += b"%010d 00000 n \n" % len(document)
        document += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"xref\n0 4\n0000000000 65535 f \n" + offsets
    return (
        document
        + table
        + b"trailer\n<</Size 4/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % len(document)
    )


def _ogg() -> bytes:
    """The first page of an Opus stream (RFC 7845): the identification header, no sound."""
    opus_head = b"OpusHead" + struct.pack("<BBHIhB", 1, 1, 0, 48_000, 0, 0)
    before = b"OggS\0\x02" + struct.pack("<qII", 0, 1, 0)
    after = bytes([1, len(opus_head)]) + opus_head
    return before + struct.pack("<I", _ogg_crc(before + bytes(4) + after)) + after


def _ogg_crc(page: bytes) -> int:
    """Ogg's checksum: zlib's polynomial, but highest bit first and without inversion."""
    crc = 0
    for byte in page:
        crc ^= byte << 24
        for _ in range(8):
            crc = ((crc << 1) ^ (0x04C11DB7 if crc & 0x80000000 else 0)) & 0xFFFFFFFF
    return crc


def _mp4() -> bytes:
    """The file type box and an empty media box: enough to be recognised, nothing to play."""
    brands = b"isom" + struct.pack(">I", 512) + b"isomiso2mp41"
    return struct.pack(">I", 8 + len(brands)) + b"ftyp" + brands + struct.pack(">I", 8) + b"mdat"


def _webp() -> bytes:
    """One black pixel, lossless: 1 x 1, and five code tables of one symbol, which need no data."""
    # From the lowest bit: 32 for width-1, height-1, alpha and version, all 0; one 0 each for no
    # transform, no colour cache, no further tables; five times "simple, one symbol, 1 bit wide: 0".
    bits = 0b0001_0001_0001_0001_0001_000 << 32
    image = b"\x2f" + bits.to_bytes(7, "little")
    chunk = b"VP8L" + struct.pack("<I", len(image)) + image
    return b"RIFF" + struct.pack("<I", 4 + len(chunk)) + b"WEBP" + chunk


def _executable() -> bytes:
    """The headers of a Windows program: MZ, with the offset of PE where the loader looks for it."""
    return b"MZ" + bytes(58) + struct.pack("<I", 64) + b"PE\0\0" + struct.pack("<H", 0x8664)


BUILT_IN: Mapping[str, MediaFile] = {
    file.media_id: file
    for file in (
        stored(JPEG_IMAGE, "photo.jpg", "image/jpeg", _jpeg()),
        stored(PNG_IMAGE, "drawing.png", "image/png", _png()),
        stored(PDF_DOCUMENT, "receipt.pdf", "application/pdf", _pdf()),
        stored(OGG_VOICE, "voice.ogg", "audio/ogg; codecs=opus", _ogg()),
        stored(MP4_VIDEO, "clip.mp4", "video/mp4", _mp4()),
        stored(WEBP_STICKER, "sticker.webp", "image/webp", _webp()),
        stored(EXECUTABLE_AS_JPEG, "holiday.jpg", "image/jpeg", _executable()),
        stored(WRONG_HASH, "tampered.jpg", "image/jpeg", _jpeg(), announced_for=b"other bytes"),
        MediaFile(GONE, "old.jpg", "image/jpeg", b"", hashlib.sha256(b"once").digest(), gone=True),
    )
}

WEBHOOK_MEDIA: Mapping[str, WebhookMedia] = {
    media_id: WebhookMedia(file.filename, file.mime_type, file.webhook_sha256)
    for media_id, file in BUILT_IN.items()
}
