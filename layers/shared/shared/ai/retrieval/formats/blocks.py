"""Headings and paragraphs of plain texts and of Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*(?:[ \t]#+[ \t]*)?$")
_UNDERLINE = re.compile(r" {0,3}(?:(=+)|(-+))[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class Block:
    """A heading of *level* 1 to 6, or a paragraph (*level* 0), which may have several lines."""

    level: int
    text: str


def of_text(text: str) -> Iterator[Block]:
    """Yield the paragraphs of a plain text: blank lines separate them."""
    return _paragraphs(text.splitlines())


def of_markdown(text: str) -> Iterator[Block]:
    """
    Yield headings and paragraphs of a Markdown text. Inline marks stay as they are written.

    A fenced block of code is part of a paragraph: its lines are no headings.
    """
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence):
                fence = ""
        heading = None if fence else _heading(line, lines)
        if heading is None:
            lines.append(line)
            continue
        yield from _paragraphs(lines)
        lines.clear()
        if heading.text:
            yield heading
    yield from _paragraphs(lines)


def _heading(line: str, before: list[str]) -> Block | None:
    """Return the heading that *line* is, or that it underlines; then the last line of *before* is removed."""
    if found := _HEADING.match(line):
        return Block(len(found[1]), found[2])
    is_underlined = before and before[-1].strip() and not (before[-2:-1] and before[-2].strip())
    if is_underlined and (found := _UNDERLINE.match(line)):
        return Block(1 if found[1] else 2, before.pop().strip())
    return None


def _paragraphs(lines: list[str]) -> Iterator[Block]:
    paragraph: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            paragraph.append(line.rstrip())
        elif paragraph:
            yield Block(0, "\n".join(paragraph).strip())
            paragraph = []
