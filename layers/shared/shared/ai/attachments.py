"""
Files that models read beside text: what they are by their content, and what they cost.

    PNG, JPEG, GIF, WebP   an image; one that moves is none, because providers read only its first frame or refuse it
    PDF                    a document
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum

IMAGE_TOKENS = 2_000  # most models scale images down to fewer
PAGE_TOKENS = 3_000  # the text of a page and its picture
BYTES_OF_A_PAGE = 50_000  # where pages cannot be counted
_HEAD = 1_024
_PAGE = re.compile(rb"/Type\s*/Page(?![a-zA-Z])")
_COUNT = re.compile(rb"/Type\s*/Pages\b[^>]{0,200}?/Count\s+(\d{1,6})")
_ANIMATED = 0b10  # flag of a WebP in extended format


class Medium(StrEnum):
    """A medium that a model may be able to read beside text."""

    IMAGE = "image"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Attachment:
    """
    A file for a model. *label* is how the text refers to it: letters, digits, spaces; the name that the customer gave
    it is not used, because providers accept few characters.
    """

    medium: Medium
    media_type: str
    label: str
    data: bytes = field(repr=False)

    @property
    def tokens(self) -> int:
        """An estimate of the tokens that a model reads."""
        return tokens_of(self.medium, self.data)


def recognised(data: bytes) -> tuple[Medium, str] | None:
    """Return what a file is, by its content; None if models cannot read it."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return None if b"acTL" in data[:_HEAD] else (Medium.IMAGE, "image/png")
    if data.startswith(b"\xff\xd8\xff"):
        return Medium.IMAGE, "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return None if b"NETSCAPE2.0" in data[:_HEAD] else (Medium.IMAGE, "image/gif")
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        is_animated = data[12:16] == b"VP8X" and data[20:21] and data[20] & _ANIMATED
        return None if is_animated else (Medium.IMAGE, "image/webp")
    if b"%PDF-" in data[:_HEAD]:
        return Medium.DOCUMENT, "application/pdf"
    return None


def tokens_of(medium: Medium, data: bytes) -> int:
    """Return an estimate of the tokens of a file."""
    if medium is Medium.IMAGE:
        return IMAGE_TOKENS
    counted = [len(_PAGE.findall(data)), *map(int, _COUNT.findall(data))]
    pages = max(counted) or -(-len(data) // BYTES_OF_A_PAGE)
    return PAGE_TOKENS * pages
