"""Blocks -> the elements of a page's body, for web pages and e-mails; sanitised last."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

import nh3

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
    plain,
)
from newsletters.exports.writers.tables import is_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.exports.images import Image

_TAGS: Final = {
    *(
        "a",
        "bdi",
        "blockquote",
        "br",
        "code",
        "div",
        "em",
        "figure",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
    ),
    *(
        "hr",
        "img",
        "li",
        "ol",
        "p",
        "pre",
        "s",
        "span",
        "strong",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ),
}
_ATTRIBUTES: Final[Mapping[str, set[str]]] = {
    "*": {"class", "style", "dir"},
    "a": {"href"},
    "div": {"role", "tabindex"},
    "img": {"src", "alt", "width", "height"},
    "li": {"value", "id"},
    "ol": {"start"},
    "table": {"role", "border", "cellpadding", "cellspacing", "width"},
    "th": {"scope"},
}
MOST_WHOLE: Final = 24  # characters of a number or date that stays in one line
COLUMN_WIDTH, NUMBERS_WIDTH = 85, 44  # of a table's column at least, in pixels; of one of numbers
CHARACTER_WIDTH, CELL_INSET = 8, 8  # of a cell's text on a phone, in pixels
NARROWEST: Final = 288  # of a phone of 320 pixels, between the margins
MOST_HEIGHT: Final = 900  # of an image, in pixels


def sanitised(body: str) -> str:
    """Return a body with only the elements, attributes and URL schemes that the writers use."""
    return nh3.clean(
        body,
        tags=_TAGS,
        attributes=dict(_ATTRIBUTES),
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
        strip_comments=True,
    )


@dataclass(frozen=True, slots=True)
class BodyWriter:
    """
    Writes blocks as elements.

    *attributes* has the attributes of each element, as ` class="..."`, by name. The names are the elements' names,
    `marker`, `date`, `number`, `scroll` and `frame` (around a table), `td-{alignment}` and `th-{alignment}`; for
    `table` it has only the value of the style. In the one of `img`, `{width}` is the image's. An *anchored* page links
    markers of sources without URL to its own list.
    """

    images: Mapping[str, Image]
    attributes: Mapping[str, str]
    anchored: bool
    most_width: int  # of an image, in pixels

    def blocks(self, blocks: Sequence[Block]) -> str:
        """Return the elements of blocks."""
        return "\n".join(map(self.block, blocks))

    def block(self, block: Block) -> str:  # noqa: PLR0911 - a branch per kind of block
        """Return the element of a block."""
        match block:
            case Heading(level, children):
                return self._element(f"h{level}", self.inlines(children))
            case Paragraph(children):
                return self._element("p", self.inlines(children))
            case Quote(blocks):
                return self._element("blockquote", self.blocks(blocks))
            case CodeBlock(text):
                return f'<pre dir="ltr"{self._of("pre")}><code>{escape(text)}</code></pre>'
            case Rule():
                return f"<hr{self._of('hr')}>"
            case Items():
                return self._items(block)
            case Table():
                return self._table(block)
            case Figure():
                return self._figure(block)
            case Sources(entries):
                return self._element("ol", "".join(map(self._source, entries)))

    def inlines(self, children: Sequence[Inline]) -> str:
        """Return the elements of inline content."""
        return "".join(map(self._inline, children))

    def _inline(self, child: Inline) -> str:  # noqa: PLR0911 - a branch per kind of inline content
        match child:
            case Text(text):
                return escape(text)
            case LeftToRight(text):
                # A line end in it would put its parts in the order of the text around it.
                whole = self._of("number") if len(text) <= MOST_WHOLE else ""
                return f'<span{whole} dir="ltr">{escape(text)}</span>'
            case Code(text):
                return f'<code dir="ltr"{self._of("code")}>{escape(text)}</code>'
            case Break():
                return "<br>"
            case Strong(inner):
                return self._element("strong", self.inlines(inner))
            case Emphasis(inner):
                return self._element("em", self.inlines(inner))
            case Strike(inner):
                return self._element("s", self.inlines(inner))
            case Link(url, inner):
                return self._link(url, self.inlines(inner))
            case Marker(n, url):
                target = url or (f"#source-{n}" if self.anchored else "")
                text = (
                    f'<a href="{escape(target)}"{self._of("a")}>[{n}]</a>' if target else f"[{n}]"
                )
                return f"<span{self._of('marker')}>{text}</span>"

    def _items(self, block: Items) -> str:
        name = "ul" if block.start is None else "ol"
        start = f' start="{block.start}"' if block.start not in {None, 1} else ""
        items = "".join(
            self._element("li", self._item(item, tight=block.tight)) for item in block.items
        )
        return f"<{name}{start}{self._of(name)}>{items}</{name}>"

    def _item(self, blocks: Sequence[Block], *, tight: bool) -> str:
        return "\n".join(
            self.inlines(block.children)
            if tight and isinstance(block, Paragraph)
            else self.block(block)
            for block in blocks
        )

    def _table(self, table: Table) -> str:
        # Below this width, the table scrolls inside its frame, or is stacked where the sheet can do so.
        width = sum(NUMBERS_WIDTH if one else COLUMN_WIDTH for one in _of_numbers(table))
        stacked = self._of("stacked") if max(width, _least_width(table)) > NARROWEST else ""
        labels = [self._label(cell) if stacked else "" for cell in table.header]
        header = self._row("th", table.alignments, table.header)
        rows = "".join(self._row("td", table.alignments, row, labels) for row in table.rows)
        least = f'<table{stacked} style="{self._of("table")}min-width:{width}px">'
        body = f"<tbody>{rows}</tbody>" if rows else ""
        scroll = self._element("scroll", f"{least}<thead>{header}</thead>{body}</table>", tag="div")
        if not (frame := self._of("frame")):
            return scroll
        return f'<table role="presentation"{frame}><tbody><tr><td style="padding:0">{scroll}</td></tr></tbody></table>'

    def _label(self, name: tuple[Inline, ...]) -> str:
        """Return the name of a column as it stands before each of its values in a stacked table."""
        # Kept apart from the value, which a name in another direction would take along.
        return (
            f"<span{self._of('label')}><bdi>{escape(plain(name, markers=False))}</bdi>: </span>"
            if name
            else ""
        )

    def _row(
        self,
        tag: str,
        alignments: Sequence[Alignment],
        cells: Sequence[tuple[Inline, ...]],
        labels: Sequence[str] = (),
    ) -> str:
        scope = ' scope="col"' if tag == "th" else ""
        named = zip(alignments, cells, labels or [""] * len(cells), strict=True)
        return "<tr>{}</tr>".format(
            "".join(
                f"<{tag}{scope}{self._of(f'{tag}-{side}')}>{label if cell else ''}{self._cell(cell)}</{tag}>"
                for side, cell, label in named
            )
        )

    def _cell(self, cell: tuple[Inline, ...]) -> str:
        """Return the content of a cell; a number stays in one line."""
        content = self.inlines(cell)
        return self._element("number", content, tag="span") if is_number(cell) else content

    def _figure(self, figure: Figure) -> str:
        image = self.images[figure.url]
        width = max(1, round(image.fitted(self.most_width, MOST_HEIGHT)))
        height = max(1, round(image.height * width / image.width))
        element = (
            f'<img src="{escape(figure.url)}" alt="{escape(figure.alt)}" width="{width}" height="{height}"'
            f"{self._of('img').replace('{width}', str(width))}>"
        )
        if figure.link:
            element = self._link(figure.link, element)
        return self._element("figure", element)

    def _source(self, source: Source) -> str:
        title = f"<bdi>{self.inlines(source.title)}</bdi>"
        linked = self._link(source.url, title) if source.url else title
        date = (
            f', <span{self._of("date")} dir="ltr">{escape(source.date)}</span>'
            if source.date
            else ""
        )
        anchor = f' id="source-{source.n}"' if self.anchored else ""
        return f'<li value="{source.n}"{anchor}{self._of("li")}>{linked}{date}</li>'

    def _link(self, url: str, content: str) -> str:
        return f'<a href="{escape(url)}"{self._of("a")}>{content}</a>'

    def _element(self, name: str, content: str, tag: str = "") -> str:
        tag = tag or name
        return f"<{tag}{self._of(name)}>{content}</{tag}>"

    def _of(self, name: str) -> str:
        return self.attributes.get(name, "")


def _least_width(table: Table) -> int:
    """Return the width below which words and numbers of a table's columns do not fit, in pixels."""
    columns = zip(table.header, *table.rows, strict=True)
    return sum(CELL_INSET + CHARACTER_WIDTH * max(map(_longest, column)) for column in columns)


def _longest(cell: tuple[Inline, ...]) -> int:
    """Return the number of characters of a number, or of the longest word."""
    text = plain(cell, markers=False)
    return len(text) if is_number(cell) else max(map(len, text.split()), default=0)


def _of_numbers(table: Table) -> list[bool]:
    """Return for each column whether all its cells are numbers, or empty."""
    columns = zip(*table.rows, strict=True) if table.rows else ([()] * len(table.header))
    return [any(cells) and all(is_number(cell) for cell in cells if cell) for cells in columns]
