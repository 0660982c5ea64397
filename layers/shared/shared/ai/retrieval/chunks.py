"""
Chunks of a document: what the local index stores and finds.

Paragraphs are packed to at most 1,200 characters. A chunk begins with the path of its headings and does not go beyond
its section; it repeats the last paragraph of the chunk before it, if there is room.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from shared.ai.retrieval import metadata
from shared.ai.retrieval.formats import blocks
from shared.ai.retrieval.metadata import Attributes, Unreadable
from shared.ai.retrieval.port import LONGEST_TITLE
from shared.ai.texts.languages.certain_languages import certain_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from shared.ai.retrieval.formats.blocks import Block

MOST_CHARACTERS: Final = 1_200
LONGEST_PATH: Final = 200
LONGEST_SAMPLE: Final = 20_000  # characters that tell the language of a document
MOST_BYTES: Final = 5 << 20  # of one document
# Of these scripts one language has rules for the forms of its words.
_OF_SCRIPT: Final = {"Arab": "ar", "Ethi": "am"}
# The beginnings of files that are no text. Some have only ASCII characters.
_SIGNATURES: Final = {
    b"%PDF-": "PDF",
    b"%!PS": "PostScript",
    b"{\\rtf": "RTF",
    b"PK\x03\x04": "ZIP or Office",
    b"\xd0\xcf\x11\xe0": "Office",
    b"GIF8": "GIF",
    b"\x89PNG": "PNG",
    b"\xff\xd8\xff": "JPEG",
}
_KINDS: Final = {".pdf": "PDF", ".docx": "ZIP or Office"}  # of the files that are read
_BEFORE_SIGNATURE: Final = b"\xef\xbb\xbf \t\r\n"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SENTENCE_END = re.compile(r"[.!?\u061f\u06d4\u0964\u1362\u3002]\s|\n")


@dataclass(frozen=True, slots=True)
class Document:
    """A stored document. *attributes* is its metadata object; None without one. *uri* is its location."""

    name: str
    uri: str
    content: bytes
    attributes: bytes | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """
    One row of the index. *url* and *date* are empty if unknown; *topics* are those of its document.

    *language* is the primary subtag of its document's language, or its script; None if uncertain.
    """

    text: str
    title: str
    url: str
    date: str
    uri: str
    language: str | None = None
    topics: tuple[str, ...] = ()


def chunks_of(document: Document, company_id: str) -> list[Chunk]:
    """Return the chunks of a document in their order. Raises Unreadable; the reason is a code for logs."""
    stated = metadata.of_object(document.attributes) if document.attributes else Attributes()
    if stated.company_id not in {"", company_id}:
        raise Unreadable("company_differs")
    if stated.text_sha256 not in {"", hashlib.sha256(document.content).hexdigest()}:
        # A replacement was interrupted between its two writes: address and date may belong to another text.
        raise Unreadable("metadata_of_another_text")
    if len(document.content) > MOST_BYTES:
        raise Unreadable("document_too_large")
    if wrong_kind(document.name, document.content):
        raise Unreadable("file_of_another_kind")
    found, content = _content(document.name, document.content)
    known = stated.completed_by(found)
    title = known.title or _first_heading(content) or PurePosixPath(document.name).stem
    language = _language("\n".join(block.text for block in content))
    of_all = (title[:LONGEST_TITLE], known.url, known.date, document.uri, language, known.topics)
    return [Chunk(text, *of_all) for text in _packed(content, title)]


def _language(text: str) -> str | None:
    found = certain_language(text[:LONGEST_SAMPLE])
    return _OF_SCRIPT.get(found, found) if found else None


def file_kind(content: bytes) -> str:
    """Return the kind of a file that is no text, by its first bytes, not by its name; empty for a text."""
    start = content[:64].lstrip(_BEFORE_SIGNATURE)
    found = (kind for signature, kind in _SIGNATURES.items() if start.startswith(signature))
    return next(found, "")


def wrong_kind(name: str, content: bytes) -> str:
    """Return the kind of a file whose content is not what its name says; empty if it is."""
    kind, expected = file_kind(content), _KINDS.get(PurePosixPath(name).suffix.lower(), "")
    return "" if kind == expected else kind or "text"


def _content(name: str, content: bytes) -> tuple[Attributes, list[Block]]:
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in _KINDS:
        from shared.ai.retrieval.formats import office_files  # noqa: PLC0415 - most documents are texts

        read = office_files.blocks_of(suffix, content)
        return Attributes(), [replace(one, text=_CONTROL.sub("", one.text)) for one in read]
    try:
        text = _CONTROL.sub("", content.decode("utf-8-sig").replace("\r\n", "\n"))
    except UnicodeDecodeError:
        raise Unreadable("not_utf_8") from None
    match suffix:
        case ".md":
            found, body = metadata.split_front_matter(text)
            return found, list(blocks.of_markdown(body))
        case ".html":
            from shared.ai.retrieval.formats import html  # noqa: PLC0415 - most documents are no HTML

            return Attributes(title=html.title_of(text)), list(html.of_html(text))
        case _:
            return Attributes(), list(blocks.of_text(text))


def _first_heading(content: Iterable[Block]) -> str:
    return next((" ".join(block.text.split()) for block in content if block.level == 1), "")


def _packed(content: Iterable[Block], title: str) -> Iterator[str]:
    headings: list[tuple[int, str]] = []
    paragraphs: list[str] = []
    for block in content:
        if block.level == 0:
            paragraphs.append(block.text)
            continue
        yield from _section(_path(headings, title), paragraphs)
        paragraphs.clear()
        headings = [(level, text) for level, text in headings if level < block.level]
        headings.append((block.level, " ".join(block.text.split())))
    yield from _section(_path(headings, title), paragraphs)


def _path(headings: Iterable[tuple[int, str]], title: str) -> str:
    """Return the headings above a paragraph, without the title: each passage has it anyway."""
    return " > ".join(text for _, text in headings if text != title)[:LONGEST_PATH]


def _section(path: str, paragraphs: Iterable[str]) -> Iterator[str]:
    room = MOST_CHARACTERS - (len(path) + 2 if path else 0)
    pieces = [piece for paragraph in paragraphs for piece in _pieces(paragraph, room)]
    packed: list[str] = []
    for piece in pieces:
        if packed and _length([*packed, piece]) > room:
            yield _joined(path, packed)
            packed = packed[-1:] if _length([packed[-1], piece]) <= room else []
        packed.append(piece)
    if packed:
        yield _joined(path, packed)


def _joined(path: str, pieces: Iterable[str]) -> str:
    return "\n\n".join([path, *pieces] if path else pieces)


def _length(pieces: list[str]) -> int:
    return sum(map(len, pieces)) + 2 * (len(pieces) - 1)


def _pieces(paragraph: str, room: int) -> Iterator[str]:
    """Yield a paragraph in pieces that fit, cut after a sentence if possible, else at a blank."""
    while len(paragraph) > room:
        window = paragraph[:room]
        ends = [found.end() for found in _SENTENCE_END.finditer(window)]
        at = ends[-1] if ends else window.rfind(" ") + 1
        at = at or room
        if piece := paragraph[:at].strip():
            yield piece
        paragraph = paragraph[at:]
    if paragraph.strip():
        yield paragraph.strip()
