"""Markdown: as typed where that is safe, and equal in meaning where not."""

from dataclasses import replace

from newsletters.exports.blocks import Block, Sources
from newsletters.exports.document import Document
from newsletters.exports.formats import render
from newsletters.exports.tree import tree
from tests.cases import each
from tests.unit.newsletters.exports.samples import IMAGE_URL, UPDATED_AT, document, png, sample


def markdown(shown: Document) -> str:
    return render("markdown", shown, {IMAGE_URL: png(4, 4)}).body.decode()


def blocks_of(content: str) -> tuple[Block, ...]:
    return tree(Document("March", "en", content, UPDATED_AT, document("").citations), {IMAGE_URL})


def test_content_without_markers_is_as_typed_and_has_no_sources() -> None:
    assert markdown(document("*Text*  \nmore [3]")) == "# March\n\n*Text*  \nmore [3]\n"


def test_markers_lead_to_the_addresses_of_the_sources_which_are_listed_at_the_end() -> None:
    written = markdown(sample())
    assert "#source-" not in written
    assert "lowlands [[1]](<https://climate.example.org/outlook/mam-2026>)." in written
    assert "by 12 % [3]." in written
    assert written.endswith(
        "- \\[3\\] Weekly livestock survey, February 2026, 2026-03-01\n"
        "- \\[4\\] [Early action fund: call for proposals](<https://fund.example.org/calls/early-action>)\n"
    )


def test_a_draft_of_an_earlier_release_keeps_its_markers_as_typed() -> None:
    typed = "Rain [[1]](<https://climate.example.org/outlook/mam-2026>) and prices \\[3\\]"
    earlier = replace(document(typed), earlier_sources=frozenset({1, 2, 3, 4, 5}))
    assert markdown(earlier).startswith(f"# March\n\n{typed}\n\n## Sources\n\n- \\[1\\] ")


@each(
    "content",
    [
        "**a** *b* ~~c~~ `d` `` e`f `` [g](https://example.org/?a=(b)&c) [h [1]](https://example.org) [3]",
        "`` `e `` `` e` `` ` `` `",
        "1. a\n2. b\n   - c\n   - d\n\n- loose\n\n  second",
        "> quoted\n>\n> - list\n> - in it",
        "~~~\n`code`\n````\n~~~",
        "| a | b |\n|:-:|--:|\n| 1 \\| 2 | **x** |",
        f"![Rain]({IMAGE_URL})\n\n[![Rain]({IMAGE_URL})](https://example.org)",
        "---\n\na\\\nb\n\n### heading `x`",
        "1\\. no list\n\n\\- none\n\n\\# none\n\na\n\\+ none\n\na\n\\=== none",
    ],
)
def test_content_that_is_written_anew_has_the_same_tree(content: str) -> None:
    # The raw HTML at the end makes it unsafe to write it as typed.
    unsafe = document(f"{content}\n\nend <b>")
    found = markdown(unsafe)
    assert "<b>" not in found.replace("\\<b\\>", "")
    expected = [block for block in tree(unsafe, {IMAGE_URL}) if not isinstance(block, Sources)]
    again = list(blocks_of(found))
    if any(isinstance(block, Sources) for block in again):
        # The list of the first sources is content of the second document, before its own heading and list.
        again = again[: len(expected)]
    assert again == expected
