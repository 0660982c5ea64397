"""
Writes the HTML part of an e-mail.

MJML makes the frame of tables that mail clients need, once per direction; our elements are put into it afterwards, so
that text of users is never read as MJML. All styles are inline, because some clients remove style sheets. The sheet in
the head only adds dark colours and small screens.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING, Final

from mjml import mjml2html

from newsletters.exports.blocks import Block, Heading, LeftToRight, Paragraph, plain
from newsletters.exports.document import Document, Rendered
from newsletters.exports.inlines import in_order, isolated
from newsletters.exports.writers.email_styles import (
    FONTS,
    OUTLOOK,
    PADDING,
    SHEET,
    WIDTH,
    attributes,
)
from newsletters.exports.writers.html_body import BodyWriter, sanitised
from newsletters.exports.writers.palette import LIGHT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.exports.images import Image

MOST_PREHEADER: Final = 140
CLIPPED_ABOVE: Final = 102 * 1024  # bytes, by Gmail
TOO_LARGE: Final = "mail_too_large"
_SECTION_LEVEL: Final = 2
_LONGEST_NAME: Final = 100
_FULL_WIDTH: Final = re.compile(r'<table\b(?=[^>]*width(?:="|:)100%)[^>]*style="')

_PLACEHOLDER: Final = re.compile("@@(LANGUAGE|TITLE|PREHEADER|BODY)@@")
_FRAME: Final = """
<mjml lang="@@LANGUAGE@@" dir="{direction}">
  <mj-head>
    <mj-title>@@TITLE@@</mj-title>
    <mj-preview>@@PREHEADER@@</mj-preview>
    <mj-attributes>
      <mj-all font-family="{fonts}" />
      <mj-text font-size="16px" line-height="1.6" color="{text}" align="{side}" padding="0" />
    </mj-attributes>
    <mj-raw>
      <meta name="color-scheme" content="light dark" />
      <meta name="supported-color-schemes" content="light dark" />
    </mj-raw>
    <mj-style>{sheet}</mj-style>
    <mj-raw>{outlook}</mj-raw>
  </mj-head>
  <mj-body width="{width}px" background-color="{page}" css-class="nl-page">
    <mj-section direction="{direction}" background-color="{surface}" padding="{padding}px" css-class="nl-surface">
      <mj-column direction="{direction}">
        <mj-text css-class="nl-body">@@BODY@@</mj-text>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>
"""


def write(document: Document, blocks: Sequence[Block], images: Mapping[str, Image]) -> Rendered:
    """Render the HTML part of an e-mail, in UTF-8."""
    direction = document.direction
    writer = BodyWriter(
        images, attributes(direction), anchored=False, most_width=WIDTH - 2 * PADDING
    )
    texts = {
        "LANGUAGE": document.lang,
        "TITLE": escape(document.title),
        "PREHEADER": escape(_preheader(document, blocks)),
        "BODY": f'<div dir="{direction}">{sanitised(writer.blocks(blocks))}</div>',
    }
    # In one pass: text that looks like a placeholder stays as it is.
    mail = _PLACEHOLDER.sub(lambda found: texts[found[1]], _frame(direction))
    body = mail.encode(errors="replace")
    if len(body) <= CLIPPED_ABOVE:
        return Rendered(body, ())
    sizes = {
        name: len(writer.blocks(part).encode(errors="replace")) for name, part in _sections(blocks)
    }
    return Rendered(body, (TOO_LARGE,), sizes)


def _sections(blocks: Sequence[Block]) -> list[tuple[str, list[Block]]]:
    """Return the blocks below each heading of the first two levels, with its text."""
    sections: list[tuple[str, list[Block]]] = []
    for block in blocks:
        if isinstance(block, Heading) and block.level <= _SECTION_LEVEL:
            sections.append((plain(block.children)[:_LONGEST_NAME], []))
        sections[-1][1].append(block)
    return sections


@lru_cache
def _frame(direction: str) -> str:
    frame = mjml2html(
        _FRAME.format(
            direction=direction,
            side="right" if direction == "rtl" else "left",
            fonts=FONTS,
            sheet=SHEET,
            outlook=OUTLOOK,
            width=WIDTH,
            padding=PADDING,
            page=LIGHT.page,
            surface=LIGHT.surface,
            text=LIGHT.text,
        ),
        fonts={},
    )
    # Columns of a fixed layout never grow with their content, such as a blocked image.
    return _FULL_WIDTH.sub(r"\g<0>table-layout:fixed;", frame)


def _preheader(document: Document, blocks: Sequence[Block]) -> str:
    """Return the preview line; lists of mails show its characters only, so that these keep numbers in order."""
    line = in_order(document.preheader or _first_paragraph(blocks), document.direction)
    return "".join(
        isolated(one.text) if isinstance(one, LeftToRight) else plain((one,)) for one in line
    )


def _first_paragraph(blocks: Sequence[Block]) -> str:
    """Return the beginning of the first paragraph, cut between words."""
    first = next((block.children for block in blocks if isinstance(block, Paragraph)), ())
    text = plain(first, markers=False)
    if len(text) <= MOST_PREHEADER:
        return text
    return text[:MOST_PREHEADER].rpartition(" ")[0] + "…"
