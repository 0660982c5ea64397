"""Time, peak memory and file size of each export format, for the sample issue of the tests of exports."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from local.bench.fresh import told_by
from local.stack.processes import ROOT

if TYPE_CHECKING:
    from local.stack.functions import Function

FORMATS = ("pdf", "docx", "html", "email", "markdown", "text")
ISSUE = ROOT / "tests" / "unit" / "newsletters" / "exports" / "sample.md"
_SOURCES = 4  # that the issue cites


@dataclass(frozen=True)
class Rendering:
    """One process that renders an issue: its import, its first document and the median of later ones."""

    import_ms: float
    first_ms: float
    next_ms: float
    peak_kib: int  # of the whole process
    file_bytes: int


def rendering_of(function: Function, export_format: str) -> Rendering:
    """Render the sample issue in a fresh process with the layers of the function. Raises StackError."""
    content = ISSUE.read_text(encoding="utf-8")
    citations = [
        {
            "n": n,
            "title": f"Source {n}",
            "url": f"https://example.org/sources/{n}",
            "date": "2026-01-30",
        }
        for n in range(1, _SOURCES + 1)
    ]
    asked = {
        "format": export_format,
        "title": content.partition("\n")[0].removeprefix("# "),
        "content": content,
        "citations": citations,
    }
    return Rendering(**told_by("render_once.py", function, given=json.dumps(asked)))
