"""A person's known names, numbers and addresses are masked in every text."""

from __future__ import annotations

from shared.ai.playground.mask import Mask
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


@each(
    "known, text, masked",
    [
        (["anna berg"], "Anna here, Berg is my name", "*** here, *** is my name"),
        (["Li Wei"], "please call Li tomorrow, or wei", "please call *** tomorrow, or ***"),
        (["Anna.Berg"], "tell Anna. Berg called", "tell ***. *** called"),
        (["Jos\u00e9"], "Jos\u00e9, Jose\u0301, Jose called", "***, ***, *** called"),
        (["Jose\u0301"], "Jos\u00e9 called", "*** called"),
        (["Jose"], "JOSE\u0301 called", "*** called"),
        (["O'Neil Jo"], "the O\u2019Neil house; Jo\u2019s dog", "the *** house; *** dog"),
        (["Stra\u00dfer"], "STRASSER called", "*** called"),
        (
            ["\u0623\u062d\u0645\u062f"],
            "\u064a\u0627 \u0644\u0627\u062d\u0645\u064e\u062f",
            "\u064a\u0627 ***",
        ),
        (
            ["\u5c0f\u660e", "\u738b"],
            "\u60a8\u597d\u738b\u5c0f\u660e\u5148\u751f",
            "\u60a8\u597d***\u5148\u751f",
        ),
    ],
)
def test_a_name_is_found_in_part_and_in_another_spelling(
    known: list[str], text: str, masked: str
) -> None:
    assert Mask(known).text(text) == masked


@each(
    "known, text, masked",
    [
        (["maria de la cruz"], "la casa de Cruz", "la casa de ***"),
        (["De Vries"], "de brief, Mr De Vries, De", "de brief, Mr ***, ***"),
    ],
)
def test_particles_of_names_stay_where_they_are_usual_words(
    known: list[str], text: str, masked: str
) -> None:
    assert Mask(known).text(text) == masked


@each(
    "known, text, masked",
    [
        ("anna.berg77@example.com", "anna.berg77 or Anna", "*** or ***"),
        ("anna.berg@example.com", "anna.berg@home.example.org", "***"),
        ("info@example.com", "for your info", "for your info"),
    ],
)
def test_the_first_part_of_an_address_is_masked_if_it_may_be_a_name(
    known: str, text: str, masked: str
) -> None:
    assert Mask([known]).text(text) == masked


def test_values_are_masked_and_keys_stay() -> None:
    facts = {"Anna": ["Anna", {"rate": 17.5, "name": "Eve"}], "ok": True, "none": None}
    assert ANNA.value(facts) == {
        "Anna": ["***", {"rate": 17.5, "name": "***"}],
        "ok": True,
        "none": None,
    }


def test_without_known_words_the_rules_of_redaction_hold() -> None:
    assert Mask([]).text("Write to eve@example.com") == "Write to ***@***"
