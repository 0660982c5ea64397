"""One form for all forms of a word, in the languages with rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.ai.texts.languages.word_forms import STEMMERS, forms_of, terms_of


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "price prices priced pricing"),
        ("en", "policy policies"),
        ("en", "Launch launched launches launching"),
        ("de", "Ernte Ernten"),
        ("de", "F\u00f6rderung F\u00f6rderungen"),
        ("de", "Markt M\u00e4rkte M\u00e4rkten"),
        ("fr", "r\u00e9colte r\u00e9coltes"),
        ("fr", "adopt\u00e9 adopt\u00e9es adopter"),
        ("es", "cosecha cosechas"),
        ("es", "exportaci\u00f3n exportaciones"),
        ("pt", "exporta\u00e7\u00e3o exporta\u00e7\u00f5es"),
        ("sw", "mkulima wakulima"),
        ("sw", "shamba mashamba"),
        ("ar", "سوق السوق والسوق"),
        ("ar", "مزارع المزارعون مزارعين"),
        ("am", "ገበሬ ገበሬዎች የገበሬዎች"),
        ("am", "ሠላም ሰላም"),
    ],
)
def test_the_forms_of_a_word_have_one_term(language: str, words: str) -> None:
    assert len(set(terms_of(words, language))) == 1


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "bus business"), ("de", "Ernte Ernährung"), ("fr", "prix prison"), ("ar", "قانون قرن")],
)  # fmt: skip
def test_different_words_stay_different(language: str, words: str) -> None:
    assert len(set(terms_of(words, language))) == 2


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("玉米价格", ["玉米", "米价", "价格"]),
        ("市場の価格", ["市場", "場の", "の価", "価格"]),
        ("Mais玉米", ["mais", "玉米"]),
        ("米", ["米"]),
    ],
)
def test_a_script_without_blanks_is_cut_into_pairs(text: str, terms: list[str]) -> None:
    assert terms_of(text, "zh") == terms


def test_thai_words_are_found_within_a_run() -> None:
    assert set(terms_of("ราคา", None)) <= set(terms_of("วันนี้ราคาข้าวโพดสูงขึ้น", None))


def test_two_forms_of_one_word_are_one_word_of_a_query() -> None:
    assert [forms[0] for forms in forms_of("prices price market", "en")] == ["prices", "market"]
    assert {"preise", "preis"} <= set(forms_of("Preise", None)[0])


@given(st.text(max_size=60), st.sampled_from([None, *STEMMERS]))
def test_the_terms_of_a_text_are_among_the_forms_of_the_same_query(
    text: str, language: str | None
) -> None:
    forms = {form for word in forms_of(text, language) for form in word}

    assert set(terms_of(text, language)) <= forms
