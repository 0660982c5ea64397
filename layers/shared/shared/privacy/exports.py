"""
The objects of one export of a person, under one prefix.

    parts/000001.jsonl    one for each page, joined at the end, 5 MB in a step
    files/...             copies of objects, under their keys
    <name of the lines>   one JSON object for each line
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final, TypedDict

from botocore.exceptions import ClientError

from shared.aws.stored_objects import Folder
from shared.privacy.views import ExportView, FileView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shared.aws.s3 import Bucket, StoredObject

LINK_SECONDS: Final = 3_600
MOST_FILES: Final = 1_000  # of a view
_FILES: Final = "files/"
_PARTS: Final = "parts/"
_TYPE: Final = "application/x-ndjson"
# S3 takes no smaller part of an upload, apart from the last one.
JOINED_BYTES: Final = 5 << 20
_PARALLEL_READS: Final = 8


class Joining(TypedDict):
    """
    How far a join is: its upload, the key of the last joined part, and an ETag for each 5 MB.

    Part of the job's item, which has room for the ETags of 30 GB.
    """

    upload: str
    after: str
    etags: list[str]


@dataclass(frozen=True, slots=True)
class ExportFolder:
    """The folder of a run: *prefix* ends with `/`, *lines* is the name of the joined file, *type* its content type."""

    bucket: Bucket
    prefix: str
    lines: str
    type: str = _TYPE

    def copy(self, key: str, suffix: str = "") -> str | None:
        """
        Copy an object of the bucket, and return the copy's name, which ends with *suffix*; None if the object is gone.
        Idempotent.
        """
        name = f"{_FILES}{key.removesuffix(suffix)}{suffix}"
        try:
            self.bucket.copy(key, f"{self.prefix}{name}")
        except ClientError as error:
            if error.response["Error"]["Code"] in {"NoSuchKey", "404"}:
                return None
            raise
        return name

    def put_part(self, page: int, lines: Iterable[dict[str, object]]) -> None:
        """Write the lines of a page. Idempotent."""
        text = "".join(
            f"{json.dumps(line, default=_plain, ensure_ascii=False)}\n" for line in lines
        )
        self.put_text(page, text)

    def put_text(self, page: int, text: str) -> None:
        """Write the text of a page. Idempotent."""
        self.bucket.put(f"{self.prefix}{_PARTS}{page:06d}.jsonl", text.encode(), self.type)

    def join(self, joining: Mapping[str, Any] | None) -> Joining | None:
        """
        Join the next 5 MB of the parts to one file of lines; return the progress, None once the file is complete.

        Idempotent: a repeated step writes the same, and one that died before its progress was stored leaves at most an
        upload, which the bucket removes.
        """
        try:
            return self._joined(joining)
        except ClientError as error:
            if joining is None or error.response["Error"]["Code"] != "NoSuchUpload":
                raise
        # An earlier attempt of this step has completed the upload, or the bucket has removed it.
        return None if self._is_complete() else self._joined(None)

    def _joined(self, joining: Mapping[str, Any] | None) -> Joining | None:
        key = f"{self.prefix}{self.lines}"
        parts = self.bucket.objects_under(
            f"{self.prefix}{_PARTS}", joining["after"] if joining else ""
        )
        step: list[StoredObject] = []
        for part in parts:
            step.append(part)
            if sum(one.size for one in step) >= JOINED_BYTES:
                break
        is_last = next(parts, None) is None
        body = self._content(step)
        if joining is None and is_last:
            self.bucket.put_file(key, BytesIO(body), self.type)
            return None
        upload = joining["upload"] if joining else self.bucket.begin_upload(key, self.type)
        etags = [*joining["etags"]] if joining else []
        if body:
            etags.append(self.bucket.upload_part(key, upload, len(etags) + 1, body))
        if is_last:
            self.bucket.complete_upload(key, upload, etags)
            return None
        return Joining(upload=upload, after=step[-1].key, etags=etags)

    def _content(self, parts: Sequence[StoredObject]) -> bytes:
        """Return the joined content of some parts."""
        with ThreadPoolExecutor(_PARALLEL_READS) as pool:
            return b"".join(pool.map(self.bucket.get, [part.key for part in parts]))

    def _is_complete(self) -> bool:
        lines = f"{self.prefix}{self.lines}"
        return lines in self.bucket.keys_under(lines)

    def view(self) -> ExportView | None:
        """Return links to the lines and to the copies; None if the export has expired or was erased."""
        folder = Folder(self.bucket, self.prefix)
        keys = self.bucket.keys_under(f"{self.prefix}{_FILES}")[:MOST_FILES]
        if not self._is_complete():
            return None

        def link_to(key: str) -> str:
            return folder.link_to(key, seconds=LINK_SECONDS)

        files = [FileView(name=key.removeprefix(self.prefix), link=link_to(key)) for key in keys]
        return ExportView(lines=link_to(f"{self.prefix}{self.lines}"), files=files)


def _plain(value: object) -> object:
    """Return a value of DynamoDB as JSON has it."""
    return sorted(value) if isinstance(value, set | frozenset) else str(value)
