"""Dates and numbers in a text from right to left: their parts keep their order in each format."""

from __future__ import annotations

import io

import docx
import pypdf
import pytest
from lxml import html

from newsletters.exports.blocks import LeftToRight, Paragraph, Text
from newsletters.exports.document import Citation
from newsletters.exports.formats import render
from newsletters.exports.tree import tree
from tests.unit.newsletters.exports.samples import document

DAY = "2026-11-22"
SOURCE = Citation(1, "مصدر", "", "2026-11-20")
SHOWN = document(f"في {DAY} هطل المطر [[1]](#source-1)", language="ar", citations=(SOURCE,))


def pieces(text: str, language: str = "ar") -> list[str]:
    """The parts of a text that keep their order."""
    (paragraph,) = tree(document(text, language=language))[1:]
    assert isinstance(paragraph, Paragraph)
    return [one.text for one in paragraph.children if isinstance(one, LeftToRight)]


@pytest.mark.parametrize(
    "number",
    [
        "2026-11-22", "22.11.2026", "22/11/2026", "10-12", "10\u201312", "3.5", "1,200,000", "12:30", "-4", "\u22124",
        "+254 700 123 456", "1\u00a0200", "\u0662\u0660\u0662\u0666-\u0661\u0661-\u0662\u0662",
    ],
)  # fmt: skip
def test_a_date_range_or_number_is_one_piece(number: str) -> None:
    assert pieces(f"قبل {number} بعد") == [number]
    assert pieces(f"before {number} after", "en") == []


def test_a_plain_number_and_words_are_text() -> None:
    assert pieces("قبل 12 بعد v2") == []
    assert tree(document("مطر", language="ar"))[1] == Paragraph((Text("مطر"),))


@pytest.mark.parametrize("name", ["html", "email"])
def test_pages_and_mails_isolate_them_by_elements(name: str) -> None:
    page = html.fromstring(render(name, SHOWN).body.decode())
    assert page.xpath("//span[@dir='ltr']/text()") == [DAY, SOURCE.date]


def test_word_has_them_in_runs_from_left_to_right() -> None:
    found = docx.Document(io.BytesIO(render("docx", SHOWN).body))
    runs = {run.text: run.font.rtl for paragraph in found.paragraphs for run in paragraph.runs}
    assert not runs[DAY]
    assert not runs[SOURCE.date]
    assert runs["في "]


def test_a_plain_text_isolates_them_by_control_characters() -> None:
    assert f"\u2066{DAY}\u2069" in render("text", SHOWN).body.decode()


def test_a_pdf_has_them_in_their_order() -> None:
    page = pypdf.PdfReader(io.BytesIO(render("pdf", SHOWN).body)).pages[0].extract_text()
    assert DAY in page
    assert SOURCE.date in page
