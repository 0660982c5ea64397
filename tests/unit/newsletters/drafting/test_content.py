"""The text of a draft: keys, words and the replacement of a section."""

from __future__ import annotations

import pytest

from newsletters.drafting.content import (
    cited,
    joined,
    read_time,
    section_keys,
    section_markdown,
    with_section,
    word_count,
)
from tests.cases import each
from tests.unit.newsletters.drafting.samples import section

NAMES = ["Introduction", "Updates & News", "Resources"]
TEXT = """# Digest

## Introduction

Welcome.

## Updates & News

Old text.

## Resources

A guide."""


def keys_of(*names: str) -> list[str]:
    return section_keys([section("main", name=name) for name in names])


@each(
    ("names", "keys"),
    [
        (["Updates & News", "Resources"], ["updates_news", "resources"]),
        (["À la une", "Straße"], ["a_la_une", "strasse"]),
        (["\u0623\u062e\u0628\u0627\u0631", "\u65b0\u95fb"], ["section_1", "section_2"]),
        (["News", "news!", "NEWS"], ["news", "section_2", "section_3"]),
        (["Section 2", "\u65b0\u95fb"], ["section_2", "section_3"]),
        (["Section 3", "Section 2", "\u65b0\u95fb", "!"], ["section_3", "section_2", "section_4", "section_5"]),
        (["Introduction"], ["section_1"]),
        (["\u65b0\u95fb", "Section 1"], ["section_1", "section_2"]),
    ],
)  # fmt: skip
def test_keys_are_distinct_and_in_ascii(names: list[str], keys: list[str]) -> None:
    assert keys_of(*names) == keys


def test_only_the_introduction_has_its_key() -> None:
    sections = [
        section("main", name="Introduction"),
        section("introduction", name="Willkommen"),
        section("introduction", name="Introduction"),
    ]

    assert section_keys(sections) == ["section_1", "introduction", "section_3"]


def test_each_section_has_its_heading_once() -> None:
    texts = {
        "introduction": section_markdown("introduction", "Hello", "Welcome."),
        "news": section_markdown("news", "1. News #", "It *rained*."),
    }

    assert joined("Digest *2026*", "Hello", ["introduction", "news"], texts) == (
        "# Digest \\*2026\\*\n\n## Hello\n\nWelcome.\n\n## 1\\. News \\#\n\nIt *rained*."
    )


@each(
    ("text", "words"),
    [
        ("", 0),
        ("# A title\n\nTwo words", 4),
        ("It rained. [[1]](#source-1) [[2]](#source-2)", 2),
        ("Read sys.argv[1] [2]", 3),
        ("See [the report](https://docs.example) \u2013 now", 4),
        ("See <https://docs.example/x> or www.docs.example now", 3),
        ("**bo**ld _it_", 2),
        ("one\ntwo  \nthree", 3),
        ("| a | b |\n|---|---|\n| c | d |", 4),
        ("```\ncode here\n```", 2),
        ("\u0623\u0645\u0637\u0627\u0631 \u063a\u0632\u064a\u0631\u0629", 2),
        ("- one\n- two\n\n---", 2),
    ],
)
def test_words_are_those_that_a_reader_sees(text: str, words: int) -> None:
    assert word_count(text) == words


def test_markers_of_earlier_releases_count_only_in_their_drafts() -> None:
    text = "It rained. [[1]](<https://docs.example/a b>) \\[2\\] sys.argv[2]"

    assert (cited(text), word_count(text)) == (set(), 5)
    assert (cited(text, {1, 2}), word_count(text, {1, 2})) == ({1, 2}, 3)


@pytest.mark.parametrize(
    ("words", "time"),
    [(0, "1 minute"), (250, "1 minute"), (251, "2 minutes"), (1250, "5 minutes")],
)
def test_a_reader_reads_250_words_a_minute(words: int, time: str) -> None:
    assert read_time(words) == time


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (0, TEXT.replace("Welcome.", "New.")),
        (1, TEXT.replace("Old text.", "New.")),
        (2, TEXT.replace("A guide.", "New.")),
    ],
)
def test_the_text_of_one_section_is_replaced(at: int, expected: str) -> None:
    assert with_section(TEXT, NAMES, at, "\nNew.\n") == expected
    assert with_section(expected, NAMES, at, "New.") == expected


@pytest.mark.parametrize(
    "heading",
    ["## Updates \\& News", "## updates &amp; news ##", "Updates & News\n---", "## **Updates** & News"],
)  # fmt: skip
def test_a_heading_is_found_in_any_notation(heading: str) -> None:
    text = TEXT.replace("## Updates & News", heading)

    assert with_section(text, NAMES, 1, "New.") == text.replace("Old text.", "New.")


@pytest.mark.parametrize(
    "inner",
    ["```\n## Resources\n```", "> ## Resources", "- ## Resources", "    ## Resources", "### Resources"],
)  # fmt: skip
def test_a_heading_within_another_block_is_none(inner: str) -> None:
    text = TEXT.replace("Old text.", inner)

    assert with_section(text, NAMES, 2, "New.") == text.replace("A guide.", "New.")
    assert with_section(text, NAMES, 1, "Old text.") == TEXT


def test_other_headings_belong_to_the_text_of_a_section() -> None:
    text = with_section(TEXT, NAMES, 1, "Rain.\n\n## Aside\n\nMore.")
    assert text == TEXT.replace("Old text.", "Rain.\n\n## Aside\n\nMore.")

    assert with_section(text, NAMES, 1, "Old text.") == TEXT


def test_sections_with_the_same_name_are_found_by_their_order() -> None:
    names = ["News", "Resources", "News"]
    text = "## News\n\nFirst.\n\n## Resources\n\nA guide.\n\n## News\n\nSecond."

    assert with_section(text, names, 0, "New.") == text.replace("First.", "New.")
    assert with_section(text, names, 2, "New.") == text.replace("Second.", "New.")


@pytest.mark.parametrize(
    "text", ["", "# Digest", TEXT.replace("## Res", "### Res"), TEXT + "\n\n## Resources\n\nTwice."]
)
def test_a_section_whose_heading_is_missing_or_ambiguous_is_not_replaced(text: str) -> None:
    assert with_section(text, NAMES, 2, "New.") is None


def test_any_end_of_line_is_understood() -> None:
    for end in ("\r\n", "\r"):
        assert with_section(TEXT.replace("\n", end), NAMES, 1, "Old text.") == TEXT
