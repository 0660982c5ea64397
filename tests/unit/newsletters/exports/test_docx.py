"""Word documents: styles, numbering, widths, languages and directions."""

import io
from typing import Any

import docx
import pytest
from docx.document import Document as Package
from docx.oxml.ns import qn

from newsletters.exports.formats import render
from tests.unit.newsletters.exports.samples import IMAGE_URL, document, png, sample

WIDE, HIGH = png(1800, 40), png(10, 2000)


def package(content: str = "", language: str = "en", image: bytes = WIDE) -> Package:
    shown = document(content, language=language) if content else sample()
    return docx.Document(io.BytesIO(render("docx", shown, {IMAGE_URL: image}).body))


def text_width(found: Package) -> int:
    section = found.sections[0]
    sizes = (section.page_width, section.left_margin, section.right_margin)
    width, left, right = (int(size or 0) for size in sizes)
    return width - left - right


def test_blocks_have_built_in_styles() -> None:
    styles = {paragraph.style.name for paragraph in package().paragraphs if paragraph.style}
    assert styles >= {
        "Title",
        "Heading 1",
        "Heading 2",
        "Quote",
        "List Bullet",
        "List Bullet 2",
        "List Number",
    }


def test_each_ordered_list_has_a_numbering_of_its_own_with_its_start() -> None:
    found = package("1. a\n2. b\n\nbetween\n\n1. c\n\nbetween\n\n5. d\n    1. e")
    items: list[Any] = [paragraph for paragraph in found.paragraphs if paragraph.text in {*"abcde"}]
    instances = [item._p.pPr.numPr.numId.val for item in items]
    first, again, second, third, inner = instances
    assert first == again
    assert len({first, second, third, inner}) == 4
    starts = {
        number.numId: number.find(f"{qn('w:lvlOverride')}/{qn('w:startOverride')}").get(qn("w:val"))
        for number in found.part.numbering_part.element.num_lst
        if number.numId in instances
    }
    assert [starts[instance] for instance in (first, second, third, inner)] == ["1", "1", "5", "1"]


def test_tables_are_as_wide_as_the_text_and_repeat_their_header() -> None:
    found = package()
    (table,) = found.tables
    assert sum(int(column.width or 0) for column in table.columns) <= text_width(found)
    header, *rows = table.rows
    assert header._tr.trPr is not None
    assert header._tr.trPr.find(qn("w:tblHeader")) is not None
    assert all(row._tr.trPr.find(qn("w:tblHeader")) is None for row in rows)


def test_a_table_with_too_many_columns_is_a_list() -> None:
    row = "|" + "|".join(f"c{n}" for n in range(40)) + "|"
    found = package(f"{row}\n|{'---|' * 40}\n{row}")
    assert not found.tables
    assert "c39: c39" in [paragraph.text for paragraph in found.paragraphs]


def test_a_table_of_long_numbers_has_small_text_and_columns_that_hold_them() -> None:
    (table,) = package(f"|{'a|' * 8}\n|{'---|' * 8}\n|{'1,200,000.50|' * 8}").tables
    (size,) = {run.font.size.pt for cell in table.rows[1].cells for run in cell.paragraphs[0].runs}
    assert 6.5 <= size < 11
    assert all(cell.width.pt >= 10.8 + len("1200000.50") * size / 2 for cell in table.rows[1].cells)


@pytest.mark.parametrize("image", [WIDE, HIGH])
def test_images_fit_on_the_page_and_have_their_alternative_text(image: bytes) -> None:
    found = package(f"![Rain]({IMAGE_URL})", image=image)
    (shape,) = found.inline_shapes
    assert shape.width <= text_width(found)
    assert shape.height <= 18 * 360_000
    assert shape._inline.docPr.get("descr") == "Rain"


def test_an_image_format_that_word_does_not_have_becomes_a_link_with_a_warning() -> None:
    webp = b"RIFF" + bytes(4) + b"WEBPVP8X" + bytes(8) + bytes((0x5F, 0, 0, 0x3F, 0, 0))
    rendered = render("docx", document(f"![Rain]({IMAGE_URL})"), {IMAGE_URL: webp})
    assert rendered.warnings == ("image_unreadable",)
    (link,) = docx.Document(io.BytesIO(rendered.body)).paragraphs[1].hyperlinks
    assert (link.text, link.url) == ("Rain", IMAGE_URL)


def test_links_are_hyperlinks() -> None:
    (link,) = package("See [the map](https://example.org/map).").paragraphs[1].hyperlinks
    assert (link.text, link.url) == ("the map", "https://example.org/map")


def test_properties_and_language_are_those_of_the_document() -> None:
    found = package()
    assert found.core_properties.author == "County climate desk"
    assert found.core_properties.language == "en"
    language = found.styles.element.find(f"{qn('w:docDefaults')}//{qn('w:lang')}")
    assert language.get(qn("w:val")) == "en"


def test_a_right_to_left_document_has_such_paragraphs_runs_tables_and_fonts() -> None:
    found = package("**مطر** Rain 3\n\n- قائمة\n\n| أ | ب |\n|---|---|\n| ج | د |", "ar")
    for paragraph in found.paragraphs:
        if paragraph.text:
            assert paragraph._p.pPr is not None
            assert paragraph._p.pPr.find(qn("w:bidi")) is not None, paragraph.text
    runs = {run.text.strip(): run.font for run in found.paragraphs[1].runs}
    assert runs["مطر"].rtl
    assert runs["مطر"].cs_bold
    assert not runs["Rain 3"].rtl
    properties = found.tables[0]._tbl.tblPr
    assert properties.find(qn("w:bidiVisual")) is not None
    fonts = found.styles["Normal"].element.rPr.find(qn("w:rFonts"))
    assert fonts.get(qn("w:cs")) == "Arial"
    language = found.styles.element.find(f"{qn('w:docDefaults')}//{qn('w:lang')}")
    assert language.get(qn("w:bidi")) == "ar"


def test_a_left_to_right_document_has_no_such_paragraphs() -> None:
    assert package("Rain مطر").element.body.find(f".//{qn('w:bidi')}") is None
