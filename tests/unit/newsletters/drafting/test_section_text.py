"""Sections of a draft: markers of sources, and warnings."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from newsletters.drafting.content import cited
from newsletters.drafting.text.section_text import Sources, parsed, rendered, statements
from newsletters.store.items import Reference
from shared.ai.calls.model_calls import AnswerInvalid
from tests.cases import each
from tests.unit.newsletters.drafting.hostile import HOSTILE
from tests.unit.newsletters.drafting.samples import blocks, item, reference, section

REPORT = "https://docs.example/report?a=1&b=2"
RAIN = reference("r1", "In 2026, 1,200 mm of rain fell, 3.5 % more.", title="Report 9", url=REPORT)
PRICES = reference("r2", "Prices fell.", date="2026-01-05")
SOURCES = {"c01": RAIN, "c02": PRICES}
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
BLOCKS = {"paragraph", "heading", "bullet_list", "list_item", "blockquote", "inline"}
KINDS = st.sampled_from(["paragraph", "bullet", "subheading", "quote"])
LABELS = st.lists(st.sampled_from(["c01", "c02"]), max_size=2)


def written(
    *content: tuple[str, str, list[str]], kind: str = "main", sources: Sources | None = None
) -> str:
    one = section(kind, item("Rain"))
    return rendered(
        "main", one, blocks(*content), SOURCES, sources or Sources(), language="en"
    ).markdown


def warned(
    *content: tuple[str, str, list[str]], kind: str = "main", language: str = "en"
) -> list[tuple[str, str]]:
    one = section(kind, item("Rain in 77 places", user_notes="About 88 people"))
    text = rendered("k", one, blocks(*content), SOURCES, Sources(), language=language)
    assert {warning.section for warning in text.warnings} <= {"k"}
    return [(warning.code, warning.text) for warning in text.warnings]


def test_blocks_become_markdown_with_markers_of_their_sources() -> None:
    markdown = written(
        ("subheading", "Rain", []),
        ("paragraph", "It rained.", ["c01", "c02", "c01"]),
        ("bullet", "More rain", ["c01"]),
        ("bullet", "Lower prices", ["c02"]),
        ("paragraph", "- and so on", ["c02"]),
        ("bullet", "Last", ["c02"]),
        ("quote", "Prices fell.", ["c02"]),
    )

    assert markdown == (
        "### Rain\n\n"
        "It rained. [[1]](#source-1) [[2]](#source-2)\n\n"
        "- More rain [[1]](#source-1)\n"
        "- Lower prices [[2]](#source-2)\n\n"
        "\\- and so on [[2]](#source-2)\n\n"
        "- Last [[2]](#source-2)\n\n"
        "> Prices fell. [[2]](#source-2)"
    )


def test_sources_are_numbered_by_first_use_across_sections() -> None:
    sources = Sources()

    assert written(("paragraph", "Prices fell.", ["c02"]), sources=sources).endswith(
        "[[1]](#source-1)"
    )
    assert "[[2]]" in written(("paragraph", "Rain.", ["c01", "c02"]), sources=sources)
    assert [(one.n, one.chunk_id) for one in sources.citations.values()] == [(1, "r2"), (2, "r1")]


def test_a_statement_without_a_source_is_uncited_except_in_the_frame() -> None:
    content = [("paragraph", "It rained.", list[str]()), ("subheading", "Rain", list[str]())]

    assert warned(*content) == [("uncited", "It rained.")]
    assert warned(*content, kind="introduction") == []
    assert warned(*content, kind="conclusion") == []


@each(
    ("text", "refs", "unsupported"),
    [
        ("In 2026, 1200 mm fell.", ["c01"], []),
        ("In 2026, 1.200 mm fell.", ["c01"], []),
        ("1\u202f200 mm, 3,5\u00a0% more.", ["c01"], []),
        ("\u0661\u066c\u0662\u0660\u0660 mm, \u0663\u066b\u0665 %", ["c01"], []),
        ("3.5 % more at the beginning", ["c01"], []),
        ("35 % more", ["c01"], ["35 %"]),
        ("1,201 mm", ["c01"], ["1201"]),
        ("\u0661\u0662\u0660\u0661 mm", ["c01"], ["1201"]),
        (
            "On 5 January 2026 prices fell.",
            ["c02"],
            ["5", "2026", "5 January 2026"],
        ),  # only its date has them
        ("In 2026, 1200 mm fell.", ["c02"], ["2026", "1200"]),
        ("In 2026 prices fell by 7.", ["c01", "c02"], ["7"]),
        ("Twelve hundred millimetres in 2026", ["c01"], []),
        ("Thirteen hundred millimetres", ["c01"], ["1300"]),
        ("1,200 % more", ["c01"], ["1200 %"]),
        ("At 77 places 88 people met.", ["c01"], ["77", "88"]),  # of the outline and its notes
        ("Report 9 of this source", ["c01"], ["9"]),  # of its title
        ("**1**200 mm", ["c01"], []),
    ],
)
def test_numbers_must_occur_in_a_cited_source(
    text: str, refs: list[str], unsupported: list[str]
) -> None:
    assert warned(("paragraph", text, refs)) == [
        ("unsupported_number", number) for number in unsupported
    ]


def test_a_number_in_a_subheading_must_occur_in_a_source_of_the_section() -> None:
    assert warned(("subheading", "1200 mm of rain", [])) == []
    assert warned(("subheading", "99 % growth", [])) == [("unsupported_number", "99 %")]


@each(
    ("text", "markdown"),
    [
        ("See [it](https://bad.example).", "See it."),
        ("See https://bad.example now.", "See now."),
        ("See bad.example/x now.", "See now."),
        ("It rained [[3]](<https://bad.example>).", "It rained \\[3\\]."),
        ("It rained [[2]](#source-2).", "It rained \\[2\\]."),
        ("https://bad.example", ""),
    ],
)
def test_links_and_addresses_of_the_model_are_removed(text: str, markdown: str) -> None:
    content = ("paragraph", text, ["c02"])

    assert written(content) == f"{markdown} [[1]](#source-1)".strip() * bool(markdown)
    assert [code for code, _ in warned(content) if code != "unsupported_number"] == ["unlinked"]


@pytest.mark.parametrize("text", ["sys.argv[1] and x[2]", "It rained [3].", "a [b] (c)", "\\[1\\]"])
def test_brackets_of_the_model_stay_text_and_cite_nothing(text: str) -> None:
    content = ("paragraph", text, ["c02"])

    tokens = PARSER.parse(written(content))

    shown = "".join(one.content for one in tokens[1].children or [])
    assert shown == f"{text.replace(chr(92), '')} [1]"
    assert cited(written(content)) == {1}
    assert not [code for code, _ in warned(content) if code != "unsupported_number"]


def test_a_label_in_the_text_and_a_changed_quotation_are_warnings() -> None:
    assert warned(("paragraph", "It rained (c01).", ["c02"])) == [
        ("source_label", "It rained (c01)."),
        ("unsupported_number", "1"),
    ]
    assert warned(("quote", "prices fell", ["c02"])) == []
    assert warned(("quote", "Prices fell fast.", ["c02"])) == [
        ("quote_changed", "Prices fell fast.")
    ]
    assert warned(("paragraph", "They say \u201cprices fell very fast\u201d.", ["c02"])) == [
        ("quote_changed", "prices fell very fast")
    ]


def test_a_text_in_another_language_is_a_warning_but_a_quotation_is_none() -> None:
    german = "Die Preise sind gefallen, und wir haben das nicht erwartet."

    assert [code for code, _ in warned(("paragraph", german, ["c02"]))] == ["wrong_language"]
    assert warned(("paragraph", german, ["c02"]), language="de-AT") == []
    assert [code for code, _ in warned(("quote", german, ["c02"]))] == ["quote_changed"]
    halves = [
        ("bullet", part, ["c02"])
        for part in ("Die Preise sind", "gefallen, und wir", "haben es nicht")
    ]
    assert [code for code, _ in warned(*halves)] == ["wrong_language"]


def test_a_warning_shows_the_beginning_of_the_text_without_markup() -> None:
    (code, shown), *others = warned(("paragraph", "**Rain** [x] " + "word " * 60, []))

    assert (code, others) == ("uncited", [])
    assert shown.startswith("Rain [x] word")
    assert len(shown) == 120


@settings(deadline=None)
@given(st.lists(st.tuples(KINDS, HOSTILE.filter(str.strip), LABELS), min_size=1, max_size=5))
def test_any_text_stays_in_its_block_and_links_only_to_sources(
    content: list[tuple[str, str, list[str]]],
) -> None:
    tokens = PARSER.parse(written(*content))

    assert {token.type.removesuffix("_open").removesuffix("_close") for token in tokens} <= BLOCKS
    assert {token.tag for token in tokens if token.type == "heading_open"} <= {"h3"}
    children = [child for token in tokens for child in token.children or []]
    assert not {child.type for child in children} & {"image", "html_inline", "code_inline"}
    assert {child.attrs["href"] for child in children if child.type == "link_open"} <= {
        "#source-1",
        "#source-2",
    }


@each(
    ("answer", "problem"),
    [
        ('{"blocks": [', "answer: json_invalid"),
        ("[]", "answer: model_type"),
        ({"blocks": []}, "blocks: too_short"),
        ({"blocks": [{"kind": "image", "text": "x"}]}, "blocks.0.kind: literal_error"),
        ({"blocks": [{"kind": "quote", "text": ""}]}, "blocks.0.text: string_too_short"),
        ({"blocks": [{"kind": "quote", "text": " \n"}]}, "blocks.0.text: must not be blank"),
        ({"blocks": [{"kind": "quote", "text": "x", "refs": ["c9"]}]}, "blocks.0.refs: unknown label"),
        ({"blocks": [{"kind": "quote", "text": "x" * 4001}]}, "blocks.0.text: string_too_long"),
        ({"blocks": [{"kind": "quote", "text": "x"}] * 81}, "blocks: too_long"),
        ({"blocks": [{"kind": "quote", "text": "x", "made up": 1}]}, "blocks.0.?: extra_forbidden"),
        ({"blocks": [{"kind": "quote", "text": "\ud800"}]}, "answer: json_invalid"),
    ],
)  # fmt: skip
def test_an_answer_that_breaks_a_rule_is_refused(answer: object, problem: str) -> None:
    text = answer if isinstance(answer, str) else json.dumps(answer)

    with pytest.raises(AnswerInvalid) as refused:
        parsed(text, dict[str, Reference](SOURCES))

    assert problem in refused.value.problems


def test_an_answer_may_have_eighty_blocks_with_all_sources() -> None:
    block = {"kind": "quote", "text": "x" * 4_000, "refs": list(SOURCES)}

    answer = parsed(json.dumps({"blocks": [block] * 80}), dict[str, Reference](SOURCES))

    assert len(answer.blocks) == 80


def test_only_blocks_that_cite_a_known_source_are_judged() -> None:
    answer = blocks(
        ("paragraph", "It **rained**.", ["c01", "c02", "c01"]),
        ("paragraph", "No source.", []),
        ("paragraph", "Of another section.", ["c99"]),
    )

    assert [(one.text, one.refs) for one in statements(answer, SOURCES)] == [
        ("It rained.", ("c01", "c02"))
    ]


def test_refused_answers_and_their_blocks_show_no_text() -> None:
    with pytest.raises(AnswerInvalid) as refused:
        parsed(json.dumps({"blocks": [{"kind": "poem", "text": "secret words"}]}), SOURCES)

    assert "secret words" not in str(refused.value)
    assert "secret words" not in repr(blocks(("paragraph", "secret words", [])))
