"""Fractions, multiples and ordinal numbers in words: read in eight languages, and supported in other words."""

from __future__ import annotations

import pytest

from newsletters.drafting.checks.number_words import LANGUAGES
from newsletters.drafting.checks.numbers import numbers_in, supported
from newsletters.drafting.checks.statements import unsupported_numbers
from newsletters.store.items import Reference


@pytest.mark.parametrize(
    ("language", "text", "numbers"),
    [
        ("en", "half of them, two thirds of farmers, a third of them, three quarters", ["1/2", "2/3", "1/3", "3/4"]),
        ("en", "fell by a quarter, nine out of ten, every third farm", ["1/4", "9/10", "1/3"]),
        ("en", "doubled, tripled, twice as many, halved, tenfold", ["2x", "3x", "2x", "1/2", "10x"]),
        ("en", "half a million, three quarters of a million, 3 and a half", ["500000", "750000", "3.5"]),
        ("de", "die Hälfte, zwei Drittel, ein Viertel, dreiviertel", ["1/2", "2/3", "1/4", "3/4"]),
        ("de", "verdoppelt, verdreifachte, zehnfach, zweimal, einfach, einmal", ["2x", "3x", "10x", "2x"]),
        ("de", "jeder dritte Betrieb, eine halbe Million, neun von zehn, halbiert", ["1/3", "500000", "9/10", "1/2"]),
        ("fr", "la moitié, deux tiers, un quart, deux cinquièmes", ["1/2", "2/3", "1/4", "2/5"]),
        ("fr", "doublé, triplent, un sur dix, un demi-million", ["2x", "3x", "1/10", "500000"]),
        ("es", "la mitad, dos tercios, la tercera parte, tres cuartos", ["1/2", "2/3", "1/3", "3/4"]),
        ("es", "el doble, se triplicó, uno de cada diez, medio millón", ["2x", "3x", "1/10", "500000"]),
        ("es", "medio ambiente, por medio de", []),
        ("pt", "metade, dois terços, a quarta parte", ["1/2", "2/3", "1/4"]),
        ("pt", "dobrou, o triplo, um em cada dez, meio milhão, meio ambiente", ["2x", "3x", "1/10", "500000"]),
        ("ar", "نصف المزارعين, ثلثا المزارعين, ربع, ثلاثة أرباع", ["1/2", "2/3", "1/4", "3/4"]),
        ("ar", "تضاعف الإنتاج, واحد من كل عشرة, نصف مليون", ["2x", "1/10", "500000"]),
        ("sw", "nusu ya wakulima, theluthi mbili, robo tatu", ["1/2", "2/3", "3/4"]),
        ("sw", "maradufu, nusu milioni", ["2x", "500000"]),
        ("am", "ግማሽ, ሩብ, ሁለት ሦስተኛ, በእጥፍ", ["1/2", "1/4", "2/3", "2x"]),
    ],
)  # fmt: skip
def test_fractions_and_multiples_in_words_are_read_in_eight_languages(
    language: str, text: str, numbers: list[str]
) -> None:
    assert language in LANGUAGES
    assert numbers_in(text, [language]) == numbers
    assert set(numbers) <= supported(numbers_in(text, [language], is_source=True))


@pytest.mark.parametrize(
    ("language", "text", "numbers"),
    [
        ("en", "the third season, the twenty-first century, a fourth trial, the first", ["3", "21", "4"]),
        ("en", "second-hand, per second, a third-party report, the second half", []),
        ("de", "der dritte Versuch, am siebten, das einundzwanzigste, der zweitgrößte Markt", ["3", "7", "21", "2"]),
        ("de", "der erste, die beste, weiter", []),
        ("fr", "la deuxième saison, le vingt-deuxième, par seconde", ["2", "22"]),
        ("es", "el segundo trimestre, la décima feria, por segundo", ["2", "10"]),
        ("pt", "o segundo ano, a terceira safra; segundo o relatório, na segunda-feira", ["2", "3"]),
        ("ar", "الموسم الثالث, كانون الثاني", ["3"]),
        ("sw", "msimu wa pili, robo ya kwanza", ["2"]),
        ("am", "በሁለተኛው, ሦስተኛ", ["2", "3"]),
    ],
)  # fmt: skip
def test_ordinal_numbers_in_words_are_numbers_from_two_on(
    language: str, text: str, numbers: list[str]
) -> None:
    assert numbers_in(text, [language]) == numbers
    assert set(numbers) <= supported(numbers_in(text, [language], is_source=True))


@pytest.mark.parametrize(
    ("text", "passage"),
    [
        ("Half of the farmers took part.", "In the trial 50 percent of the farmers took part."),
        ("Half of the farmers took part.", "The share of farmers who took part was 0.5."),
        ("A third of the farmers took part.", "33 percent of the farmers in the trial took part."),
        ("Water use fell by a third; yields rose.", "They cut water use by a third on small plots."),
        ("Water use fell by a third on plots.", "They cut water use by 33 percent on small plots."),
        ("Water use fell by a third.", "The kits cut water use by 34 percent, measured over a season."),
        ("Two thirds took part.", "In the trial 66.7 % of the farmers took part."),
        ("One in three took part.", "About a third of the farmers in the area took part."),
        ("Every fourth farmer took part.", "25 percent of the farmers in the area took part."),
        ("50 percent took part.", "One half of the farmers in the area took part."),
        ("Yields doubled.", "The yields in the trial rose by 100 percent."),
        ("Yields doubled.", "The yields were two times as high as in the years before."),
        ("Yields were twice as high.", "Die Ernte hat sich in den zwei Jahren verdoppelt, sagen die Leute."),
        ("It was the third season.", "The trial has run for 3 seasons in the same area."),
        ("It was the third season.", "It is the 3rd season of the trial in the same area."),
        ("The third trial and a third of it.", "A third trial covered 33 % of the area that was planned."),
        ("Half a million trees.", "They have planted 500,000 trees in the area since then."),
        ("2/3 took part.", "Two thirds of the farmers in the area took part."),
        ("They met three times.", "They have met 3 times in the years since the trial."),
    ],
)  # fmt: skip
def test_a_ratio_is_supported_by_a_passage_that_says_it_in_other_words(
    text: str, passage: str
) -> None:
    assert _unsupported(text, passage) == []


@pytest.mark.parametrize(
    ("text", "passage", "found"),
    [
        ("Half of the farmers took part.", "The farmers in the area took part.", ["1/2"]),
        ("Half of the farmers took part.", "In the trial 40 percent of the farmers took part.", ["1/2"]),
        ("34 percent took part.", "A third of the farmers in the area took part.", ["34 %"]),
        ("A quarter took part.", "28 percent of the farmers in the area took part.", ["1/4"]),
        ("Yields doubled.", "The yields of the trial rose on the second day of the harvest.", ["2x"]),
        ("Yields tripled.", "The yields of the trial have doubled in the same time.", ["3x"]),
        ("Two thirds took part.", "Two of the farmers in the area took part in 3 trials.", ["2/3"]),
        ("Two farmers took part.", "Two thirds of the farmers in the area took part.", ["2"]),
        ("It was the third season.", "It was the second season of the trial.", ["3"]),
        ("Half a million trees.", "They have planted a million trees in the area.", ["500000"]),
        ("One million trees.", "They have planted half a million trees in the area.", ["1000000"]),
    ],
)  # fmt: skip
def test_a_ratio_that_no_passage_says_is_unsupported(
    text: str, passage: str, found: list[str]
) -> None:
    assert _unsupported(text, passage) == found


def _unsupported(text: str, passage: str) -> list[str]:
    cited = [Reference(id="chunk-1", title="", url="", date="", text=passage)]
    return [one.text for one in unsupported_numbers(text, cited, "en")]
