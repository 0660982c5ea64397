"""What an empty list says: what is missing, and what to do or what fills it."""

from __future__ import annotations

import re
from typing import Final

from tests.unit.console.texts.test_texts import FILES, LANGUAGES

# Texts of lists that no person fills, with the reason.
NOTHING_TO_DO: Final = {
    "ops.nothing": "the deployment or the account has such rows always",
    "exchange.preview.none": "the result of a file that was chosen above",
    "project.no_differences": "the result of a comparison that was chosen above",
    "forms.answers.further": "says that there are more, with their button",
    "ops.audit.short": "says that older ones may follow, with their button",
    "timeline.empty": "the field to write in stands below",
    "inbox.choose.title": "its text says to choose one of the list",
    "review.choose": "says to choose one of the list",
    "state.no_page": "the navigation stands beside it",
    "ops.no_access": "says whom to ask",
    "report.no_access": "says whom to ask",
    "state.unreachable": "says what to check",
    "others.none": "one fact among others beside a conversation",
    "hours.none": "an effect of the form: a missing period means all hours",
    "contact.none.title": "its text says why, and what to do",
}
# Of an empty list with a title and a text below it.
WITH_TEXT: Final = {
    "inbox.empty.title": "inbox.empty.text",
    "inbox.no_match.title": "inbox.no_match.text",
}
_SENTENCE: Final = re.compile(r"[.!?؟:]\s+\S")


def _keys() -> dict[str, list[str]]:
    """The texts of all empty lists and pages, with the files that show them."""
    found: dict[str, list[str]] = {}
    for name, _, text in FILES:
        shown = [
            *re.findall(r"empty=\{(t\(.*?\))\}", text),
            *re.findall(r"<Empty [^>]*title=\{(.*?)\}>?", text),
            *re.findall(r"<p class=\"quiet\">\{(t\(\"[\w.]*\.none\"\))\}</p>", text),
        ]
        for key in re.findall(r'"([a-z]\w*(?:\.\w+)+)"', " ".join(shown)):
            found.setdefault(key, []).append(name)
    return found


def test_every_list_that_can_be_empty_says_what_to_do_in_each_language() -> None:
    keys = _keys()
    assert len(keys) > 45
    assert [key for key in NOTHING_TO_DO if key not in keys] == []
    silent = [
        (language, key, text, files)
        for key, files in sorted(keys.items())
        if key not in NOTHING_TO_DO
        for language, texts in LANGUAGES.items()
        for text in (
            f"{texts[key]}. {texts.get(WITH_TEXT.get(key, ''), '')}"
            if key in WITH_TEXT
            else texts[key],
        )
        if not _SENTENCE.search(text)
    ]
    assert silent == []


def test_every_table_has_a_text_for_no_rows() -> None:
    calls = [
        (name, one)
        for name, _, text in FILES
        for one in re.findall(r"<Table\b(.*?)/>", text, re.DOTALL)
    ]
    # The type of the table demands it; a variable would escape the test above.
    assert [name for name, one in calls if "empty={t(" not in one and "empty={" in one] == []
