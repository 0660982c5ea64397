"""
The ZIP of an exported person: what each context has exported, with an index that people read.

    <context>-<n>/<lines>.jsonl         one JSON object for each item
    <context>-<n>/files/...             files, mails and long texts
    index.html                          what there is, by context

It is written in parts of an upload, each some megabytes, with the progress in an object beside it: a step that dies is
repeated with the same content. zipfile of Python cannot go on in another process, so the records of the format (PKWARE
APPNOTE 6.3, ZIP64) are written here: sizes and checksums follow each file, and blocks of a file are compressed apart.
"""

from __future__ import annotations

import html
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from botocore.exceptions import ClientError
from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shared.aws.s3 import Bucket

NAME: Final = "person.zip"
PART_BYTES: Final = 5 << 20  # S3 takes no smaller part of an upload, apart from the last one
_MOST_PROGRESS: Final = 32 << 20  # bytes: more than 100,000 files
_TYPE: Final = "application/zip"
_PROGRESS: Final = ".progress"
_END_OF_BLOCKS: Final = b"\x03\x00"  # an empty last block of deflate
_FLAGS: Final = 0x0808  # sizes follow the content; names are in UTF-8
_DEFLATED, _VERSION, _DATE = 8, 45, 0x21
_MODE: Final = 0o600 << 16
_ALL: Final = 0xFFFFFFFF  # the value is in the ZIP64 field
_TITLES: Final = {
    "whatsapp": "WhatsApp: messages, calls, files and conversations",
    "email_threads": "E-mail: mails with their files, and threads",
    "conversations": "Conversations with the assistant",
    "newsletters": "Newsletters: sign-ups, choices and bylines",
    "richpanel": "Help desk: times of automatic replies, and tickets",
    "contacts": "Contact: details, notes, history, lists, consent, and what the inbox shows",
}
_PAGE: Final = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Personal data</title>
<h1>Personal data</h1><p>Requested at {requested_at}. Files of lines (.jsonl) have one JSON object for each stored
item and open in any text editor; mails (.eml) open in a mail program.</p>
{parts}
</html>
"""


@dataclass(frozen=True, slots=True)
class Exported:
    """The export of one job: its context, counts by kind, and the folder."""

    context: str
    counts: dict[str, int]
    bucket: Bucket
    prefix: str


class _Entry(BaseModel):
    """A file of the ZIP: *read* bytes of its object are in *packed* bytes from *offset*, its header included."""

    name: str
    offset: int
    read: int = 0
    packed: int = 0
    crc: int = 0


class _Progress(BaseModel):
    """
    How far an archive is: *size* bytes in parts with these *etags*.

    *part* and *key* name the object that was written last; with *is_open* a part of it is to follow.
    """

    upload: str
    etags: list[str] = []
    size: int = 0
    entries: list[_Entry] = []
    part: int = 0
    key: str = ""
    is_open: bool = False


def step(bucket: Bucket, key: str, exports: Sequence[Exported], requested_at: str) -> bool:
    """Write the next part of the ZIP and return whether it is complete. Idempotent."""
    stored = bucket.bounded(f"{key}{_PROGRESS}", _MOST_PROGRESS)
    if stored is None and is_complete(bucket, key):
        return True
    progress = (
        _Progress.model_validate_json(stored)
        if stored is not None
        else _Progress(upload=bucket.begin_upload(key, _TYPE))
    )
    writer = _Writer(bucket, key, progress)
    try:
        return writer.step(exports, requested_at)
    except ClientError as error:
        if error.response["Error"]["Code"] != "NoSuchUpload":
            raise
    # An earlier attempt of this step has completed the upload, or the bucket has removed it: then it begins anew.
    bucket.delete(f"{key}{_PROGRESS}")
    return is_complete(bucket, key)


def is_complete(bucket: Bucket, key: str) -> bool:
    """Whether the ZIP exists: it has been written, and neither expired nor been erased."""
    return key in bucket.keys_under(key)


class _Writer:
    """Writes the next part of an archive."""

    def __init__(self, bucket: Bucket, key: str, progress: _Progress) -> None:
        self.bucket = bucket
        self.key = key
        self.progress = progress
        self.body = bytearray()

    def step(self, exports: Sequence[Exported], requested_at: str) -> bool:
        for number, one, key in self._objects(exports):
            self._begin(number, one, key)
            position = self.progress.entries[-1].read
            # chunks_from asks for the size of the object first.
            chunks = one.bucket.chunks_from(key, position) if position else one.bucket.chunks(key)
            for chunk in chunks:
                self._add(chunk, level=1 if key.endswith(".jsonl") else 0)
                if len(self.body) >= PART_BYTES:
                    return self._pause()
            self._close()
            if len(self.body) >= PART_BYTES:
                return self._pause()
        page = _index(exports, self.progress.entries, requested_at)
        self._open("index.html")
        self._add(page.encode(), level=1)
        self._close()
        self.body += _directory(self.progress.entries, self._end())
        etags = [*self.progress.etags, self._uploaded()]
        self.bucket.complete_upload(self.key, self.progress.upload, etags)
        self.bucket.delete(f"{self.key}{_PROGRESS}")
        return True

    def _objects(self, exports: Sequence[Exported]) -> Iterator[tuple[int, Exported, str]]:
        """Yield the objects that are not in the archive yet, an open one first."""
        progress = self.progress
        if progress.is_open:
            yield progress.part, exports[progress.part], progress.key
        for number in range(progress.part, len(exports)):
            one = exports[number]
            after = progress.key if progress.part == number else ""
            for found in one.bucket.objects_under(one.prefix, after):
                is_own = one.bucket.name == self.bucket.name and found.key.startswith(self.key)
                if not is_own and not found.key.startswith(f"{one.prefix}parts/"):
                    yield number, one, found.key

    def _begin(self, number: int, one: Exported, key: str) -> None:
        if not self.progress.is_open:
            self._open(f"{_folder(number, one)}/{key.removeprefix(one.prefix)}")
        self.progress.part, self.progress.key, self.progress.is_open = number, key, True

    def _end(self) -> int:
        """Return the size of the archive so far."""
        return self.progress.size + len(self.body)

    def _open(self, name: str) -> None:
        self.progress.entries.append(_Entry(name=name, offset=self._end()))
        sizes = struct.pack("<2H2Q", 1, 16, 0, 0)
        header = struct.pack(
            "<4s5H3L2H",
            *(b"PK\x03\x04", _VERSION, _FLAGS, _DEFLATED, 0, _DATE, 0, _ALL, _ALL),
            *(len(name.encode()), len(sizes)),
        )
        self.body += header + name.encode() + sizes

    def _add(self, content: bytes, *, level: int) -> None:
        entry = self.progress.entries[-1]
        block = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
        packed = block.compress(content) + block.flush(zlib.Z_SYNC_FLUSH)
        entry.crc = zlib.crc32(content, entry.crc)
        entry.read += len(content)
        entry.packed += len(packed)
        self.body += packed

    def _close(self) -> None:
        entry = self.progress.entries[-1]
        entry.packed += len(_END_OF_BLOCKS)
        sizes = struct.pack("<4sL2Q", b"PK\x07\x08", entry.crc, entry.packed, entry.read)
        self.body += _END_OF_BLOCKS + sizes
        self.progress.is_open = False

    def _uploaded(self) -> str:
        number = len(self.progress.etags) + 1
        return self.bucket.upload_part(self.key, self.progress.upload, number, bytes(self.body))

    def _pause(self) -> bool:
        self.progress.etags.append(self._uploaded())
        self.progress.size = self._end()
        progress = self.progress.model_dump_json().encode()
        self.bucket.put(f"{self.key}{_PROGRESS}", progress)
        return False


def _folder(number: int, one: Exported) -> str:
    return f"{one.context}-{number + 1}"


def _directory(entries: Sequence[_Entry], offset: int) -> bytes:
    """Return the central directory of a ZIP, which begins at *offset*."""
    listed = bytearray()
    for one in entries:
        name = one.name.encode()
        sizes = struct.pack("<2H3Q", 1, 24, one.read, one.packed, one.offset)
        listed += struct.pack(
            "<4s4B4H3L5H2L",
            *(b"PK\x01\x02", _VERSION, 3, _VERSION, 0, _FLAGS, _DEFLATED, 0, _DATE, one.crc),
            *(_ALL, _ALL, len(name), len(sizes), 0, 0, 0, _MODE, _ALL),
        )
        listed += name + sizes
    number, size, end = len(entries), len(listed), offset + len(listed)
    listed += struct.pack(
        "<4sQ2H2L4Q",
        *(b"PK\x06\x06", 44, _VERSION, _VERSION, 0, 0, number, number, size, offset),
    )
    listed += struct.pack("<4sLQL", b"PK\x06\x07", 0, end, 1)
    listed += struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, _ALL, _ALL, 0)
    return bytes(listed)


def _index(exports: Sequence[Exported], entries: Sequence[_Entry], requested_at: str) -> str:
    parts = []
    for number, one in enumerate(exports):
        folder = f"{_folder(number, one)}/"
        names = [entry.name for entry in entries if entry.name.startswith(folder)]
        counts = ", ".join(
            f"{kind.lower().replace('_', ' ')}: {count}"
            for kind, count in sorted(one.counts.items())
        )
        links = "".join(
            f'<li><a href="{quote(name)}">{html.escape(name.removeprefix(folder))}</a></li>'
            for name in names
        )
        title = html.escape(_TITLES.get(one.context, one.context))
        parts.append(f"<h2>{title}</h2><p>{html.escape(counts or 'nothing')}</p><ul>{links}</ul>")
    return _PAGE.format(requested_at=requested_at, parts="\n".join(parts))
