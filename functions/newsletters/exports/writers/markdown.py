"""
Writes Markdown: the content as it was typed, and the sources.

Content with raw HTML, or with a link that other programs would follow and we do not, is written anew from its blocks,
so that they remain text there too.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from newsletters.exports.blocks import (
    Alignment,
    Block,
    Break,
    Code,
    CodeBlock,
    Emphasis,
    Figure,
    Heading,
    Inline,
    Items,
    LeftToRight,
    Link,
    Marker,
    Paragraph,
    Quote,
    Rule,
    Source,
    Sources,
    Strike,
    Strong,
    Table,
    Text,
)
from newsletters.exports.document import Document, Rendered
from newsletters.exports.tree import clean, is_safe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.exports.images import Image

_SPECIAL: Final = re.compile(r"[\\`*_\[\]<>&~|!#]")
_AT_START: Final = re.compile(r"^(\s*\d*)([-+=.)])")  # of a line: an item, the line under a heading
_SIDES: Final = {
    Alignment.START: "---",
    Alignment.LEFT: ":--",
    Alignment.CENTER: ":-:",
    Alignment.RIGHT: "--:",
}


def write(document: Document, blocks: Sequence[Block], _images: Mapping[str, Image]) -> Rendered:
    """Render Markdown (CommonMark with tables) in UTF-8."""
    content = clean(document.content).strip("\n")
    if is_safe(content):
        # The last two blocks are the sources and their heading.
        added = blocks[-2:] if blocks and isinstance(blocks[-1], Sources) else ()
        text = "\n\n".join([content, *map(_block, added)])
    else:
        text = "\n\n".join(map(_block, blocks))
    return Rendered((text + "\n").encode(errors="replace"), ())


def escaped(text: str) -> str:
    """Return text in which no character is markup."""
    return _SPECIAL.sub(r"\\\g<0>", text)


def _block(block: Block) -> str:  # noqa: PLR0911 - a branch per kind of block
    match block:
        case Heading(level, children):
            return f"{'#' * level} {_inlines(children)}"
        case Paragraph(children):
            return _paragraph(children)
        case Quote(blocks):
            return _prefixed("> ", "> ", _blocks(blocks))
        case CodeBlock(text):
            fence = "`" * (max((len(run) for run in re.findall("`+", text)), default=2) + 1)
            fence = fence if len(fence) >= 3 else "```"  # noqa: PLR2004 - the shortest fence
            return f"{fence}\n{text}\n{fence}"
        case Rule():
            return "* * *"
        case Items():
            return _items(block)
        case Table(alignments, header, rows):
            return "\n".join(
                [
                    _row(header),
                    f"| {' | '.join(_SIDES[side] for side in alignments)} |",
                    *map(_row, rows),
                ]
            )
        case Figure(url, alt, link):
            image = f"![{escaped(alt)}](<{url}>)"
            return f"[{image}](<{link}>)" if link else image
        case Sources(entries):
            return "\n".join(map(_source, entries))


def _blocks(blocks: Sequence[Block]) -> str:
    return "\n\n".join(map(_block, blocks))


def _paragraph(children: Sequence[Inline]) -> str:
    return "\n".join(_AT_START.sub(r"\1\\\2", line) for line in _inlines(children).split("\n"))


def _items(block: Items) -> str:
    signs = (
        "- " if block.start is None else f"{block.start + at}. " for at in range(len(block.items))
    )
    gap = "\n" if block.tight else "\n\n"
    return gap.join(
        _prefixed(sign, " " * len(sign), gap.join(map(_block, item)))
        for sign, item in zip(signs, block.items, strict=True)
    )


def _prefixed(first: str, others: str, text: str) -> str:
    head, *rest = text.split("\n")
    return "\n".join([first + head, *((others + line).rstrip() for line in rest)])


def _row(cells: Sequence[tuple[Inline, ...]]) -> str:
    return f"| {' | '.join(_inlines(cell).replace('\n', ' ') for cell in cells)} |"


def _inlines(children: Sequence[Inline]) -> str:
    return "".join(map(_inline, children))


def _inline(child: Inline) -> str:  # noqa: PLR0911 - a branch per kind of inline content
    match child:
        case Text(text) | LeftToRight(text):
            return escaped(text)
        case Code(text):
            ticks = "`" * (max((len(run) for run in re.findall("`+", text)), default=0) + 1)
            return (
                f"{ticks} {text} {ticks}"
                if text[:1] in "` " or text[-1:] in "` "
                else f"{ticks}{text}{ticks}"
            )
        case Break():
            return "\\\n"
        case Marker(n, url):
            return f"[[{n}]](<{url}>)" if url else f"[{n}]"
        case Strong(inner):
            return f"**{_inlines(inner)}**"
        case Emphasis(inner):
            return f"*{_inlines(inner)}*"
        case Strike(inner):
            return f"~~{_inlines(inner)}~~"
        case Link(url, inner):
            return f"[{_inlines(inner)}](<{url}>)"


def _source(source: Source) -> str:
    title = _inlines(source.title)
    linked = f"[{title}](<{source.url}>)" if source.url else title
    return f"- \\[{source.n}\\] {linked}" + (f", {escaped(source.date)}" if source.date else "")
