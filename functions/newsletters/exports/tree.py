"""Markdown -> block tree. The only module that parses markup; raw HTML and unsafe links stay text."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from markdown_it import MarkdownIt

from newsletters.drafting.text.markdown_tokens import (
    MARKER,
    environment,
    flat,
    is_source,
    read_markers,
)
from newsletters.exports.blocks import (
    Alignment,
    Block,
    CodeBlock,
    Figure,
    Heading,
    Inline,
    Items,
    Paragraph,
    Quote,
    Rule,
    Source,
    Sources,
    Strong,
    Table,
    Text,
    plain,
)
from newsletters.exports.inlines import InlineReader, in_order
from newsletters.exports.labels import labels
from newsletters.exports.links import safe_url

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from markdown_it.token import Token

    from newsletters.exports.document import Citation, Document

DEEPEST: Final = (
    6  # lists and quotes inside each other; deeper ones lose their frame, never their text
)
UNTITLED: Final = "Newsletter"
_NESTING: Final = 100  # of the parser, which leaves out deeper content
_ALIGNMENTS: Final = {f"text-align:{side}": side for side in ("left", "center", "right")}
_INVISIBLE: Final = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})  # categories of characters
# Not allowed in XML, or no characters at all.
_INVALID: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def tree(document: Document, shown: Container[str] = ()) -> tuple[Block, ...]:
    """
    Return the blocks of a document: title, content, and the sources that its markers cite.

    *shown* has the URLs of the images to display; other images become their alternative text with a link.
    """
    citations = {citation.n: citation for citation in document.citations}
    reader = InlineReader(
        {n: safe_url(found.url) for n, found in citations.items()},
        shown,
        is_rtl=document.direction == "rtl",
    )
    content = clean(document.content)
    builder = _Builder(reader)
    for token in _parser(strict=True).parse(content, environment(document.earlier_sources)):
        builder.add(token)
    blocks = _with_title(builder.frames[0], document, content)
    entries = tuple(
        _source(found, document.direction)
        for n, found in sorted(citations.items())
        if n in reader.cited
    )
    if entries:
        heading = Text(labels(document.primary_language).sources)
        blocks += [Heading(2, (heading,)), Sources(entries)]
    return tuple(_ordered(blocks))


def image_urls(content: str) -> list[str]:
    """Return the https URLs of the images in Markdown, each once, as `tree` looks them up."""
    tokens = _parser(strict=True).parse(clean(content))
    urls = dict.fromkeys(str(one.attrs["src"]) for one in flat(tokens) if one.type == "image")
    return [url for url in urls if url.startswith("https://")]


def clean(text: str) -> str:
    """Return text in NFC; characters that XML does not allow become U+FFFD."""
    return _INVALID.sub("\ufffd", unicodedata.normalize("NFC", text))


def _is_visible(text: str) -> bool:
    return any(unicodedata.category(character) not in _INVISIBLE for character in text)


def is_safe(content: str) -> bool:
    """
    Tell whether content means the same to a parser that allows all: it has no raw HTML, no link or image that `tree`
    refuses, and no marker, whose link leads into our list of sources.
    """
    environment: dict[str, Any] = {}
    tokens = _parser(strict=False).parse(content, environment)
    urls = [str(reference["href"]) for reference in environment.get("references", {}).values()]
    for token in flat(tokens):
        if token.type in {"html_block", "html_inline", MARKER}:
            return False
        urls += [str(token.attrs[name]) for name in ("href", "src") if name in token.attrs]
    return all(map(safe_url, urls))


def _parser(*, strict: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": not strict, "maxNesting": _NESTING})
    parser.enable(["table", "strikethrough"])
    # The markup of a refused link is displayed as text.
    parser.validateLink = lambda url: not strict or is_source(url) or bool(safe_url(url))  # type: ignore[method-assign]  # as documented
    return read_markers(parser)


@dataclass(slots=True)
class _Builder:
    """Collects blocks; *frames* has the open containers, innermost last."""

    reader: InlineReader
    frames: list[list[Block]] = field(default_factory=lambda: [[]])
    items: list[list[tuple[Block, ...]]] = field(default_factory=list)  # of the open lists
    starts: list[int | None] = field(default_factory=list)
    tight: list[bool] = field(default_factory=list)
    cells: list[list[tuple[Inline, ...]]] = field(default_factory=list)  # of the open table, by row
    alignments: list[Alignment] = field(default_factory=list)
    inside: str = ""  # the opening token around inline content
    heading: int = 0

    def add(self, token: Token) -> None:  # noqa: C901 - a branch per kind of token
        """Add the next token."""
        match token.type:
            case "inline":
                self._inline(token)
            case "fence" | "code_block":
                self.frames[-1].append(CodeBlock(token.content.rstrip("\n")))
            case "hr":
                self.frames[-1].append(Rule())
            case "heading_open" | "paragraph_open" | "th_open" | "td_open":
                self._open_leaf(token)
            case "blockquote_open" | "list_item_open":
                self.frames.append([])
            case "blockquote_close":
                blocks = self.frames.pop()
                self._close([Quote(tuple(blocks))] if blocks else [], blocks)
            case "list_item_close":
                self.items[-1].append(tuple(self.frames.pop()))
            case "bullet_list_open" | "ordered_list_open":
                ordered = token.type == "ordered_list_open"
                self.starts.append(int(token.attrs.get("start", 1)) if ordered else None)
                self.items.append([])
                self.tight.append(True)
            case "bullet_list_close" | "ordered_list_close":
                self._close_list()
            case "tr_open":
                self.cells.append([])
            case "table_close":
                self._close_table()

    def _open_leaf(self, token: Token) -> None:
        self.inside = token.type
        if token.type == "heading_open":
            self.heading = int(token.tag[1:])
        elif token.type == "paragraph_open" and self.tight and not token.hidden:
            self.tight[-1] = False
        elif token.type == "th_open":
            self.alignments.append(
                Alignment(_ALIGNMENTS.get(str(token.attrs.get("style")), Alignment.START))
            )

    def _inline(self, token: Token) -> None:
        children = token.children or []
        if self.inside == "paragraph_open":
            for part in self.reader.flow(children):
                self.frames[-1].append(part if isinstance(part, Figure) else Paragraph(part))
            return
        content = self.reader.text(children)
        if self.inside != "heading_open":
            self.cells[-1].append(content)
        elif _is_visible(plain(content)):
            # In a list or a quotation it is no heading of the document.
            nested = len(self.frames) > 1
            self.frames[-1].append(
                Paragraph((Strong(content),)) if nested else Heading(self.heading, content)
            )

    def _close(self, framed: list[Block], content: list[Block]) -> None:
        depth = len(self.frames) + len(self.items)
        self.frames[-1] += framed if depth <= 2 * DEEPEST else content

    def _close_list(self) -> None:
        items, start, tight = self.items.pop(), self.starts.pop(), self.tight.pop()
        content = [block for item in items for block in item]
        self._close([Items(start, tight, tuple(items))], content)

    def _close_table(self) -> None:
        header, *rows = (tuple(row) for row in self.cells)
        self.frames[-1].append(Table(tuple(self.alignments), header, tuple(rows)))
        self.cells, self.alignments = [], []


def _source(citation: Citation, direction: str) -> Source:
    """Return the entry of a citation. Without a title it shows its URL."""
    title, url = clean(citation.title), safe_url(citation.url)
    return Source(citation.n, in_order(title or url, direction), url, clean(citation.date))


def _with_title(blocks: Sequence[Block], document: Document, content: str) -> list[Block]:
    """Put the title first; if the first line is the title as typed, its punctuation is no markup."""
    title = clean(document.title)
    title = " ".join(title.split()) if _is_visible(title) else UNTITLED
    shown = in_order(title, document.direction)
    first = blocks[0] if blocks else None
    if not (isinstance(first, Heading) and first.level == 1):
        return [Heading(1, shown), *blocks]
    line = content.lstrip().partition("\n")[0]
    if " ".join(line.removeprefix("#").split()) == title or plain(first.children) == title:
        first = Heading(1, shown)
    return [first, *blocks[1:]]


def _ordered(blocks: Sequence[Block]) -> list[Block]:
    """Leave one heading of level 1, the first block, and close gaps between levels."""
    ordered: list[Block] = []
    level = 1
    for at, block in enumerate(blocks):
        if isinstance(block, Heading) and at:
            level = min(max(block.level, 2), level + 1)
            ordered.append(replace(block, level=level))
        else:
            ordered.append(block)
    return ordered
