"""A text that is too long for one SMS: divided after sentences, else between words, into as few as possible."""

from __future__ import annotations

from conversations.ai.checks.division import divided
from shared.providers.sms.segments import SmsLength, measure

ONE = SmsLength(segments=1, characters=1_600, messages=3)


def of(segments: int = 1, messages: int = 3, characters: int = 1_600) -> SmsLength:
    return SmsLength(segments=segments, characters=characters, messages=messages)


def sentence(letter: str, length: int) -> str:
    return f"{letter * (length - 1)}."


def test_a_text_that_fits_is_one_message() -> None:
    assert divided(" The shift begins at ten. ", of()) == ["The shift begins at ten."]


def test_sentences_fill_a_message_and_the_next_one_begins_with_a_whole_sentence() -> None:
    first, second, third = sentence("a", 100), sentence("b", 50), sentence("c", 100)

    assert divided(f"{first} {second} {third}", of()) == [f"{first} {second}", third]


def test_paragraphs_and_lists_are_divided_between_lines() -> None:
    lines = [f"- {letter * 70}" for letter in "abc"]

    assert divided("\n".join(lines), of()) == [f"{lines[0]}\n{lines[1]}", lines[2]]


def test_a_sentence_that_is_longer_than_a_message_is_divided_between_words() -> None:
    text = " ".join(["word"] * 50)

    parts = divided(text, of())

    assert " ".join(parts) == text
    assert [measure(part).segments for part in parts] == [1, 1]


def test_a_link_or_number_is_never_divided() -> None:
    link = f"https://example.com/{'x' * 100}"
    text = f"Please read {'this ' * 20}here: {link}"

    parts = divided(text, of())

    assert parts[-1] == link
    assert divided("y" * 161, of()) == []


def test_signs_outside_of_gsm_leave_room_for_seventy() -> None:
    text = "Смена начинается в десять вечера. " * 4

    parts = divided(text, of())

    assert len(parts) == 2
    assert {measure(part).segments for part in parts} == {1}


def test_scripts_without_blanks_are_divided_after_sentences() -> None:
    one = "シフトは夜十時に始まります。"

    assert divided(one * 6, of()) == [one * 5, one]


def test_a_text_for_more_messages_than_the_project_allows_is_not_divided() -> None:
    text = " ".join(sentence("a", 150) for _ in range(4))

    assert divided(text, of(messages=3)) == []
    assert len(divided(text, of(messages=4))) == 4
    assert divided(text, of(messages=1)) == []


def test_the_length_that_the_project_allows_counts_per_message() -> None:
    assert divided("On nights. From ten to six.", of(characters=20)) == [
        "On nights.",
        "From ten to six.",
    ]


def test_typographic_signs_are_those_of_gsm_before_the_text_is_divided() -> None:
    parts = divided(f"{sentence('a', 155)} It\u2019s at ten \u2013 not before.", of())

    assert parts[1] == "It's at ten - not before."


def test_the_hint_that_ends_a_first_message_counts() -> None:
    length = SmsLength(segments=1, characters=1_600, ending="\nReply STOP to opt out.")

    assert divided("x" * 140, length) == []
    assert divided("x" * 130, length) == ["x" * 130 + "\nReply STOP to opt out."]
