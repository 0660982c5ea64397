"""The pure functions of the console's pages of newsletters: outlines, parts of a text, names of files, new issues."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.console.typescript import run

OUTLINE, PARTS, FILES, ISSUE = (
    f"newsletters/{name}.ts"
    for name in ("steps/outline", "steps/draftParts", "documents/documentFile", "issues/issueForm")
)


def _stored(*sections: list[str]) -> dict[str, Any]:
    return {
        "version": 3,
        "sections": [
            {"id": f"section-{at}", "name": f"S{at}", "items": [{"id": i, "title": i} for i in ids]}
            for at, ids in enumerate(sections, start=1)
        ],
    }


def _places(expression: str, *sections: list[str]) -> list[list[str]]:
    script = (
        "((o) => o.sections.map(({ items }) => items.map(({ key }) => key)))"
        f"(((o) => {expression})(m.editedFrom(value)))"
    )
    found: list[list[str]] = run(OUTLINE, script, _stored(*sections))
    return found


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("m.stepped(o, 'a', 1)", [["b", "a"], ["c"], []]),
        ("m.stepped(o, 'b', 1)", [["a"], ["b", "c"], []]),
        ("m.stepped(o, 'c', -1)", [["a", "b", "c"], [], []]),
        ("m.stepped(o, 'c', 1)", [["a", "b"], [], ["c"]]),
        ("m.stepped(o, 'a', -1)", [["a", "b"], ["c"], []]),
        ("m.dropped(o, 'a', 'section-2', 'c')", [["b"], ["a", "c"], []]),
        ("m.dropped(o, 'a', 'section-1', null)", [["b", "a"], ["c"], []]),
        ("m.dropped(o, 'a', 'section-1', 'a')", [["a", "b"], ["c"], []]),
        ("m.dropped(o, 'gone', 'section-1', null)", [["a", "b"], ["c"], []]),
        ("m.added(o, 'section-3', 'n', 'New')", [["a", "b"], ["c"], ["n"]]),
        ("m.without(o, 'b')", [["a"], ["c"], []]),
    ],
)
def test_items_of_an_outline_move_within_and_between_sections(
    change: str, expected: list[list[str]]
) -> None:
    assert _places(change, ["a", "b"], ["c"], []) == expected


def test_an_outline_is_sent_as_the_api_takes_it() -> None:
    script = (
        "((o) => [m.requestOf(o), m.fieldOf(o, 'n', 'title'), m.placeIn(o, 'n')])"
        "(m.added(m.withItem(m.editedFrom(value), 'a', { notes: 'Short', isIncluded: false }),"
        " 'section-1', 'n', 'New'))"
    )

    sent, field, place = run(OUTLINE, script, _stored(["a"]))

    empty = {"description": "", "rag_reference_ids": []}
    assert sent == {
        "version": 3,
        "sections": [
            {
                "id": "section-1",
                "name": "S1",
                "items": [
                    {"id": "a", "title": "a", "included": False, "user_notes": "Short"} | empty,
                    {"title": "New", "included": True, "user_notes": ""} | empty,
                ],
            }
        ],
    }
    assert (field, place) == (
        "sections.0.items.1.title",
        {"section": "S1", "place": 2, "of": 2},
    )


def test_a_warning_is_shown_at_the_section_of_its_text() -> None:
    content = "# News\n\n## Introduction\n\nHello.\n\n## Main\n\n```\n## no heading\n```\n\n## New \\& old\n"
    codes = {"introduction": "uncited", "main": "unsupported_number", "gone": "wrong_language"}
    draft = {
        "content": content,
        "sections": {"introduction": "Hello.", "main": "## Main\n\nText.", "gone": "## Gone\n"},
        "section_order": ["introduction", "main", "gone"],
        "warnings": [{"section": key, "code": code} for key, code in codes.items()],
    }
    script = "((t) => [t.join(''), m.partsOf(value, t)])(m.textsOf(value.content))"

    joined, parts = run(PARTS, script, draft)

    assert joined == content
    assert [one["key"] for one in parts] == [None, "introduction", "main", None]
    assert [(one["name"], [w["code"] for w in one["warnings"]]) for one in parts] == [
        ("", ["wrong_language"]),
        ("Introduction", ["uncited"]),
        ("Main", ["unsupported_number"]),
        ("New & old", []),
    ]


@pytest.mark.parametrize(
    ("name", "size", "stored", "refused"),
    [
        ("Trial 2026.PDF", 1, "trial-2026.pdf", None),
        ("Über uns.htm", 1, "u-ber-uns.html", None),
        ("notes.markdown", 1, "notes.md", None),
        ("a.txt", 2 << 20, "a.txt", "size"),
        ("a.docx", 2 << 20, "a.docx", None),
        ("a.docx", 4 << 20, "a.docx", "size"),
        ("a.md", 0, "a.md", "empty"),
        ("sheet.xlsx", 1, "sheet.xlsx", "kind"),
        ("x" * 120 + ".md", 1, "x" * 97 + ".md", None),
    ],
)
def test_a_file_gets_a_name_that_the_api_takes(
    name: str, size: int, stored: str, refused: str | None
) -> None:
    script = "[m.storedName(value.name), m.refusalOf(value)]"

    assert run(FILES, script, {"name": name, "size": size}) == [stored, refused]


def test_names_in_other_scripts_do_not_replace_each_other() -> None:
    first, second = run(FILES, "value.map(m.storedName)", ["تجربة.md", "نشرة.md"])

    assert first != second
    assert first.startswith("document-")


def test_a_list_fills_in_its_sender_and_an_issue_names_its_audience() -> None:
    published = {"sender": "a@b.example", "sender_name": "A", "postal_address": "Road 1"}
    script = (
        "m.requestOf({ ...m.withList({ ...m.kept(''), senderName: 'Mine' }, value), subject: 'S',"
        " audiences: ['list/1', 'segment/2'] }, 'NL-1')"
    )

    sent = run(ISSUE, script, published)

    assert (sent["list_ids"], sent["segment_ids"]) == (["1"], ["2"])
    assert (sent["sender"], sent["sender_name"]) == ("a@b.example", "Mine")
    assert "reply_to" not in sent
    assert "consent_statement" not in sent
