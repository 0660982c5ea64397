"""The text of a draft: its sections joined, its words counted, one section replaced."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Final

from newsletters.drafting.plan import INTRODUCTION
from newsletters.drafting.text.inline_text import escaped
from newsletters.drafting.text.markdown_tokens import environment, markers_in, read_markers, text_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from markdown_it import MarkdownIt

    from newsletters.store.items import OutlineSection

WORDS_PER_MINUTE: Final = 250
_ADDRESS: Final = re.compile(r"(?i)(?:\b[a-z][a-z0-9+.-]*://|\bwww\.)\S+")
_LINE_END: Final = re.compile(r"\r\n?|\n")  # as the parser counts lines
_NOT_IN_KEY: Final = re.compile(r"[^a-z0-9]+")


def section_keys(sections: Sequence[OutlineSection]) -> list[str]:
    """
    Return the key of each section: its name in ASCII, `section_{order}` if that is empty or taken.

    If that is taken too, a later number applies. Only a section of that kind is `introduction`.
    """
    keys: list[str] = []
    for order, section in enumerate(sections, start=1):
        is_introduction = section.kind == INTRODUCTION and INTRODUCTION not in keys
        slug = INTRODUCTION if is_introduction else _slug(section.name)
        is_free = slug not in {"", *keys} and (is_introduction or slug != INTRODUCTION)
        numbered = (f"section_{number}" for number in count(order))
        keys.append(slug if is_free else next(one for one in numbered if one not in keys))
    return keys


def section_markdown(key: str, name: str, text: str) -> str:
    """Return a section as it is stored: all but the introduction begin with their heading."""
    return text if key == INTRODUCTION else f"## {escaped(name)}\n\n{text}"


def joined(title: str, introduction: str, keys: Sequence[str], sections: Mapping[str, str]) -> str:
    """Return the whole text; *introduction* is the heading of the first section."""
    parts = [f"# {escaped(title)}"]
    for key in keys:
        heading = f"## {escaped(introduction)}\n\n" if key == INTRODUCTION else ""
        parts.append(f"{heading}{sections[key]}")
    return "\n\n".join(parts)


def cited(content: str, earlier_sources: Collection[int] = ()) -> set[int]:
    """Return the numbers of the sources that a text cites; *earlier_sources* as in `Draft`."""
    return markers_in(_parser().parse(content, environment(earlier_sources)))


def word_count(content: str, earlier_sources: Collection[int] = ()) -> int:
    """Return the number of words that a reader sees, without addresses and markers of sources."""
    words = (
        word
        for text in _texts(content, earlier_sources)
        for word in _ADDRESS.sub(" ", text).split()
    )
    return sum(any(sign.isalnum() for sign in word) for word in words)


def read_time(words: int) -> str:
    """Return the time to read: `1 minute`, `5 minutes`."""
    minutes = max(1, math.ceil(words / WORDS_PER_MINUTE))
    return "1 minute" if minutes == 1 else f"{minutes} minutes"


def with_section(content: str, names: Sequence[str], at: int, text: str) -> str | None:
    """
    Return *content* with the text below the heading of section *at* replaced; None if its heading is not there.

    *names* are the headings of all sections in order. A section ends where another one of them begins at level 2; other
    headings of that level belong to its text. Of sections with the same name each must have its heading.
    """
    lines = _LINE_END.split(content)
    wanted = [_plain(escaped(name)) for name in names]
    headings = [one for one in _headings(content) if one.name in wanted]
    found = [one for one in headings if one.name == wanted[at]]
    if len(found) != wanted.count(wanted[at]):
        return None
    heading = found[wanted[:at].count(wanted[at])]
    following = [one.first_line for one in headings if one.first_line >= heading.next_line]
    end = following[0] if following else len(lines)
    kept_before, kept_after = lines[: heading.next_line], lines[end:]
    body = _without_heading(text, wanted[at])
    return "\n".join([*kept_before, "", body.strip(), "", *kept_after]).rstrip("\n")


def _without_heading(text: str, name: str) -> str:
    """Return the text of a section without its own heading, which a read returns at its beginning."""
    first = next(iter(_headings(text)), None)
    if first is None or first.name != name or first.first_line:
        return text
    return "\n".join(_LINE_END.split(text)[first.next_line :])


@dataclass(frozen=True, slots=True)
class _Heading:
    """A heading of level 2: its plain text, its first line and the one after it, from 0."""

    name: str
    first_line: int
    next_line: int


def _headings(content: str) -> list[_Heading]:
    tokens = _parser().parse(content)
    return [
        _Heading(_plain(tokens[position + 1].content), token.map[0], token.map[1])
        for position, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag == "h2" and token.level == 0 and token.map
    ]


def _texts(content: str, earlier_sources: Collection[int] = ()) -> list[str]:
    texts: list[str] = []
    for token in _parser().parse(content, environment(earlier_sources)):
        if token.type in {"fence", "code_block"}:
            texts.append(token.content)
        elif token.type == "inline":
            texts.append(text_of(token.children or ()))
    return texts


def _plain(inline: str) -> str:
    return " ".join("".join(_texts(inline)).split()).casefold()


def _slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    return _NOT_IN_KEY.sub("_", plain).strip("_")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 - status and lists do not need the parser

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    return read_markers(parser)
