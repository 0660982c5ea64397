"""Web pages: structure, direction, colours."""

import re
from itertools import pairwise

import pytest
from lxml import html

from newsletters.exports.formats import render
from newsletters.exports.writers.palette import DARK, LIGHT, Palette
from tests.unit.newsletters.exports.samples import IMAGE_URL, document, png, sample


def page(content: str = "", language: str = "en") -> html.HtmlElement:
    shown = document(content, language=language) if content else sample()
    return html.fromstring(render("html", shown, {IMAGE_URL: png(900, 300)}).body.decode())


def luminance(colour: str) -> float:
    """The relative luminance of #rrggbb, as WCAG 2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_text_has_enough_contrast_on_all_backgrounds(palette: Palette) -> None:
    for text in (palette.text, palette.muted, palette.link):
        for background in (palette.page, palette.surface, palette.shade):
            assert contrast(text, background) >= 4.5


def test_language_and_direction_are_those_of_the_document() -> None:
    assert page("مطر", "ar").items() == [("lang", "ar"), ("dir", "rtl")]
    assert page("rain", "pt-BR").items() == [("lang", "pt-BR"), ("dir", "ltr")]


@pytest.mark.parametrize("language", ["ar", "fa", "he", "ur", "ps", "ckb", "dv", "yi", "AR-eg"])
def test_eight_languages_run_from_right_to_left(language: str) -> None:
    assert document("x", language=language).direction == "rtl"


def test_a_malformed_language_does_not_reach_the_page() -> None:
    assert page("rain", '"><script>').items() == [("lang", "en"), ("dir", "ltr")]


def test_headings_begin_with_one_first_level_and_skip_none() -> None:
    levels = [
        int(heading.tag[1])
        for heading in page().xpath("//*[self::h1 or self::h2 or self::h3 or self::h4]")
    ]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_page_loads_nothing_but_the_fetched_images() -> None:
    shown = page()
    assert shown.xpath("//@src") == [IMAGE_URL]
    assert not shown.xpath("//script | //link | //iframe")
    assert not re.search(r"url\(|@import", shown.xpath("string(//style)"))


def test_an_image_that_was_not_fetched_is_not_referenced() -> None:
    body = render("html", document(f"![Rain]({IMAGE_URL})")).body.decode()
    shown = html.fromstring(body)
    assert not shown.xpath("//img")
    assert shown.xpath("//a[text()='Rain']/@href") == [IMAGE_URL]


def test_links_do_not_give_away_the_page() -> None:
    assert {link.get("rel") for link in page().xpath("//a")} == {"noopener noreferrer"}


def test_an_image_is_as_wide_as_the_text_at_most() -> None:
    (image,) = page().xpath("//img")
    assert (image.get("width"), image.get("height")) == ("680", "227")


def test_a_marker_without_url_links_to_its_source() -> None:
    shown = page()
    assert shown.xpath("//span[@class='marker']/a[.='[3]']/@href")[0] == "#source-3"
    assert (
        shown.xpath("string(//li[@id='source-3'])")
        == "Weekly livestock survey, February 2026, 2026-03-01"
    )


def test_a_list_continues_at_its_number_and_header_cells_have_a_scope() -> None:
    shown = page("7. a\n8. b\n\n| h |\n|:-:|\n| c |")
    assert shown.xpath("//ol/@start") == ["7"]
    assert shown.xpath("//th/@scope") == ["col"]
    assert shown.xpath("//td/@class") == ["center"]


def test_code_that_begins_with_an_empty_line_keeps_it() -> None:
    assert page("```\n\nx\n```").xpath("string(//pre)") == "\nx"
