"""Documents and images of the tests of exports."""

import struct
import zlib
from pathlib import Path

from newsletters.exports.document import Citation, Document

IMAGE_URL = "https://images.example.org/rainfall-2026.png"
UPDATED_AT = "2026-03-03T06:30:00Z"

CITATIONS = (
    Citation(
        1,
        "Seasonal outlook, March to May 2026",
        "https://climate.example.org/outlook/mam-2026",
        "2026-02-18",
    ),
    Citation(
        2,
        "Four sorghum varieties under drought: a two-season trial on 96 farms",
        "https://research.example.org/trials/sorghum-2026?view=full&lang=en",
        "2026-01-30",
    ),
    Citation(3, "Weekly livestock survey, February 2026", "", "2026-03-01"),
    Citation(
        4,
        "Early action fund: call for proposals",
        "https://fund.example.org/calls/early-action",
        "",
    ),
    Citation(5, "A source that no marker cites", "https://example.org/uncited", "2026-01-01"),
)


def document(
    content: str,
    *,
    title: str = "March",
    language: str = "en",
    citations: tuple[Citation, ...] = CITATIONS,
) -> Document:
    """A document with this content below its title."""
    return Document(title, language, f"# {title}\n\n{content}", UPDATED_AT, citations)


def sample() -> Document:
    """An issue of two to three pages."""
    content = Path(__file__).with_name("sample.md").read_text()
    title = content.partition("\n")[0].removeprefix("# ")
    return Document(title, "en", content, UPDATED_AT, CITATIONS, "County climate desk")


def png(width: int, height: int) -> bytes:
    """A PNG of bars on a light background."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        )

    bar, ground = bytes((11, 99, 80)), bytes((241, 245, 243))
    lines = (
        b"\0"
        + b"".join(bar if x // 60 % 2 and y > x % 7 * 20 + 40 else ground for x in range(width))
        for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            chunk(b"IHDR", header),
            chunk(b"IDAT", zlib.compress(b"".join(lines))),
            chunk(b"IEND", b""),
        )
    )
