"""Markdown becomes one tree that all writers read."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newsletters.exports.blocks import (
    CodeBlock,
    Figure,
    Heading,
    Items,
    Link,
    Marker,
    Paragraph,
    Quote,
    Source,
    Sources,
    Strong,
    Table,
    Text,
    plain,
)
from newsletters.exports.document import Citation
from newsletters.exports.tree import image_urls, tree
from tests.cases import each
from tests.unit.newsletters.exports.samples import IMAGE_URL, document


def paragraphs(content: str) -> list[Paragraph]:
    return [block for block in tree(document(content)) if isinstance(block, Paragraph)]


RAIN_URL = "https://climate.example.org/outlook/mam-2026"
MARKED = Paragraph(
    (Text("Rain "), Marker(1, RAIN_URL), Text(", prices "), Marker(3, ""), Text("."))
)


def test_a_link_to_a_source_is_its_marker() -> None:
    assert paragraphs("Rain [[1]](#source-1), prices [[3]](#source-3).") == [MARKED]
    assert paragraphs("[See *rain*](#source-1)")[0].children[-1] == Marker(1, RAIN_URL)


def test_markers_of_earlier_releases_are_read_in_their_drafts() -> None:
    content = f"Rain [[1]](<{RAIN_URL}>), prices \\[3\\]."
    earlier = replace(document(content), earlier_sources=frozenset({1, 3}))
    assert tree(earlier)[1] == MARKED
    assert [type(one) for one in tree(document(content))[1:]] == [Paragraph]


@pytest.mark.parametrize("earlier", [frozenset[int](), frozenset({1, 3})])
def test_brackets_in_a_text_and_unknown_sources_are_text(earlier: frozenset[int]) -> None:
    shown = "As in [9], sys.argv[1] and x[3] [9]."
    content = shown.replace("[9].", "[[9]](#source-9).")
    blocks = tree(replace(document(content), earlier_sources=earlier))
    assert [plain(one.children) for one in blocks[1:] if isinstance(one, Paragraph)] == [shown]
    assert not any(isinstance(block, Sources) for block in blocks)


def test_a_marker_in_code_is_code() -> None:
    blocks = tree(document("`[[3]](#source-3)`\n\n    [[3]](#source-3)"))
    assert not any(isinstance(block, Sources) for block in blocks)


def test_the_sources_are_those_whose_marker_still_occurs_by_number() -> None:
    *_, heading, sources = tree(document("Prices [[3]](#source-3) and rain [[1]](#source-1)."))
    assert heading == Heading(2, (Text("Sources"),))
    assert isinstance(sources, Sources)
    assert [source.n for source in sources.entries] == [1, 3]


def test_without_markers_there_is_no_sources_list() -> None:
    assert [type(block) for block in tree(document("No source."))] == [Heading, Paragraph]


def test_an_unsafe_url_of_a_citation_is_left_out() -> None:
    citation = Citation(1, "Paper", "javascript:alert(1)", "")
    *_, sources = tree(document("Rain [[1]](#source-1).", citations=(citation,)))
    assert sources == Sources((Source(1, (Text("Paper"),), "", ""),))


@pytest.mark.parametrize(
    ("language", "heading"),
    [
        ("de", "Quellen"),
        ("pt-BR", "Fontes"),
        ("ar", "المصادر"),
        ("am", "ምንጮች"),
        ("fi", "Sources"),
        ("?", "Sources"),
    ],
)
def test_the_sources_heading_is_in_the_language_of_the_document(
    language: str, heading: str
) -> None:
    *_, found, _ = tree(document("Rain [[1]](#source-1).", language=language))
    assert found == Heading(2, (Text(heading),))


@each(
    "content",
    [
        "[x](javascript:alert(1))",
        "[x](data:text/html,hello)",
        "[x](vbscript:x)",
        "[x](relative/path)",
        "[x](//example.org/a)",
        "[x](ftp://example.org/a)",
        "![x](data:image/png;base64,AAAA)",
        "<javascript:alert(1)>",
        "<script>alert(1)</script>",
        '<b onclick="x">bold</b>',
        "<!-- comment -->",
        "[x](https:example.org)",
    ],
)
def test_raw_html_and_unsafe_links_stay_text_as_typed(content: str) -> None:
    assert paragraphs(content) == [Paragraph((Text(content),))]


def test_safe_links_survive() -> None:
    (paragraph,) = paragraphs(
        "[a](http://example.org) [b](https://example.org/?x=1&y=2) <mailto:a@example.org>"
    )
    urls = [child.url for child in paragraph.children if isinstance(child, Link)]
    assert urls == ["http://example.org", "https://example.org/?x=1&y=2", "mailto:a@example.org"]


@pytest.mark.parametrize(
    "title",
    [
        'Profit *up* #set text(red) $x$ <b>"quoted"</b> & more',
        "_a_ `b` [c](https://example.org)",
        "C#",
        "Chapter #",
    ],
)
def test_the_title_is_text_as_typed(title: str) -> None:
    assert tree(document("", title=title)) == (Heading(1, (Text(title),)),)


def test_a_heading_of_the_content_is_the_title_if_it_differs() -> None:
    blocks = tree(document("Text"))
    edited = tree(document("Text").__class__("Old", "en", "# A *new* title\n\nText", "", ()))
    assert isinstance(blocks[0], Heading)
    assert isinstance(edited[0], Heading)
    assert edited[0].children[0] == Text("A ")


def test_content_without_a_title_gets_it() -> None:
    found = tree(document("").__class__("March", "en", "Text", "", ()))
    assert found == (Heading(1, (Text("March"),)), Paragraph((Text("Text"),)))


def test_headings_have_one_first_level_and_skip_none() -> None:
    blocks = tree(document("# Another\n\n#### Deep\n\n## Up\n\n##"))
    assert [block.level for block in blocks if isinstance(block, Heading)] == [1, 2, 3, 2]


def test_a_heading_without_visible_text_is_left_out() -> None:
    assert tree(document("## \u200b\n\n# \u00ad")) == (Heading(1, (Text("March"),)),)
    assert tree(document("", title=" \u200b"))[0] == Heading(1, (Text("Newsletter"),))


def test_a_heading_in_a_quotation_is_a_strong_paragraph() -> None:
    assert tree(document("> # Loud"))[1] == Quote((Paragraph((Strong((Text("Loud"),)),)),))


def test_an_image_that_was_fetched_is_a_figure_between_the_text() -> None:
    blocks = tree(document(f"before ![Rain]({IMAGE_URL}) after"), {IMAGE_URL})
    assert blocks[1:] == (
        Paragraph((Text("before"),)),
        Figure(IMAGE_URL, "Rain", ""),
        Paragraph((Text("after"),)),
    )


def test_the_urls_of_images_are_those_that_the_tree_looks_up() -> None:
    content = f"![a]({IMAGE_URL}) [![b](https://images.example.org/ö.png)](https://example.org)\n\n![a]({IMAGE_URL})"
    urls = image_urls(f"{content}\n\n![c](http://images.example.org/c.png)")
    assert urls == [IMAGE_URL, "https://images.example.org/%C3%B6.png"]
    figures = [block for block in tree(document(content), urls) if isinstance(block, Figure)]
    assert [figure.url for figure in figures] == [*urls, IMAGE_URL]


def test_an_image_inside_a_link_keeps_the_link() -> None:
    blocks = tree(document(f"[![Rain]({IMAGE_URL})](https://example.org/map)"), {IMAGE_URL})
    assert blocks[1] == Figure(IMAGE_URL, "Rain", "https://example.org/map")


def test_an_image_inside_styled_text_is_its_alternative_text() -> None:
    (paragraph,) = tree(document(f"**a ![Rain]({IMAGE_URL})** b"), {IMAGE_URL})[1:]
    assert paragraph == Paragraph(
        (Strong((Text("a "), Link(IMAGE_URL, (Text("Rain"),)))), Text(" b"))
    )


def test_another_image_is_its_alternative_text_with_a_link() -> None:
    assert paragraphs(f"![Rain]({IMAGE_URL})") == [Paragraph((Link(IMAGE_URL, (Text("Rain"),)),))]


def test_an_ordered_list_keeps_its_first_number() -> None:
    blocks = tree(document("7. a\n8. b"))
    assert isinstance(blocks[1], Items)
    assert (blocks[1].start, len(blocks[1].items)) == (7, 2)


def test_the_rows_of_a_table_are_as_long_as_its_header() -> None:
    table = tree(document("| a | b |\n|--:|---|\n| 1 |\n| 1 | 2 | 3 |"))[1]
    assert isinstance(table, Table)
    assert [str(side) for side in table.alignments] == ["right", "start"]
    assert {len(row) for row in table.rows} == {2}


@pytest.mark.parametrize(
    "content", ["> " * 60 + "end", "- " * 45 + "end", "*a " * 400 + "end" + "*" * 400]
)
def test_text_that_is_nested_deeply_is_kept(content: str) -> None:
    assert "end" in repr(tree(document(content)))


def test_characters_that_xml_does_not_allow_are_replaced() -> None:
    blocks = tree(document("a\x00b\x0bc\ud800d"))
    assert blocks[1] == Paragraph((Text("a\ufffdb\ufffdc\ufffdd"),))


def test_lines_of_code_are_kept() -> None:
    assert tree(document("```\na\n  b\n\nc\n```"))[1] == CodeBlock("a\n  b\n\nc")


@given(st.text(alphabet=st.sampled_from("ab \n*_`[]()<>#-+1.|~!\\&:/@"), max_size=80))
def test_any_content_has_a_tree_with_the_title_first(content: str) -> None:
    blocks = tree(document(content), {IMAGE_URL})
    assert blocks[0] == Heading(1, (Text("March"),))
