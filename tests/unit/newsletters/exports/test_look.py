"""The look of a template on an exported e-mail."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from newsletters.exports.document import Citation, Document
from newsletters.exports.tree import tree
from newsletters.exports.writers import email, look
from newsletters.exports.writers.look import LEAST_CONTRAST, Look
from newsletters.exports.writers.palette import DARK, LIGHT
from newsletters.exports.writers.text import write as plain_text

LOOK = Look(
    layout="standard",
    accent="#7a1f5c",
    page="#fdf6e3",
    font_stack="sans",
    logo_url=None,
    logo_alt=None,
    header_md="",
    footer_md="",
)


def exported(content: str, language: str = "en") -> str:
    document = Document("T", language, f"# T\n\n{content}", "2026-01-01T00:00:00Z", ())
    return email.write(document, tree(document), {}).body.decode()


def test_text_that_names_a_colour_or_a_style_stays_as_it_is_written() -> None:
    written = f'`style="color:{LIGHT.link}"` and {LIGHT.page} [there](https://shop.example)'

    html, _, _ = look.on_html(LOOK, exported(written), "en")

    assert f'style="color:{LIGHT.link}"</code>' in html
    assert f"and {LIGHT.page} <a" in html
    assert html.count(LIGHT.link) == html.count(LIGHT.page) == 2  # in the preview line, too
    assert f"color:{LOOK.accent}" in html


def test_addresses_of_links_and_texts_of_the_logo_stay_as_they_are_written() -> None:
    named = replace(LOOK, logo_url=f"https://shop.example/{LIGHT.page}", logo_alt=LIGHT.link)
    link = f"https://shop.example/?c={LIGHT.link}"

    html, above, _ = look.on_html(named, exported(f"[there]({link})"), "en")

    assert f'href="{link}"' in html
    assert f'src="https://shop.example/{LIGHT.page}" alt="{LIGHT.link}"' in above


@pytest.mark.parametrize("accent", ["#000000", "#7a1f5c", "#0b6350", "#1a1aff", "#555555"])
def test_an_accent_can_be_read_on_dark_screens(accent: str) -> None:
    shown = look.on_dark(accent)

    for background in (DARK.page, DARK.surface, DARK.shade):
        assert look.contrast(shown, background) >= LEAST_CONTRAST


def test_a_digest_begins_with_the_titles_of_its_sections_but_not_of_its_sources() -> None:
    text = exported("## One & two\n\nText.\n\n## Three\n\nText.\n\n## Sources\n\nText.")

    html, _, _ = look.on_html(replace(LOOK, layout="digest"), text, "en")

    contents = html[html.index("</h1>") : html.index("<h2")]
    assert "<li" in contents
    assert "One &amp; two</li>" in contents
    assert "Three</li>" in contents
    assert "Sources" not in contents


def test_a_plain_layout_has_no_frame() -> None:
    html, _, _ = look.on_html(replace(LOOK, layout="plain"), exported("Text."), "en")

    assert LOOK.page not in html
    assert LIGHT.page not in html


def test_texts_above_and_below_follow_the_direction_of_the_language() -> None:
    _, above, _ = look.on_html(replace(LOOK, header_md="مرحبا"), exported("نص", "ar"), "ar")

    assert 'dir="rtl"' in above
    assert look.on_text(replace(LOOK, footer_md="*Bye*"), "Text.\n", "en") == "Text.\n\nBye"


def test_notes_of_links_above_in_and_below_the_text_have_numbers_of_their_own() -> None:
    named = replace(
        LOOK,
        header_md="[Shop](https://shop.example), [News](https://shop.example/news)",
        footer_md="Opening hours: [here](https://shop.example/hours)",
    )
    citation = Citation(n=3, title="Trial", url="https://trial.example", date="")
    content = "# T\n\nIt grew [\\[3\\]](#source-3), see [more](https://more.example)."
    document = Document("T", "en", content, "2026-01-01T00:00:00Z", (citation,))
    text = plain_text(document, tree(document), {}).body.decode()

    whole = look.on_text(named, text, "en")

    notes = dict(re.findall(r"^\[(\d+)\] (\S+)", whole, re.MULTILINE))
    assert re.findall(r"^\[(\d+)\]", whole, re.MULTILINE) == ["5", "6", "3", "4", "7"]
    assert notes["4"] == "https://more.example"
    assert notes["7"] == "https://shop.example/hours"
    for name, number in (("Shop", "5"), ("News", "6"), ("more", "4"), ("here", "7")):
        assert f"{name} [{number}]" in whole


@pytest.mark.parametrize(
    "markdown", ["# Title", "| a |\n|---|\n| b |", "> quote", "    code", "- > quote"]
)
def test_markdown_that_a_header_cannot_hold_is_unsupported(markdown: str) -> None:
    assert look.unsupported(markdown)
    assert not look.unsupported("One **line**\n\n- an [entry](https://shop.example)")
