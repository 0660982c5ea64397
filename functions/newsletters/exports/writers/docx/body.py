"""Blocks -> paragraphs, lists, tables and pictures of a Word document."""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.image.exceptions import (
    InvalidImageStreamError,
    UnexpectedEndOfFileError,
    UnrecognizedImageError,
)
from docx.shared import Cm, Emu, Length, Pt

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
from newsletters.exports.writers.docx import elements
from newsletters.exports.writers.palette import LIGHT
from newsletters.exports.writers.tables import Layout, layout, unfolded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from docx.document import Document as Package
    from docx.text.paragraph import Paragraph as WordParagraph
    from docx.text.run import Run

    from newsletters.exports.images import Image

PER_PIXEL: Final = 914400 // 96  # EMU
MOST_HEIGHT: Final = Cm(17)  # of an image
MOST_START: Final = 32_767
_TABLE_SIZE: Final = 11.0  # points, of text in a table
_INSET: Final = 10.8  # points, of a cell, left and right
_LEFT_TO_RIGHT_MARK: Final = "\u200e"
_LEVELS: Final = 3  # of the built-in list styles
_INDENT: Final = Cm(0.63)  # between them
_CANNOT_READ: Final = (InvalidImageStreamError, UnexpectedEndOfFileError, UnrecognizedImageError)


@dataclass(frozen=True, slots=True)
class Style:
    """The styles that are open around text."""

    bold: bool = False
    italic: bool = False
    strike: bool = False
    size: float = 0.0  # points; 0 is the paragraph's


class BodyWriter:
    """Adds blocks to a document. *unreadable* is set when an image could not be embedded."""

    def __init__(self, package: Package, direction: str, images: Mapping[str, Image]) -> None:
        self.package = package
        self.rtl = direction == "rtl"
        self.images = images
        self.unreadable = False
        # python-docx searches all styles and relations at each use.
        self.style_ids = {style.name: style.style_id for style in package.styles}
        self.relations: dict[str, str] = {}  # id of each hyperlink's URL
        section = package.sections[0]
        self.width = Length(
            int(section.page_width or 0)
            - int(section.left_margin or 0)
            - int(section.right_margin or 0)
        )

    def add(self, blocks: Sequence[Block], style: str = "Normal", depth: int = 0) -> None:
        """Add blocks. *style*: the style of paragraphs. *depth*: the number of enclosing lists."""
        for block in blocks:
            self._block(block, style, depth)

    def _block(  # noqa: C901, PLR0912 - a branch per kind of block
        self, block: Block, style: str, depth: int
    ) -> None:
        match block:
            case Heading(level, children):
                self._paragraph("Title" if level == 1 else f"Heading {level - 1}", children)
            case Paragraph(children):
                self._paragraph(style, children)
            case Quote(blocks):
                self.add(blocks, "Quote", depth)
            case CodeBlock(text):
                # A program runs from left to right.
                paragraph = self.package.add_paragraph()
                paragraph._p.style = self.style_ids["HTML Preformatted"]
                for line in text.split("\n"):
                    if paragraph.runs:
                        paragraph.add_run().add_break()
                    paragraph.add_run(line)
            case Rule():
                self._paragraph("Normal", (Text("⁂"),)).alignment = WD_ALIGN_PARAGRAPH.CENTER
            case Items():
                self._items(block, depth)
            case Table():
                found = layout(block, width=self.width.pt, size=_TABLE_SIZE, inset=_INSET)
                if found is None:
                    self._items(unfolded(block), depth)
                else:
                    self._table(block, found)
            case Figure():
                self._figure(block, style)
            case Sources(entries):
                for source in entries:
                    self._source(source)

    def _paragraph(self, style: str, children: Sequence[Inline]) -> WordParagraph:
        paragraph = self.package.add_paragraph()
        paragraph._p.style = self.style_ids[style]
        return self._fill(paragraph, children)

    def _fill(
        self, paragraph: WordParagraph, children: Sequence[Inline], style: Style | None = None
    ) -> WordParagraph:
        if self.rtl:
            elements.make_bidirectional(paragraph)
        self._inlines(paragraph, children, style or Style(), paragraph)
        return paragraph

    def _inlines(  # noqa: C901 - a branch per kind of inline content
        self,
        paragraph: WordParagraph,
        children: Sequence[Inline],
        style: Style,
        into: WordParagraph | elements.Hyperlink,
    ) -> None:
        for child in children:
            match child:
                case Text(text):
                    self._text(into, text, style)
                case LeftToRight(text):
                    # Word orders by runs, other programs by characters: the mark is for them.
                    self._run(into, f"{_LEFT_TO_RIGHT_MARK}{text}", style)
                case Code(text):
                    into.add_run(text)._r.style = self.style_ids["HTML Code"]
                case Break():
                    into.add_run("").add_break()
                case Marker(n, url):
                    linked = self._link(paragraph, url) if url else into
                    self._text(linked, f"[{n}]", style)
                case Strong(inner):
                    self._inlines(paragraph, inner, replace(style, bold=True), into)
                case Emphasis(inner):
                    self._inlines(paragraph, inner, replace(style, italic=True), into)
                case Strike(inner):
                    self._inlines(paragraph, inner, replace(style, strike=True), into)
                case Link(url, inner):
                    self._inlines(paragraph, inner, style, self._link(paragraph, url))

    def _link(self, paragraph: WordParagraph, url: str) -> elements.Hyperlink:
        if url not in self.relations:
            self.relations[url] = elements.relate(self.package, url)
        return elements.add_hyperlink(paragraph, self.relations[url])

    def _text(self, into: WordParagraph | elements.Hyperlink, text: str, style: Style) -> None:
        for rtl, part in elements.by_direction(text):
            run = self._run(into, part, style)
            if rtl:
                run.font.rtl = True

    @staticmethod
    def _run(into: WordParagraph | elements.Hyperlink, text: str, style: Style) -> Run:
        """Add a run, which is from left to right by itself."""
        run = into.add_run(text)
        font = run.font
        # Unset instead of False: the paragraph's style may be bold.
        if style.bold:
            font.bold = font.cs_bold = True
        if style.italic:
            font.italic = font.cs_italic = True
        if style.strike:
            font.strike = True
        if style.size:
            elements.set_size(run, style.size)
        return run

    def _items(self, block: Items, depth: int) -> None:
        kind = "List Bullet" if block.start is None else "List Number"
        level = min(depth + 1, _LEVELS)
        suffix = f" {level}" if level > 1 else ""
        numbering = (
            None
            if block.start is None
            else elements.restarted_numbering(
                self.package, kind + suffix, min(block.start, MOST_START)
            )
        )
        for item in block.items:
            first, rest = (
                (item[0], item[1:]) if item and isinstance(item[0], Paragraph) else (None, item)
            )
            paragraph = self._paragraph(kind + suffix, first.children if first else ())
            if numbering is not None:
                elements.set_numbering(paragraph, numbering)
            if depth >= _LEVELS:
                paragraph.paragraph_format.left_indent = Emu(_INDENT * (depth + 1))
            if block.tight:
                paragraph.paragraph_format.space_after = Pt(3)
            self.add(rest, f"List Continue{suffix}", depth + 1)

    def _table(self, table: Table, found: Layout) -> None:
        made = self.package.add_table(1 + len(table.rows), len(table.header), "Table Grid")
        made.autofit = False
        if self.rtl:
            elements.order_columns_right_to_left(made)
        widths = [Emu(int(Pt(1) * width)) for width in found.widths]
        size = found.size if found.size < _TABLE_SIZE else 0.0
        for column, width in zip(made.columns, widths, strict=True):
            column.width = width
        cells_by_row = (table.header, *table.rows)
        for at, (row, cells) in enumerate(zip(made.rows, cells_by_row, strict=True)):
            for cell, width, children, side in zip(
                row.cells, widths, cells, table.alignments, strict=True
            ):
                cell.width = width
                paragraph = cell.paragraphs[0]
                paragraph.paragraph_format.space_after = Pt(2)
                paragraph.alignment = self._alignment(side)
                self._fill(paragraph, children, Style(bold=not at, size=size))
            elements.keep_together(row)
        header = made.rows[0]
        elements.set_table_lines(made, LIGHT.line)
        elements.repeat_header(header)
        elements.shade_cells(header, LIGHT.shade)
        space = self.package.add_paragraph().paragraph_format
        space.space_after, space.line_spacing = Pt(0), Pt(8)

    def _alignment(self, side: Alignment) -> WD_ALIGN_PARAGRAPH | None:
        # In a paragraph from right to left, Word's left is the start.
        left, right = WD_ALIGN_PARAGRAPH.LEFT, WD_ALIGN_PARAGRAPH.RIGHT
        if self.rtl:
            left, right = right, left
        return {
            Alignment.LEFT: left,
            Alignment.RIGHT: right,
            Alignment.CENTER: WD_ALIGN_PARAGRAPH.CENTER,
        }.get(side)

    def _figure(self, figure: Figure, style: str) -> None:
        image = self.images[figure.url]
        width = int(image.fitted(self.width, MOST_HEIGHT, PER_PIXEL))
        paragraph = self._paragraph("Normal", ())
        paragraph.alignment = WD_ALIGN_PARAGRAPH.CENTER
        into = self._link(paragraph, figure.link) if figure.link else paragraph
        run = into.add_run("")
        try:
            shape = run.add_picture(io.BytesIO(image.body), width=Emu(width))
        except _CANNOT_READ:
            self.unreadable = True
            self.package.element.body.remove(paragraph._p)
            self._paragraph(
                style, (Link(figure.link or figure.url, (Text(figure.alt or figure.url),)),)
            )
            return
        inline = shape._inline  # python-docx has no property for these attributes
        inline.docPr.set("descr", figure.alt)
        for side in ("distT", "distB", "distL", "distR"):
            inline.set(side, "0")  # programs disagree about the distance if it is absent

    def _source(self, source: Source) -> None:
        linked = (Link(source.url, source.title),) if source.url else source.title
        date = (Text(", "), LeftToRight(source.date)) if source.date else ()
        paragraph = self._paragraph("Normal", (Text(f"[{source.n}]\t"), *linked, *date))
        space = paragraph.paragraph_format
        space.left_indent, space.first_line_indent, space.space_after = Cm(1), Cm(-1), Pt(4)
        space.tab_stops.add_tab_stop(Cm(1))
