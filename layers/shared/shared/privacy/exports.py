"""
The objects of one export of a person, under one prefix.

    parts/000001.jsonl    one for each page, joined at the end
    files/...             copies of objects, under their keys
    <name of the lines>   one JSON object for each line
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from shared.aws.stored_objects import Folder
from shared.privacy.views import ExportView, FileView

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.s3 import Bucket

LINK_SECONDS: Final = 3_600
MOST_FILES: Final = 1_000  # of a view
_FILES: Final = "files/"
_PARTS: Final = "parts/"
_TYPE: Final = "application/x-ndjson"
_SPOOLED_BYTES: Final = 8 << 20


@dataclass(frozen=True, slots=True)
class ExportFolder:
    """The folder of a run: *prefix* ends with `/`, *lines* is the name of the joined file."""

    bucket: Bucket
    prefix: str
    lines: str

    def copy(self, key: str) -> str | None:
        """Copy an object of the bucket, and return the copy's name; None if the object is gone. Idempotent."""
        name = f"{_FILES}{key}"
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
        self.bucket.put(f"{self.prefix}{_PARTS}{page:06d}.jsonl", text.encode(), _TYPE)

    def join(self) -> None:
        """Join the parts to one file of lines. Idempotent: the file replaces an earlier one."""
        parts = list(self.bucket.all_keys_under(f"{self.prefix}{_PARTS}"))
        with SpooledTemporaryFile(_SPOOLED_BYTES) as file:
            for part in parts:
                file.write(self.bucket.get(part))
            file.seek(0)
            self.bucket.put_file(f"{self.prefix}{self.lines}", file, _TYPE)

    def view(self) -> ExportView | None:
        """Return links to the lines and to the copies; None if the export has expired or was erased."""
        folder = Folder(self.bucket, self.prefix)
        keys = self.bucket.keys_under(f"{self.prefix}{_FILES}")[:MOST_FILES]
        lines = f"{self.prefix}{self.lines}"
        if lines not in self.bucket.keys_under(lines):
            return None

        def link_to(key: str) -> str:
            return folder.link_to(key, seconds=LINK_SECONDS)

        files = [FileView(name=key.removeprefix(self.prefix), link=link_to(key)) for key in keys]
        return ExportView(lines=link_to(lines), files=files)


def _plain(value: object) -> object:
    """Return a value of DynamoDB as JSON has it."""
    return sorted(value) if isinstance(value, set | frozenset) else str(value)
