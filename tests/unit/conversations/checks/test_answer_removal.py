"""Faulty sentences of an answer are removed, and long answers cut, only at the ends of sentences."""

import pytest

from conversations.ai.checks.removal import first_sentences, without_faulty_sentences


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("We open at nine o'clock. BAD one. See you then.", "We open at nine o'clock. See you then."),
        ("It comes on 5. March with Dr. Smith. BAD.", "It comes on 5. March with Dr. Smith."),
        ("We have these things here:\n- chains\n- BAD\n- pads", "We have these things here:\n- chains\n- pads"),
        ("Hello Ann! BAD is the long rest of this message.", ""),
        ("BAD", ""),
        ("It is 120 EUR. BAD: https://evil.example/a/long/link", "It is 120 EUR."),
    ],
)  # fmt: skip
def test_only_faulty_sentences_are_removed_and_a_greeting_alone_is_not_left(
    text: str, left: str
) -> None:
    assert without_faulty_sentences(text, lambda part: "BAD" in part) == left


@pytest.mark.parametrize(
    ("longest", "left"),
    [(40, "One is here. Two is there. Three."), (30, "One is here. Two is there."), (12, "One is here."), (5, "")],
)  # fmt: skip
def test_a_long_text_keeps_the_first_sentences_that_fit(longest: int, left: str) -> None:
    text = "One is here. Two is there. Three."

    assert first_sentences(text, lambda part: len(part) <= longest) == left
