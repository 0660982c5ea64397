"""A person's known names, numbers and addresses are masked in every text."""

from __future__ import annotations

import unicodedata
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from shared.ai.playground.mask import Mask
from tests.cases import each

# Names as they are written with a letter, with two, and without its dots.
SPELLINGS: Final = [
    ("Müller", "Mueller", "Muller"),
    ("Jäger", "Jaeger", "Jager"),
    ("Böhm", "Boehm", "Bohm"),
    ("Ødegård", "Oedegaard", "Odegard"),
    ("Åse Sørensen", "Aase Soerensen", "Ase Sorensen"),
    ("Weiß", "Weiss", "WEISS"),
    ("Łukasz", "Lukasz", "lukasz"),
]

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


@given(st.sampled_from(SPELLINGS), st.data())
def test_a_name_is_masked_in_each_of_its_spellings_whichever_is_known(
    spellings: tuple[str, str, str], data: st.DataObject
) -> None:
    known, said = (data.draw(st.sampled_from(spellings)) for _ in range(2))
    form = data.draw(st.sampled_from(["NFC", "NFD"]))
    around = data.draw(st.sampled_from([("", ""), ("for ", " today"), ("(", ")"), ("ü ", ", ä")]))
    text = unicodedata.normalize(form, around[0] + said + around[1])  # type: ignore[arg-type]  # one of two words
    rest = [unicodedata.normalize(form, one) for one in around]  # type: ignore[arg-type]

    assert Mask([known]).text(text) == "***".join(rest)


@given(st.text(max_size=40))
def test_a_text_without_known_names_stays_as_it_was_written(text: str) -> None:
    assert Mask(["Xyzzyx Quuxquux"]).text(text) == Mask([]).text(text)


@each(
    ("known", "text", "masked"),
    [
        (["Sue Haas"], "su casa has a sad room", "su casa has a sad room"),
        (["Sue"], "Sue called", "*** called"),
        (["Manuel"], "Manuels mail", "*** mail"),
    ],
)
def test_a_short_name_with_one_letter_for_two_is_a_usual_word(
    known: list[str], text: str, masked: str
) -> None:
    assert Mask(known).text(text) == masked


@each(
    ("known", "text", "masked"),
    [
        (["王小明"], "王先生,你好", "***先生,你好"),
        (["王小明"], "我姓王", "我姓***"),
        (["王小明"], "国王和王后", "国王和王后"),
        (["王小明"], "小明在吗", "***在吗"),
        (["王", "伟"], "王总和王伟", "***总和***"),
        (["黄伟"], "黄色的", "黄色的"),
        (["欧阳修"], "欧阳老师", "***老师"),
        (["田中太郎"], "田中さんへ", "***さんへ"),
        (["김철수"], "김철수입니다", "***입니다"),
        (["김철수"], "철수 씨, 김 선생님", "*** 씨, *** 선생님"),
        (["김철수"], "김치 주세요", "김치 주세요"),
        (["김 철수"], unicodedata.normalize("NFD", "김철수 왔어요"), "*** 왔어요"),
    ],
)
def test_a_family_name_of_one_sign_is_masked_where_it_stands_for_the_person(
    known: list[str], text: str, masked: str
) -> None:
    assert unicodedata.normalize("NFC", Mask(known).text(text)) == masked
