"""Quotations, and the passages that they stand in."""

from __future__ import annotations

import pytest

from newsletters.drafting.checks.quotations import quotations_in, stands_in

PASSAGE = "Farmers' groups said: *We lost half of the harvest*, and \u201cthe rains\u201d came \u2013 too late."
# We lost half of the harvest, in Arabic.
SAID = (
    "\u0641\u0642\u062f\u0646\u0627 \u0646\u0635\u0641 \u0627\u0644\u0645\u062d\u0635\u0648\u0644"
)


@pytest.mark.parametrize(
    ("text", "quotations"),
    [
        ("He said \u201cwe lost half of it\u201d.", ["we lost half of it"]),
        ("Er sagte \u201ewir haben es verloren\u201c.", ["wir haben es verloren"]),
        ("Il dit \u00ab nous avons perdu tout \u00bb.", [" nous avons perdu tout "]),
        ('They said "we lost it all" today', ["we lost it all"]),
        ("\u300c我们失去了一半的收成\u300d", ["我们失去了一半的收成"]),
        ("They said \u2018we don\u2019t have any rain\u2019 today", ["we don\u2019t have any rain"]),
        ("They said 'we lost it all' today", ["we lost it all"]),
        ("Er sagte \u203awir haben es verloren\u2039.", ["wir haben es verloren"]),
        ("Er sagte \u201awir haben es verloren\u2018.", ["wir haben es verloren"]),
        ("Han sade \u201dvi f\u00f6rlorade allt h\u00e4r\u201d.", ["vi f\u00f6rlorade allt h\u00e4r"]),
        ("\u201cwe lost all\u201d and then \u201cwe left the place\u201d", ["we lost all", "we left the place"]),
        ("\u00abnous avons \u201ctout perdu\u201d hier\u00bb", ["nous avons \u201ctout perdu\u201d hier"]),
        ("\u300e我们失去了一半的收成\u300f", ["我们失去了一半的收成"]),
        (f"\u201d{SAID}\u201c.", [SAID]),
        (f"\u201c{SAID}\u201d, \u201c{SAID} 2\u201d", [SAID, f"{SAID} 2"]),
        ("the farmers' own choice and the traders' groups; it\u2019s the farmers\u2019 harvest, isn\u2019t it", []),
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
        ("We lost\u00a0half of the har\u00advest", True),
        ("We\u2066 lost\u2069 half of the\u200b harvest", True),
        ("We lost a half of the harvest", False),
    ],
)
def test_a_quotation_stands_word_for_word_in_a_passage(quotation: str, *, stands: bool) -> None:
    assert stands_in(quotation, ["Another text.", PASSAGE]) is stands


@pytest.mark.parametrize(
    ("passage", "quotation", "stands"),
    [
        ("They were unhappy with the outcome.", "happy with the outcome", False),
        ("They were unhappy with the outcome.", "unhappy with the out", False),
        ("They were unhappy with the outcome.", "unhappy \u2026 come", False),
        ("They were (happy) with it.", "happy) with it", True),
        ("Sie lehnten Unm\u00f6gliches ab.", "m\u00f6gliches ab", False),
        (
            "\u6211\u4eec\u5931\u53bb\u4e86\u4e00\u534a\u7684\u6536\u6210",
            "\u5931\u53bb\u4e86\u4e00\u534a",
            True,
        ),
        (f"\u0648{SAID}", SAID, True),  # behind `and`, which is written in one word with the next
    ],
)
def test_a_quotation_begins_and_ends_with_whole_words(
    passage: str, quotation: str, *, stands: bool
) -> None:
    assert stands_in(quotation, [passage]) is stands
