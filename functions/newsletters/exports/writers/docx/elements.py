"""Elements of WordprocessingML that python-docx has no methods for."""

from __future__ import annotations

import unicodedata
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt
from docx.text.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docx.document import Document as Package
    from docx.oxml.text.hyperlink import CT_Hyperlink
    from docx.styles.style import CharacterStyle, ParagraphStyle
    from docx.styles.styles import Styles
    from docx.table import Table, _Row
    from docx.text.paragraph import Paragraph

# The schema fixes the order of properties; these follow the ones we insert.
_AFTER_BIDI: Final = (
    *(
        "w:adjustRightInd",
        "w:snapToGrid",
        "w:spacing",
        "w:ind",
        "w:contextualSpacing",
        "w:mirrorIndents",
    ),
    *(
        "w:suppressOverlap",
        "w:jc",
        "w:textDirection",
        "w:textAlignment",
        "w:textboxTightWrap",
        "w:outlineLvl",
    ),
    *("w:divId", "w:cnfStyle", "w:rPr", "w:sectPr", "w:pPrChange"),
)
_AFTER_BORDER: Final = ("w:shd", "w:tabs", "w:suppressAutoHyphens", "w:bidi", *_AFTER_BIDI)
HYPERLINK: Final = "Hyperlink"  # id of the style
_RTL: Final = frozenset({"R", "AL", "AN"})


def make_bidirectional(paragraph: Paragraph) -> None:
    """Give a paragraph the direction right to left."""
    properties = paragraph._p.get_or_add_pPr()
    properties.insert_element_before(_element("w:bidi"), *_AFTER_BIDI)


def relate(package: Package, url: str) -> str:
    """Add an external URL to the relations of a document; returns the relation's id."""
    return str(package.part.relate_to(url, RELATIONSHIP_TYPE.HYPERLINK, is_external=True))


def add_hyperlink(paragraph: Paragraph, relation: str) -> Hyperlink:
    """Add an external hyperlink without content to a paragraph."""
    element = _element("w:hyperlink")
    element.set(qn("r:id"), relation)
    element.set(qn("w:history"), "1")
    paragraph._p.append(element)
    return Hyperlink(element, paragraph)


class Hyperlink:
    """A hyperlink that is being written."""

    def __init__(self, element: CT_Hyperlink, paragraph: Paragraph) -> None:
        self._element = element
        self._paragraph = paragraph

    def add_run(self, text: str) -> Run:
        """Add a run of text in the style of hyperlinks."""
        element = _element("w:r")
        self._element.append(element)
        run = Run(element, self._paragraph)
        run._r.style = HYPERLINK
        run.text = text
        return run


def add_field(paragraph: Paragraph, instruction: str) -> None:
    """Add a field, such as PAGE, that the program computes."""
    element = _element("w:fldSimple")
    element.set(qn("w:instr"), instruction)
    run = _element("w:r")
    text = _element("w:t")
    text.text = "1"
    run.append(text)
    element.append(run)
    paragraph._p.append(element)


def by_direction(text: str) -> Iterator[tuple[bool, str]]:
    """
    Split text into stretches: (right to left, text).

    Characters without a direction, such as spaces and digits, belong to the run before them.
    """
    rtl = False

    def direction(character: str) -> bool:
        nonlocal rtl
        kind = unicodedata.bidirectional(character)
        if kind in _RTL or kind == "L":
            rtl = kind != "L"
        return rtl

    for key, group in groupby(text, direction):
        yield key, "".join(group)


def restarted_numbering(package: Package, style_name: str, start: int) -> int:
    """Add a numbering instance for a list style, beginning at *start*; returns its id."""
    numbering = package.part.numbering_part.element
    base = package.styles[style_name].element.pPr.numPr.numId.val
    instance = numbering.add_num(numbering.num_having_numId(base).abstractNumId.val)
    instance.add_lvlOverride(ilvl=0).add_startOverride(start)
    return int(instance.numId)


def set_numbering(paragraph: Paragraph, numbering_id: int) -> None:
    """Make a paragraph an item of a numbering instance."""
    properties: Any = paragraph._p.get_or_add_pPr()
    numbering = properties.get_or_add_numPr()
    numbering.get_or_add_ilvl().val = 0
    numbering.get_or_add_numId().val = numbering_id


def repeat_header(row: _Row) -> None:
    """Repeat a row at the top of each page that its table continues on."""
    row._tr.get_or_add_trPr().append(_element("w:tblHeader"))


def keep_together(row: _Row) -> None:
    """Keep a row on one page."""
    row._tr.get_or_add_trPr().insert(0, _element("w:cantSplit"))


def shade_cells(row: _Row, colour: str) -> None:
    """Fill the cells of a row with a colour, #rrggbb."""
    for cell in row.cells:
        cell._tc.get_or_add_tcPr().append(_shading(colour))


def order_columns_right_to_left(table: Table) -> None:
    """Put the first column of a table on the right."""
    properties = table._tbl.tblPr
    properties.insert_element_before(
        _element("w:bidiVisual"),
        *(
            "w:tblStyleRowBandSize",
            "w:tblStyleColBandSize",
            "w:tblW",
            "w:jc",
            "w:tblCellSpacing",
            "w:tblInd",
        ),
        *("w:tblBorders", "w:shd", "w:tblLayout", "w:tblCellMar", "w:tblLook"),
    )


def set_complex_font(style: ParagraphStyle, font: str, complex_font: str, size: int) -> None:
    """Set the fonts of a style by name instead of by theme, and its size, in points, for complex scripts."""
    properties = style.element.get_or_add_rPr()
    fonts = properties.get_or_add_rFonts()
    fonts.attrib.clear()
    for script, name in (("ascii", font), ("hAnsi", font), ("cs", complex_font)):
        fonts.set(qn(f"w:{script}"), name)
    for old in properties.findall(qn("w:szCs")):
        properties.remove(old)
    element = _element("w:szCs")
    element.set(qn("w:val"), str(2 * size))
    properties.find(qn("w:sz")).addnext(element)


def set_size(run: Run, size: float) -> None:
    """Set the size of a run, in points, for all scripts; in Word it is a number of half points."""
    run.font.size = Pt(int(2 * size) / 2)
    element = _element("w:szCs")
    element.set(qn("w:val"), str(int(2 * size)))
    properties: Any = run._r.get_or_add_rPr()
    properties.find(qn("w:sz")).addnext(element)


def set_paragraph_border(style: ParagraphStyle, direction: str, colour: str) -> None:
    """Draw a line at the start of the paragraphs of a style."""
    border = _element("w:pBdr")
    line = _element("w:right" if direction == "rtl" else "w:left")
    for name, value in (("val", "single"), ("sz", "18"), ("space", "8"), ("color", colour[1:])):
        line.set(qn(f"w:{name}"), value)
    border.append(line)
    style.element.get_or_add_pPr().insert_element_before(border, *_AFTER_BORDER)


def colour_title_line(style: ParagraphStyle, colour: str) -> None:
    """Set the colour of the line that a built-in style draws below its paragraphs."""
    line = style.element.find(f".//{qn('w:pBdr')}/{qn('w:bottom')}")
    for theme in ("themeColor", "themeTint", "themeShade"):
        line.attrib.pop(qn(f"w:{theme}"), None)
    line.set(qn("w:color"), colour[1:])


def set_table_lines(table: Table, colour: str) -> None:
    """Draw horizontal lines in a colour between the rows of a table, and none between its columns."""
    borders = _element("w:tblBorders")
    for side in ("top", "left", "bottom", "right", "insideH", "insideV"):
        line = _element(f"w:{side}")
        horizontal = side in {"top", "bottom", "insideH"}
        line.set(qn("w:val"), "single" if horizontal else "nil")
        if horizontal:
            line.set(qn("w:sz"), "4")
            line.set(qn("w:color"), colour[1:])
        borders.append(line)
    table._tbl.tblPr.insert_element_before(
        borders, "w:shd", "w:tblLayout", "w:tblCellMar", "w:tblLook"
    )


def shade_run_style(style: CharacterStyle, colour: str) -> None:
    """Fill the background of text in a style."""
    style.element.get_or_add_rPr().append(_shading(colour))


def set_default_language(styles: Styles, language: str, direction: str) -> None:
    """Set the language of all text that names none."""
    element = styles.element.find(f"{qn('w:docDefaults')}//{qn('w:lang')}")
    element.set(qn("w:val"), "en-US" if direction == "rtl" else language)
    element.set(qn("w:bidi"), language if direction == "rtl" else "ar-SA")


def _element(tag: str) -> Any:  # noqa: ANN401 - the types of lxml and of python-docx's elements exclude each other
    return OxmlElement(tag)


def _shading(colour: str) -> Any:  # noqa: ANN401 - as above
    shading = _element("w:shd")
    for name, value in (("val", "clear"), ("color", "auto"), ("fill", colour[1:])):
        shading.set(qn(f"w:{name}"), value)
    return shading
