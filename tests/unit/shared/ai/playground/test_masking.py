"""A person's known names, numbers and addresses are masked in every text."""

from __future__ import annotations

from shared.ai.playground.masking import Mask
from tests.cases import each

ANNA = Mask(["Anna Maria", "van der Berg", "+447700900123", "anna@example.com", None, " "])


@each(
    "text, masked",
    [
        ("I am Anna Maria van der Berg", "I am *** ***"),
        ("This is Anna again", "This is *** again"),
        ("anna berg", "*** ***"),
        ("Annas Brief, Berg's house", "*** Brief, *** house"),
        ("Annabelle and Bergen", "Annabelle and Bergen"),
        ("der Brief van gestern", "der Brief van gestern"),
        (
            "+44 7700 900123, anna@example.com, 12 Mill Lane, London N1 4AB",
            "***-***-0123, ***, ***",
        ),
        (
            "On 2026-03-02 at 14:30 for 1,200.50 EUR",
            "On 2026-03-02 at 14:30 for 1,200.50 EUR",
        ),
    ],
)
def test_known_words_of_a_person_are_masked(text: str, masked: str) -> None:
    assert ANNA.text(text) == masked


@each(
    "name, text, masked",
    [
        ("علي", "قلت لعلي ذلك", "قلت *** ذلك"),
        ("علي", "السلام عليكم", "السلام عليكم"),
        ("王小明", "我是王小明先生", "我是***先生"),
        ("A. (Bo)", "from A. (Bo) today", "from *** today"),
    ],
)
def test_names_of_other_scripts_are_masked(name: str, text: str, masked: str) -> None:
    assert Mask([name]).text(text) == masked


def test_values_are_masked_and_keys_stay() -> None:
    facts = {"Anna": ["Anna", {"rate": 17.5, "name": "Eve"}], "ok": True, "none": None}
    assert ANNA.value(facts) == {
        "Anna": ["***", {"rate": 17.5, "name": "***"}],
        "ok": True,
        "none": None,
    }


def test_without_known_words_the_rules_of_redaction_hold() -> None:
    assert Mask([]).text("Write to eve@example.com") == "Write to ***@***"
