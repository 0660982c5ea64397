"""The input and the output of a rendering."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_RTL: Final = frozenset({"ar", "fa", "he", "ur", "ps", "ckb", "dv", "yi"})
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Citation:
    """A source of the draft: its number *n*, its URL or empty if not public, its date YYYY-MM-DD or empty."""

    n: int
    title: str
    url: str
    date: str


@dataclass(frozen=True, slots=True)
class Document:
    """
    The draft as it is rendered.

    *content* is the effective content in Markdown and begins with `# title`. *language* is a BCP 47 tag, *updated_at*
    is YYYY-MM-DDTHH:MM:SSZ. *preheader* is the preview line of an e-mail; if empty, the first paragraph is used.
    *earlier_sources* as in the draft.
    """

    title: str
    language: str
    content: str
    updated_at: str
    citations: tuple[Citation, ...]
    author: str = ""
    preheader: str = ""
    earlier_sources: frozenset[int] = frozenset()

    @property
    def lang(self) -> str:
        """The language tag, `en` if it is malformed."""
        return self.language if _LANGUAGE.fullmatch(self.language) else "en"

    @property
    def primary_language(self) -> str:
        """The primary subtag of the language, in lower case: `pt` for `pt-BR`."""
        return self.lang.partition("-")[0].lower()

    @property
    def direction(self) -> str:
        """`rtl` or `ltr`."""
        return "rtl" if self.primary_language in _RTL else "ltr"

    @property
    def updated(self) -> datetime:
        """The time of the last change, with the zone UTC; ValueError if it is malformed."""
        return datetime.strptime(self.updated_at, "%Y-%m-%dT%H:%M:%S%z")


@dataclass(frozen=True, slots=True)
class Rendered:
    """
    A rendered document. Warnings: `missing_glyph`, `image_unreadable`, `image_without_text`, `mail_too_large`.

    *section_bytes* has the size of each section of a mail that is too large, by its heading.
    """

    body: bytes
    warnings: tuple[str, ...]
    section_bytes: Mapping[str, int] = field(default_factory=dict)
