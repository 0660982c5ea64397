"""Drafts and repeats that the browser keeps."""

from __future__ import annotations

from tests.unit.console.typescript import run

STORAGE = """
globalThis.sessionStorage = Object.create({
  getItem(key) { return this[key] ?? null; },
  setItem(key, text) { this[key] = text; },
  removeItem(key) { delete this[key]; },
})
"""


def test_a_repeat_of_a_content_has_the_same_key_until_it_is_forgotten() -> None:
    kept = run(
        "conversations/drafts.ts",
        f"({STORAGE}, value.map((content) => content === null ? m.forgetKey('form') : m.keyOf('form', content)))",
        ["yes", "yes", "no", "yes", None, "yes"],
    )

    first, repeat, other, later, forgotten, again = kept
    assert first == repeat
    assert forgotten is None
    assert len({first, other, later, again}) == 4


def test_what_is_typed_while_a_text_is_sent_stays_a_draft() -> None:
    left = run(
        "conversations/drafts.ts",
        "value.map((text) => m.withoutSent(text, 'Hello'))",
        ["Hello", "Hello\nand good", "", "Another text"],
    )

    assert left == ["", "and good", "", "Another text"]


def test_a_change_of_a_draft_is_told_to_the_forms_that_show_it() -> None:
    heard = run(
        "conversations/drafts.ts",
        f"({STORAGE}, globalThis.heard = [], m.onDrafts(() => heard.push(m.draftOf('form'))),"
        " m.keepDraft('form', value), m.keepDraft('form', ''), heard)",
        "Hello",
    )

    assert heard == ["Hello", ""]


def test_drafts_of_another_person_are_removed() -> None:
    kept = run(
        "conversations/drafts.ts",
        f"({STORAGE}, value.map((person) => "
        "(m.keepDraftsOf(person), m.draftOf('form') || m.keepDraft('form', person))))",
        ["user:ada", "user:ada", "user:tom", "user:tom"],
    )

    assert kept == [None, "user:ada", None, "user:tom"]
