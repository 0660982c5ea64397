"""Compiles the template with a document's data."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import typst

from newsletters.exports.document import Document, Rendered
from newsletters.exports.inlines import in_order
from newsletters.exports.tree import UNTITLED, clean, tree
from newsletters.exports.writers.palette import LIGHT
from newsletters.exports.writers.pdf.fonts import FAMILIES, MONOSPACE, fonts_folder
from newsletters.exports.writers.pdf.template_data import TEXT_WIDTH, DataWriter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.exports.blocks import Block
    from newsletters.exports.images import Image

TEMPLATE: Final = Path(__file__).with_name("template.typ")
_MOST_HEADER: Final = 90  # characters of the title at the top of each page
_REGION_LENGTH: Final = 2


def write(document: Document, blocks: Sequence[Block], images: Mapping[str, Image]) -> Rendered:
    """
    Render a PDF.

    Warnings: `missing_glyph`, a character without glyph is displayed as U+FFFD; `image_unreadable`, the document has no
    images because one of them is damaged. Raises FontsMissing.
    """
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        files: dict[str, str] = {}
        for n, (url, image) in enumerate(images.items(), start=1):
            files[url] = f"{n}.{image.kind}"
            (folder / files[url]).write_bytes(image.body)
        writer = DataWriter(images, files)
        data = _data(document, writer.blocks(blocks), writer)
        try:
            body = _compile(data, folder, document)
        except typst.TypstError:
            if not images:
                raise
            without = write(document, tree(document), {})
            return Rendered(without.body, ("image_unreadable", *without.warnings))
    return Rendered(body, ("missing_glyph",) if writer.missing else ())


def _compile(data: str, folder: Path, document: Document) -> bytes:
    main = folder / "main.typ"
    main.write_bytes(TEMPLATE.read_bytes())
    return typst.compile(
        main,
        root=folder,
        font_paths=_fonts(),
        ignore_system_fonts=True,
        sys_inputs={"data": data},
        pdf_standards=["ua-1"],
        timestamp=document.updated,
    )


@cache
def _fonts() -> typst.Fonts:
    return typst.Fonts(
        include_system_fonts=False,
        include_embedded_fonts=True,  # for MONOSPACE; a text uses fonts that it names only
        font_paths=[fonts_folder()],
    )


def _data(document: Document, blocks: Sequence[object], writer: DataWriter) -> str:
    title = " ".join(clean(document.title).split())
    header = title if len(title) <= _MOST_HEADER else title[: _MOST_HEADER - 1].rstrip() + "…"
    region = next((tag for tag in document.lang.split("-")[1:] if len(tag) == _REGION_LENGTH), None)
    return json.dumps(
        {
            "title": title or UNTITLED,
            "author": clean(document.author),
            "header": writer.inlines(in_order(header, document.direction)),
            "language": document.primary_language,
            "region": region,
            "direction": document.direction,
            "updated": list(document.updated.timetuple()[:6]),
            "fonts": FAMILIES,
            "monospace": MONOSPACE,
            "text_width": TEXT_WIDTH,
            "colours": {
                "text": LIGHT.text,
                "muted": LIGHT.muted,
                "accent": LIGHT.link,
                "line": LIGHT.line,
                "shade": LIGHT.shade,
            },
            "blocks": blocks,
        }
    )
