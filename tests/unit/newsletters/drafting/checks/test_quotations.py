"""Quotations, and the passages that they stand in."""

from __future__ import annotations

import pytest

from newsletters.drafting.checks.quotations import quotations_in, stands_in

PASSAGE = "Farmers' groups said: *We lost half of the harvest*, and \u201cthe rains\u201d came \u2013 too late."


@pytest.mark.parametrize(
    ("text", "quotations"),
    [
        ("He said \u201cwe lost half of it\u201d.", ["we lost half of it"]),
        ("Er sagte \u201ewir haben es verloren\u201c.", ["wir haben es verloren"]),
        ("Il dit \u00ab nous avons perdu tout \u00bb.", [" nous avons perdu tout "]),
        ('They said "we lost it all" today', ["we lost it all"]),
        ("\u300c我们失去了一半的收成\u300d", ["我们失去了一半的收成"]),
        ("a \u201csmart\u201d tool, \u201cclimate finance\u201d", []),
    ],
)  # fmt: skip
def test_words_between_marks_are_a_quotation_unless_they_are_a_term(
    text: str, quotations: list[str]
) -> None:
    assert quotations_in(text) == quotations


@pytest.mark.parametrize(
    ("quotation", "stands"),
    [
        ("we lost half of the harvest", True),
        ("We lost half of the  harvest.", True),
        ("the rains came", False),
        ('and "the rains" came - too late', True),
        ("We lost half [...] came", True),
        ("came ... We lost half", False),
        ("We lost half of the harvests", False),
        ("Farmers\u2019 groups said", True),
        ("...", False),
    ],
)
def test_a_quotation_stands_word_for_word_in_a_passage(quotation: str, *, stands: bool) -> None:
    assert stands_in(quotation, ["Another text.", PASSAGE]) is stands
