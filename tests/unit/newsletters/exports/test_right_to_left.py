"""Dates and numbers in a text from right to left: their parts keep their order in each format."""

from __future__ import annotations

import io

import docx
import pypdfium2
import pytest
from docx.oxml.ns import qn
from lxml import html

from newsletters.exports.blocks import LeftToRight, Paragraph, Text
from newsletters.exports.document import Citation
from newsletters.exports.formats import render
from newsletters.exports.tree import tree
from tests.unit.newsletters.exports.samples import document

DAY = "2026-11-22"
MARK = "\u200e"  # for programs that order by characters
SOURCE = Citation(1, "مصدر", "", "2026-11-20")
SHOWN = document(f"في {DAY} هطل المطر [[1]](#source-1)", language="ar", citations=(SOURCE,))
# Dates in the titles of the issue and of a source, and a program.
NAMED = document(
    f"قبل `f({DAY});` بعد [[1]](#source-1)\n\n```\ng(-1);\n```",
    title="تقرير 2026-11-21",
    language="ar",
    citations=(Citation(1, "مصدر 2026-11-20 عن المطر", "", "2026-11-19"),),
)


def pieces(text: str, language: str = "ar") -> list[str]:
    """The parts of a text that keep their order."""
    (paragraph,) = tree(document(text, language=language))[1:]
    assert isinstance(paragraph, Paragraph)
    return [one.text for one in paragraph.children if isinstance(one, LeftToRight)]


@pytest.mark.parametrize(
    "number",
    [
        "2026-11-22", "22.11.2026", "22/11/2026", "10-12", "10\u201312", "3.5", "1,200,000", "12:30", "-4", "\u22124",
        "1 200 000", "-12 500,75", "\u20ac 1 200", "2026-11-22T10:30:00Z", "2026-11-22T10:30+03:00",
        "+254 700 123 456", "$1,200.50", "1\u00a0200", "\u0662\u0660\u0662\u0666-\u0661\u0661-\u0662\u0662",
    ],
)  # fmt: skip
def test_a_date_range_or_number_is_one_piece(number: str) -> None:
    assert pieces(f"قبل {number} بعد") == [number]
    assert pieces(f"before {number} after", "en") == []


def test_a_plain_number_and_words_are_text() -> None:
    assert pieces("قبل 12 بعد v2") == []
    assert pieces("قبل https://a.example/2026-11-22?n=1-2 و v2.0-3 و COVID-19 بعد") == []
    assert tree(document("مطر", language="ar"))[1] == Paragraph((Text("مطر"),))


def test_a_date_in_a_mail_stays_in_one_line() -> None:
    """Divided between two lines, its parts would stand in the order of the text around it."""
    page = html.fromstring(render("email", SHOWN).body.decode())
    styles = page.xpath("//span[@dir='ltr']/@style")
    assert len(styles) == 2
    assert all("white-space:nowrap" in style for style in styles)


@pytest.mark.parametrize("name", ["html", "email"])
def test_pages_and_mails_isolate_them_by_elements(name: str) -> None:
    page = html.fromstring(render(name, SHOWN).body.decode())
    assert page.xpath("//span[@dir='ltr']/text()") == [DAY, SOURCE.date]
    named = html.fromstring(render(name, NAMED).body.decode())
    dates = ["2026-11-21", "2026-11-20", "2026-11-19"]
    assert named.xpath("//span[@dir='ltr']/text()") == dates
    assert named.xpath("//*[@dir='ltr'][self::code or self::pre]//text()") == [
        f"f({DAY});",
        "g(-1);",
    ]


def test_a_preview_line_isolates_them_by_control_characters() -> None:
    mail = html.fromstring(render("email", SHOWN).body.decode())
    assert f"في \u2066{DAY}\u2069 هطل" in mail.xpath("string(//body)")


def test_word_has_them_in_runs_from_left_to_right() -> None:
    found = docx.Document(io.BytesIO(render("docx", SHOWN).body))
    runs = {run.text: run.font.rtl for paragraph in found.paragraphs for run in paragraph.runs}
    assert not runs[f"{MARK}{DAY}"]
    assert not runs[f"{MARK}{SOURCE.date}"]
    assert runs["في "]


def test_a_program_in_a_word_file_has_a_paragraph_from_left_to_right() -> None:
    found = docx.Document(io.BytesIO(render("docx", NAMED).body))
    (program,) = (one for one in found.paragraphs if one.text == "g(-1);")
    assert program._p.pPr is not None
    assert program._p.pPr.find(qn("w:bidi")) is None
    assert f"{MARK}2026-11-21" in found.paragraphs[0].text


def test_a_plain_text_isolates_them_by_control_characters() -> None:
    text = render("text", SHOWN).body.decode()
    assert f"\u2066{DAY}\u2069" in text
    assert f"\u2066{SOURCE.date}\u2069" in text


def test_a_pdf_has_them_in_their_order() -> None:
    # By the positions on the page: extracted text has the order of the source. Each character is there once.
    shown = document(
        "مطر `x=y+` مطر 0,5 [[8]](#source-8)\n\n```\nabc;\n```",
        title="تقرير 24-6",
        language="ar",
        citations=(Citation(8, "مصدر 3-79 مطر", "", ""),),
    )
    with pypdfium2.PdfDocument(render("pdf", shown).body) as opened:
        page = opened[0].get_textpage()
        text = page.get_text_range()
        left = {one: page.get_charbox(text.index(one))[0] for one in "246379x=y+05abc;"}
    for piece in ("24", "46", "37", "79", "x=", "=y", "y+", "05", "ab", "bc", "c;"):
        assert left[piece[0]] < left[piece[1]], piece
