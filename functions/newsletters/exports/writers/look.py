"""
Puts the look of a company's template on an exported e-mail: its colours, font, logo, and texts above and below.

The export has the standard look. Its colours and fonts are replaced in style sheets and in the styles of tags only,
which hold no text of people.
"""

from __future__ import annotations

import colorsys
import re
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final, Literal

from newsletters.exports.blocks import Items, Paragraph, Rule
from newsletters.exports.document import Document
from newsletters.exports.labels import labels
from newsletters.exports.tree import tree
from newsletters.exports.writers.email_styles import FONTS, PADDING, WIDTH, attributes
from newsletters.exports.writers.html_body import BodyWriter, sanitised
from newsletters.exports.writers.palette import DARK, LIGHT
from newsletters.exports.writers.text import next_note, written

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.exports.blocks import Block

LEAST_CONTRAST: Final = 4.5
_DARKEST: Final = 0.04045  # up to which sRGB is linear
LOGO_HEIGHT: Final = 48
_SERIF: Final = "Georgia, 'Times New Roman', 'Noto Serif', serif"
_OUTLOOK_SANS, _OUTLOOK_SERIF = "'Segoe UI', Arial, sans-serif", "Georgia, 'Times New Roman', serif"
_STYLED: Final = re.compile(r"<style\b[^>]*>.*?</style>|<[a-z][^<>]*>", re.IGNORECASE | re.DOTALL)
# In a tag; other attributes, such as addresses of links, have texts of people.
_STYLE: Final = re.compile(r'\b(?:style|bgcolor)="[^"]*"')
_TITLE_END: Final = re.compile(r"</h1>")
_SECTION: Final = re.compile(r"<h2\b[^>]*>(.*?)</h2>", re.DOTALL)
_TAG: Final = re.compile(r"<[^>]*>")
_LOGO: Final = (
    '<img src="{url}" alt="{alt}" height="{height}" style="display:block;height:{height}px;width:auto;max-width:100%;'
    'border:0;margin:0 0 12px">'
)
_PART: Final = (
    '<table role="presentation" align="center" width="100%" cellpadding="0" cellspacing="0" border="0"'
    ' style="table-layout:fixed;max-width:{width}px"><tr><td dir="{direction}" class="nl-footer" style="padding:16px'
    ' {padding}px;font-family:{fonts};font-size:16px;line-height:1.5;color:{muted}">{content}</td></tr></table>'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The values of a template; colours as #rrggbb."""

    layout: Literal["plain", "standard", "digest"]
    accent: str
    page: str
    font_stack: Literal["sans", "serif"]
    logo_url: str | None
    logo_alt: str | None
    header_md: str
    footer_md: str


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours `#rrggbb`, from 1 to 21 (WCAG 2.2, 1.4.3)."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def on_html(look: Look, html: str, language: str) -> tuple[str, str, str]:
    """Return the HTML of an export in a look, and the parts above and below its text."""
    of = _document("", language)
    logo = ""
    if look.logo_url:
        logo = _LOGO.format(
            url=escape(look.logo_url),
            alt=escape(look.logo_alt or ""),
            height=LOGO_HEIGHT,
        )
    above = _part(logo + _written(look.header_md, language), of.direction)
    below = _part(_written(look.footer_md, language), of.direction)
    if look.layout == "digest":
        html = _with_contents(html, labels(of.primary_language).sources)
    replaced = _replaced_values(look)
    found = re.compile("|".join(map(re.escape, replaced)))
    html, above, below = (_restyled(one, found, replaced) for one in (html, above, below))
    return html, above, below


def on_footer(look: Look, footer: str) -> str:
    """Return the footer of an issue, written in the standard look, in the look."""
    replaced = _replaced_values(look)
    return _restyled(footer, re.compile("|".join(map(re.escape, replaced))), replaced)


def on_text(look: Look, text: str, language: str) -> str:
    """Return the text part of a mail with the parts above and below it; each note of all three has its own number."""
    above = _plain(look.header_md, language, next_note(text))
    below = _plain(look.footer_md, language, next_note(above + text))
    return "\n\n".join(filter(None, (above, text.strip("\n"), below)))


def on_dark(accent: str) -> str:
    """Return the colour with the same hue that can be read on the dark background."""
    red, green, blue = (int(accent[at : at + 2], 16) / 255 for at in (1, 3, 5))
    hue, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    for step in range(101):
        lighter = lightness + (1 - lightness) * step / 100
        shown = "#" + "".join(
            f"{round(part * 255):02x}" for part in colorsys.hls_to_rgb(hue, lighter, saturation)
        )
        if (
            min(contrast(shown, one) for one in (DARK.surface, DARK.shade, DARK.page))
            >= LEAST_CONTRAST
        ):
            return shown
    return DARK.text


def unsupported(markdown: str) -> bool:
    """Return whether Markdown has more than paragraphs, lists, rules and what stands in their lines."""
    return _has_others(_blocks(markdown, "en"))


def _has_others(blocks: Sequence[Block]) -> bool:
    return any(
        any(map(_has_others, one.items))
        if isinstance(one, Items)
        else not isinstance(one, Paragraph | Rule)
        for one in blocks
    )


def _blocks(markdown: str, language: str) -> Sequence[Block]:
    return tree(_document(markdown, language))[1:]  # without its title


def _document(markdown: str, language: str) -> Document:
    content = f"# -\n\n{markdown}"
    return Document(title="-", language=language, content=content, updated_at="", citations=())


def _plain(markdown: str, language: str, first_note: int) -> str:
    document = _document(markdown, language)
    return written(document, _blocks(markdown, language), first_note=first_note).strip()


def _written(markdown: str, language: str) -> str:
    styles = attributes(_document("", language).direction)
    writer = BodyWriter({}, styles, anchored=False, most_width=WIDTH - 2 * PADDING)
    return sanitised(writer.blocks(_blocks(markdown, language)))


def _part(content: str, direction: str) -> str:
    if not content:
        return ""
    return _PART.format(
        width=WIDTH,
        direction=direction,
        padding=PADDING,
        fonts=FONTS,
        muted=LIGHT.muted,
        content=content,
    )


def _with_contents(html: str, sources: str) -> str:
    """Return HTML with the titles of its sections below its title, without that of the *sources*."""
    titles = [_TAG.sub("", one).strip() for one in _SECTION.findall(html)]
    titles = [one for one in titles if one != escape(sources)]
    end = _TITLE_END.search(html)
    if len(titles) < 2 or end is None:  # noqa: PLR2004 - one title is no list of contents
        return html
    items = "".join(f'<li style="margin:0 0 4px;">{one}</li>' for one in titles)
    contents = f'<ul style="margin:0 0 24px;padding-left:26px;padding-right:26px;">{items}</ul>'
    return f"{html[: end.end()]}{contents}{html[end.end() :]}"


def _restyled(html: str, found: re.Pattern[str], replaced: Mapping[str, str]) -> str:
    """Return HTML with these values replaced in its style sheets, and in the styles of its tags."""

    def value_of(one: re.Match[str]) -> str:
        return replaced[one.group()]

    def in_tag(tag: re.Match[str]) -> str:
        if tag.group().startswith("<style"):
            return found.sub(value_of, tag.group())
        return _STYLE.sub(lambda style: found.sub(value_of, style.group()), tag.group())

    return _STYLED.sub(in_tag, html)


def _replaced_values(look: Look) -> dict[str, str]:
    """Return the colours and fonts of the standard look with those of the look."""
    accent, page = look.accent, look.page
    replaced = {
        LIGHT.link: accent,
        LIGHT.page: LIGHT.surface if look.layout == "plain" else page,
        DARK.link: on_dark(accent),
    }
    if look.font_stack == "serif":
        replaced |= {FONTS: _SERIF, _OUTLOOK_SANS: _OUTLOOK_SERIF}
    return replaced


def _luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= _DARKEST else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
