"""
The ZIP of an exported person: what each context has exported, with an index that people read.

    index.html                          what there is, by context
    <context>-<n>/<lines>.jsonl         one JSON object for each item
    <context>-<n>/files/...             files, mails and long texts
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from shared.privacy.exports import ExportFolder

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Personal data</title>
<h1>Personal data</h1><p>Requested at {requested_at}. Lines have one JSON object for each stored item.</p>
{parts}
</html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """The export of one job: its context, counts by kind, and folder."""

    context: str
    counts: dict[str, int]
    folder: ExportFolder


def write(path: Path, exports: Sequence[Exported], requested_at: str) -> int:
    """Write the ZIP, readable by its owner only, and return the number of its files. Raises OSError."""
    path.touch(mode=0o600)
    parts: list[str] = []
    number = 0
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for n, one in enumerate(exports, start=1):
            folder, names = f"{one.context}-{n}", []
            for key in one.folder.bucket.all_keys_under(one.folder.prefix):
                name = key.removeprefix(one.folder.prefix)
                if name.startswith("parts/"):
                    continue
                with archive.open(f"{folder}/{name}", "w") as stored:
                    for chunk in one.folder.bucket.chunks(key):
                        stored.write(chunk)
                names.append(name)
            number += len(names)
            parts.append(_part(one, folder, names))
        archive.writestr(
            "index.html", _PAGE.format(requested_at=requested_at, parts="\n".join(parts))
        )
    return number


def _part(one: Exported, folder: str, names: Sequence[str]) -> str:
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(one.counts.items())) or "nothing"
    links = "".join(
        f'<li><a href="{quote(f"{folder}/{name}")}">{html.escape(name)}</a></li>' for name in names
    )
    return f"<h2>{html.escape(one.context)}</h2><p>{html.escape(counts)}</p><ul>{links}</ul>"
