"""The file around the body: page, styles, properties, language, and a zip with fixed times."""

from __future__ import annotations

import io
import zipfile
from typing import TYPE_CHECKING, Final

import docx
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Cm, Pt, RGBColor

from newsletters.exports.document import Document, Rendered
from newsletters.exports.writers.docx.body import BodyWriter
from newsletters.exports.writers.docx.elements import (
    add_field,
    colour_title_line,
    make_bidirectional,
    set_complex_font,
    set_default_language,
    set_paragraph_border,
    shade_run_style,
)
from newsletters.exports.writers.palette import LIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from docx.document import Document as Package
    from docx.styles.style import CharacterStyle, ParagraphStyle

    from newsletters.exports.blocks import Block
    from newsletters.exports.images import Image

FONT: Final = "Calibri"
MONOSPACE: Final = "Consolas"
# Present with Word on Windows and Mac; other programs substitute a font with the same script.
_COMPLEX_FONTS: Final = {"hi": "Nirmala UI", "mr": "Nirmala UI", "ne": "Nirmala UI"}
_COMPLEX_FONT: Final = "Arial"
_SIZES: Final = {
    "Normal": 11,
    "Title": 24,
    "Heading 1": 16,
    "Heading 2": 13,
    "Heading 3": 12,
    "Heading 4": 11,
    "Heading 5": 11,
}
_ACCENT: Final = RGBColor.from_string(LIGHT.link[1:])
_TEXT: Final = RGBColor.from_string(LIGHT.text[1:])


def write(document: Document, blocks: Sequence[Block], images: Mapping[str, Image]) -> Rendered:
    """Render a DOCX file. Warning `image_unreadable`: an image has a format that DOCX does not have."""
    package = docx.Document()
    _lay_out(package, document)
    _style(package, document)
    _describe(package, document)
    body = BodyWriter(package, document.direction, images)
    body.add(blocks)
    stream = io.BytesIO()
    package.save(stream)
    warnings = ("image_unreadable",) if body.unreadable else ()
    return Rendered(_with_fixed_times(stream, document), warnings)


def _lay_out(package: Package, document: Document) -> None:
    section = package.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(2.5)
    section.top_margin = section.bottom_margin = Cm(2.3)
    footer = section.footer.paragraphs[0]
    footer.alignment = WD_ALIGN_PARAGRAPH.CENTER
    add_field(footer, "PAGE")
    footer.add_run(" / ")
    add_field(footer, "NUMPAGES")
    if document.direction == "rtl":
        make_bidirectional(footer)


def _style(package: Package, document: Document) -> None:
    complex_font = _COMPLEX_FONTS.get(document.primary_language, _COMPLEX_FONT)
    styles = package.styles
    for name, size in _SIZES.items():
        style: ParagraphStyle = styles[name]
        style.font.size = Pt(size)
        style.font.color.rgb = _TEXT if name == "Normal" else _ACCENT
        if name != "Normal":
            style.font.bold = style.font.cs_bold = True
            style.paragraph_format.keep_with_next = True
        set_complex_font(style, FONT, complex_font, size)
    colour_title_line(styles["Title"], LIGHT.link)
    styles["Normal"].paragraph_format.space_after = Pt(7)
    styles["Normal"].paragraph_format.line_spacing = 1.15
    quote = styles["Quote"]
    quote.font.color.rgb = RGBColor.from_string(LIGHT.muted[1:])
    set_paragraph_border(quote, document.direction, LIGHT.link)
    link: CharacterStyle = styles.add_style("Hyperlink", WD_STYLE_TYPE.CHARACTER, builtin=True)
    link.font.color.rgb = _ACCENT
    link.font.underline = True
    code: CharacterStyle = styles.add_style("HTML Code", WD_STYLE_TYPE.CHARACTER, builtin=True)
    code.font.name = MONOSPACE
    shade_run_style(code, LIGHT.shade)
    block = styles.add_style("HTML Preformatted", WD_STYLE_TYPE.PARAGRAPH, builtin=True)
    block.base_style = styles["Normal"]
    block.font.name, block.font.size = MONOSPACE, Pt(9.5)
    set_default_language(styles, document.lang, document.direction)


def _describe(package: Package, document: Document) -> None:
    properties = package.core_properties
    moment = document.updated.replace(tzinfo=None)
    properties.title = document.title[:255]
    properties.author = properties.last_modified_by = document.author[:255]
    properties.created = properties.modified = moment
    properties.language = document.lang
    properties.comments = ""
    properties.revision = 1


def _with_fixed_times(stream: io.BytesIO, document: Document) -> bytes:
    """Return the same zip, each entry with the time of the document."""
    fixed = io.BytesIO()
    moment = document.updated
    with zipfile.ZipFile(stream) as source, zipfile.ZipFile(fixed, "w") as target:
        for name in source.namelist():
            entry = zipfile.ZipInfo(name, moment.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(entry, source.read(name))
    return fixed.getvalue()
