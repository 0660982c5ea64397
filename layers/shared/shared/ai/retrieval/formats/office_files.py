"""
The text of PDF and Word files (`.docx`), within bounds: a file may be broken, or made to exhaust memory and time.

A PDF without a text layer, such as a scan, and an encrypted one are unreadable. Of a Word file the body is read, with
headings and tables, but no deleted text, headers, footers and comments.
"""

from __future__ import annotations

import io
import logging
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from shared.ai.retrieval.formats import blocks
from shared.ai.retrieval.formats.blocks import Block
from shared.ai.retrieval.metadata import Unreadable
from shared.runtime import clock

MOST_PAGES: Final = 500
MOST_CHARACTERS: Final = 2_000_000
MOST_XML_BYTES: Final = 30 << 20
WITHIN_MS: Final = 20 * clock.SECOND_MS  # for the pages of one PDF
_BODY: Final = "word/document.xml"
_WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main "  # before each name
_HEADING: Final = re.compile(r"(?:heading|berschrift|titre|t[ií]tulo|kop)\s*([1-6])", re.IGNORECASE)
_TITLE: Final = frozenset({"title", "titel"})
_CELL_END: Final = " | "


def of_pdf(content: bytes) -> list[Block]:
    """Return the paragraphs of a PDF. Raises Unreadable."""
    try:
        texts = _pages(content)
    except Unreadable:
        raise
    except Exception:  # noqa: BLE001 - the library raises anything for a broken file, which must not stop the index
        raise Unreadable("damaged") from None
    found = [block for text in texts for block in blocks.of_text(text)]
    if not found:
        raise Unreadable("no_text")
    return found


def _pages(content: bytes) -> list[str]:
    from pypdf import PdfReader  # noqa: PLC0415 - most documents are no PDF

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its warnings quote the file
    ends_at = clock.now_ms() + WITHIN_MS
    texts: list[str] = []
    reader = PdfReader(io.BytesIO(content))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable("encrypted")
    for page in reader.pages[:MOST_PAGES]:
        texts.append(page.extract_text())
        if sum(map(len, texts)) > MOST_CHARACTERS or clock.now_ms() > ends_at:
            raise Unreadable("document_too_large")
    return texts


def of_docx(content: bytes) -> list[Block]:
    """Return the headings and paragraphs of a Word file; a row of a table is a paragraph. Raises Unreadable."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package, package.open(_BODY) as body:
            xml = body.read(MOST_XML_BYTES + 1)
    except (KeyError, zipfile.BadZipFile, zlib.error, RuntimeError, OSError, EOFError):
        raise Unreadable("damaged") from None
    if len(xml) > MOST_XML_BYTES:
        raise Unreadable("document_too_large")
    reader = _BodyReader()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.refuse
    try:
        parser.Parse(xml, True)
    except expat.ExpatError:
        raise Unreadable("damaged") from None
    if not reader.found:
        raise Unreadable("no_text")
    return reader.found


@dataclass(slots=True)
class _BodyReader:
    """Collects the blocks of a body; *row* has the paragraphs of the open row of a table."""

    found: list[Block] = field(default_factory=list)
    row: list[str] | None = None
    level: int = 0
    characters: int = 0
    is_text: bool = False
    parts: list[str] = field(default_factory=list)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        match name.removeprefix(_WORD):
            case "p":
                self.level, self.parts = 0, []
            case "pStyle":
                self.level = _level(attributes.get(f"{_WORD}val", ""))
            case "t":
                self.is_text = True
            case "tab" | "br" | "cr":
                self.parts.append(" ")
            case "tr":
                self.row = []

    def end(self, name: str) -> None:
        match name.removeprefix(_WORD):
            case "t":
                self.is_text = False
            case "p":
                self._paragraph(" ".join("".join(self.parts).split()))
            case "tr":
                cells, self.row = self.row or [], None
                self._add(Block(0, _CELL_END.join(cells)))

    def text(self, text: str) -> None:
        if self.is_text:
            self.parts.append(text)
            self.characters += len(text)
            if self.characters > MOST_CHARACTERS:
                raise Unreadable("document_too_large")

    def refuse(self, *_declared: object) -> None:
        raise Unreadable("damaged")

    def _paragraph(self, text: str) -> None:
        self.parts = []
        if self.row is None:
            self._add(Block(self.level, text))
        elif text:
            self.row.append(text)

    def _add(self, block: Block) -> None:
        if block.text:
            self.found.append(block)


def _level(style: str) -> int:
    if style.casefold() in _TITLE:
        return 1
    found = _HEADING.search(style)
    return int(found[1]) if found else 0


def blocks_of(suffix: str, content: bytes) -> list[Block]:
    """Return the blocks of a file with the ending `.pdf` or `.docx`. Raises Unreadable."""
    return of_pdf(content) if suffix == ".pdf" else of_docx(content)
