"""PDFs: pages, glyphs, widths, tags. Read with pypdf, and rasterised with pypdfium2 where coordinates matter."""

import io
from typing import Any

import pypdf
import pypdfium2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newsletters.exports.document import Rendered
from newsletters.exports.formats import render
from tests.cases import each
from tests.unit.newsletters.exports.samples import IMAGE_URL, document, png, sample

SCRIPTS = {
    "Latin": "Überprüfung naïve Łódź",
    "Arabic": "محمد عبد الله",
    "Hebrew": "שרה כהן",
    "Amharic": "ሰላማዊት ገብረ",
    "Devanagari": "अनीता शर्मा",
}
MARGIN = 64.5  # points
PAGE = 595.3


def pdf(content: str, language: str = "en", image: bytes = b"") -> Rendered:
    return render("pdf", document(content, language=language), {IMAGE_URL: image} if image else {})


def reader(rendered: Rendered) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(rendered.body))


def inked_columns(rendered: Rendered, number: int = 0) -> tuple[float, float]:
    """The first and the last column of a page, in points, that is not white."""
    with pypdfium2.PdfDocument(rendered.body) as opened:
        bitmap = opened[number].render(scale=1, grayscale=True)
        stride, width, pixels = bitmap.stride, bitmap.width, bytes(bitmap.buffer)
    rows = [pixels[at : at + width] for at in range(0, len(pixels), stride)]
    inked = [x for x in range(width) if any(row[x] < 250 for row in rows)]
    return inked[0], inked[-1]


@pytest.fixture(scope="module")
def issue() -> pypdf.PdfReader:
    return reader(render("pdf", sample(), {IMAGE_URL: png(900, 300)}))


def test_the_sample_has_three_pages_with_numbers_and_a_running_title(
    issue: pypdf.PdfReader,
) -> None:
    assert len(issue.pages) == 3
    last = issue.pages[2].extract_text()
    assert "3 / 3" in last
    assert "what changed in March" in last


def test_the_file_is_tagged_and_has_title_language_and_outline(issue: pypdf.PdfReader) -> None:
    catalog: Any = issue.root_object
    assert catalog["/MarkInfo"]["/Marked"]
    assert catalog["/Lang"] == "en"
    assert catalog["/ViewerPreferences"]["/DisplayDocTitle"]
    assert b"pdfuaid:part" in catalog["/Metadata"].get_data()
    assert [str(entry["/Title"]) for entry in issue.outline if isinstance(entry, dict)] == [
        sample().title
    ]


def test_links_and_the_image_are_in_the_file(issue: pypdf.PdfReader) -> None:
    urls = {
        annotation.get_object().get("/A", {}).get("/URI")
        for page in issue.pages
        for annotation in page.get("/Annots", [])
    }
    assert {
        "https://climate.example.org/outlook/mam-2026",
        "mailto:h.alamin@research.example.org",
    } <= urls
    assert [len(page.images) for page in issue.pages] == [1, 0, 0]


def test_a_table_that_continues_on_another_page_repeats_its_header() -> None:
    rows = "\n".join(f"| row {n} | {n} |" for n in range(90))
    pages = reader(pdf(f"| Market | Price |\n|---|---|\n{rows}")).pages
    assert len(pages) > 1
    assert all("Market" in page.extract_text() for page in pages)


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_script_has_glyphs_and_its_text_can_be_extracted(script: str) -> None:
    rendered = pdf(f"{SCRIPTS[script]} **{SCRIPTS[script]}**")
    assert rendered.warnings == ()
    with pypdfium2.PdfDocument(rendered.body) as opened:
        extracted = opened[0].get_textpage().get_text_bounded()
    # Readers return the letters of a word in either order.
    assert sorted(set(SCRIPTS[script]) - {" "}) == sorted(
        set(extracted) & (set(SCRIPTS[script]) - {" "})
    )


def fonts_of(page: Any) -> list[Any]:
    return list(page["/Resources"]["/Font"].values())


def test_only_shipped_fonts_are_embedded_and_no_missing_glyph_is_shown() -> None:
    fonts = {
        str(font.get_object()["/BaseFont"])
        for page in reader(pdf(" ".join(SCRIPTS.values()) + " `code` *italic*")).pages
        for font in fonts_of(page)
    }
    assert fonts
    families = ("+NotoSans", "+NotoNaskhArabic", "+DejaVuSansMono")  # the last one: of code
    assert all(any(family in font for family in families) for font in fonts)
    assert any("+DejaVuSansMono" in font for font in fonts)


def test_a_character_without_glyph_gives_a_warning_and_is_replaced() -> None:
    rendered = pdf("Kanji 漢 and a sunflower 🌻")
    assert rendered.warnings == ("missing_glyph",)
    assert "Kanji \ufffd and a sunflower \ufffd" in reader(rendered).pages[0].extract_text()


def test_an_invisible_character_without_glyph_gives_none() -> None:
    assert pdf("a\u2060b\ufe0f\tc").warnings == ()


@each("language", ["en", "ar"])
@each("columns", [1, 6, 16, 40])
def test_tables_stay_between_the_margins(columns: int, language: str) -> None:
    header = "|" + "|".join(f"Column {n} with a name" for n in range(columns)) + "|"
    row = "|" + "|".join("averyveryverylongwordwithoutanyspace" for _ in range(columns)) + "|"
    left, right = inked_columns(pdf(f"{header}\n|{'---|' * columns}\n{row}", language))
    assert left >= MARGIN
    assert right <= PAGE - MARGIN


@each("columns", [6, 12, 16])
def test_numbers_in_tables_are_not_broken(columns: int) -> None:
    numbers = [
        "2026-11-22",
        "1,200,000.50",
        "\u221212 %",
        "+254 700 123 456",
        "1,000\u20131,200",
        "22/11/2026",
    ]
    row = [f"some words with {numbers[0]}", *(numbers * 3)[1:columns]]
    rendered = pdf(f"|{'Column|' * columns}\n|{'---|' * columns}\n|{'|'.join(row)}|")
    left, right = inked_columns(rendered)
    with pypdfium2.PdfDocument(rendered.body) as opened:
        shown = opened[0].get_textpage().get_text_bounded()
    assert [one for one in numbers if one not in shown] == []
    assert MARGIN <= left < right <= PAGE - MARGIN


@pytest.mark.parametrize(("width", "height"), [(3000, 20), (20, 1500)])
def test_images_stay_between_the_margins(width: int, height: int) -> None:
    rendered = pdf(f"![Rain]({IMAGE_URL})", image=png(width, height))
    left, right = inked_columns(rendered)
    assert left >= MARGIN
    assert right <= PAGE - MARGIN
    assert len(reader(rendered).pages) == 1


def test_long_words_and_urls_stay_between_the_margins() -> None:
    word = "x" * 400
    url = f"https://example.org/{'path' * 60}"
    left, right = inked_columns(
        pdf(
            f"# {word}\n\n## {word}\n\n{word}\n\n<{url}>\n\n`{word}`\n\n- {word}\n\n```\n{word}\n```"
        )
    )
    assert left >= MARGIN
    assert right <= PAGE - MARGIN


def test_long_words_of_a_title_and_of_headings_stay_between_the_margins() -> None:
    word = "w" * 100
    rendered = render("pdf", document(f"## {word}\n\n### {word}", title=word))
    left, right = inked_columns(rendered)
    assert left >= MARGIN
    assert right <= PAGE - MARGIN


def edges_of(character: str, rendered: Rendered) -> tuple[float, float]:
    """The left and the right edge of a character on the first page, in points."""
    with pypdfium2.PdfDocument(rendered.body) as opened:
        text = opened[0].get_textpage()
        left, _, right, _ = text.get_charbox(text.get_text_range().index(character))
        return left, right


@pytest.mark.parametrize("content", ["{}", "- {}", "| {} |\n|---|"])
def test_text_begins_at_the_margin_of_its_direction(content: str) -> None:
    left, _ = edges_of("z", pdf(content.format("z")))
    _, right = edges_of("ש", pdf(content.format("ש"), "he"))
    assert MARGIN <= left < MARGIN + 30
    assert PAGE - MARGIN - 30 < right <= PAGE - MARGIN


def test_a_damaged_image_is_left_out_with_a_warning() -> None:
    damaged = bytearray(png(40, 40))
    damaged[60:90] = bytes(30)
    rendered = pdf(f"![Rain map]({IMAGE_URL})", image=bytes(damaged))
    assert rendered.warnings == ("image_unreadable",)
    assert "Rain map" in reader(rendered).pages[0].extract_text()


def test_a_language_that_typst_does_not_know_is_no_error() -> None:
    assert (
        pdf("text", "ckb-IQ").warnings
        == pdf("text", "x").warnings
        == pdf("text", "zh-Hant-TW").warnings
        == ()
    )


PIECES = [
    *(
        "a",
        "**",
        "*",
        "~~",
        "`",
        "\n",
        "\n\n",
        "> ",
        "- ",
        "1. ",
        "    ",
        "## ",
        "```\n",
        "---\n",
        "\\\n",
    ),
    *(
        "[x](https://example.org)",
        "[~~x~~](https://example.org)",
        "~~[x](https://example.org)~~",
        "[[1]](#source-1)",
        "[[3]](#source-3)",
    ),
    *(f"![Rain]({IMAGE_URL})", f"![]({IMAGE_URL})", f"[![Rain]({IMAGE_URL})](https://example.org)"),
    *(
        "| a | b |\n|---|:-:|\n| [[3]](#source-3) | x |\n",
        "מ",
        "م",
        "漢",
        "\u00ad",
        "\u200b",
        "\u202b",
        "#",
        "$",
        "@",
        "x" * 99,
    ),
]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=20), st.sampled_from(["en", "ar", "am"]))
def test_any_content_is_laid_out_with_its_images(pieces: list[str], language: str) -> None:
    rendered = pdf("".join(pieces), language, png(20, 10))
    assert rendered.body.startswith(b"%PDF-")
    assert set(rendered.warnings) <= {"missing_glyph", "image_without_text"}


def test_symbols_of_running_text_have_glyphs() -> None:
    assert pdf("→ ≥ ≤ ≈ ✓ ✗ ★ ■ • … € ₹ ½ ² ① ☎").warnings == ()


def test_nested_lists_quotes_and_empty_items_are_laid_out() -> None:
    content = "1. a\n   > b\n   >\n   > - c\n   >   1. d\n\n-\n- \n\n***\n\n" + "> " * 30 + "deep"
    assert "deep" in reader(pdf(content)).pages[0].extract_text()
