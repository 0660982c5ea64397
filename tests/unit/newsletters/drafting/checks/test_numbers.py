"""Numbers of a text in one notation, with digits and in words."""

from __future__ import annotations

import pytest

from newsletters.drafting.checks.number_words import LANGUAGES
from newsletters.drafting.checks.numbers import numbers_in, supported


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,200 1.200 1'200 1\u2019200 1\u00a0200 1\u066c200", ["1200"] * 6),
        ("1 200, 12 500,5 and 1 000 000", ["1200", "12500.5", "1000000"]),
        (
            "in 2026 500 farms, 15 20, 3 2000, 12 5000",
            ["2026", "500", "15", "20", "3", "2000", "12", "5000"],
        ),
        ("1.200,50 and 1,200.50", ["1200.5", "1200.5"]),
        ("1,500,000 and 1,00,000", ["1500000", "100000"]),
        ("3.5 3,5 3.50 3\u066b5", ["3.5"] * 4),
        ("0.500 and 0,5", ["0.5", "0.5"]),
        ("2026-01-05, 05.01.2026", ["2026", "1", "5", "5", "1", "2026"]),
        ("3.5. And 007, 0", ["3.5", "7", "0"]),
        ("v1.2.3", ["1", "2", "3"]),
        ("\u0967\u0968 \u06f1\u06f2 \uff11\uff12", ["12", "12", "12"]),
        ("none \u00b2", []),
        ("\u00bd of them, \u2153, 2/3, 24/7", ["1/2", "1/3", "2/3", "24", "7"]),
    ],
)
def test_numbers_with_digits_have_one_notation(text: str, numbers: list[str]) -> None:
    assert numbers_in(text) == numbers


@pytest.mark.parametrize(
    ("language", "text", "numbers"),
    [
        ("en", "two hundred and five thousand, twenty-one, a dozen", ["205000", "21", "12"]),
        ("fr", "une douzaine de fermes", ["12"]),
        ("fr", "une dizaine, une trentaine, deux centaines, dix milliers", ["10", "30", "200", "10000"]),
        ("fr", "des centaines et des milliers de fermes", []),
        ("es", "una decena, un centenar, dos millares", ["10", "100", "2000"]),
        ("pt", "uma dezena, uma centena, tr\u00eas milhares", ["10", "100", "3000"]),
        ("ar", "\u0623\u062d\u062f \u0639\u0634\u0631", ["11"]),
        ("es", "una docena de granjas", ["12"]),
        ("pt", "uma dúzia de quintas", ["12"]),
        ("ar", "دزينة من المزارع", ["12"]),
        ("en", "2½ tonnes, 1,240 ¼ and ½ of it", ["2.5", "1240.25", "1/2"]),
        ("de", "3¾ Tonnen", ["3.75"]),
        ("en", "3 million, three million, 2.5 billion", ["3000000", "3000000", "2500000000"]),
        ("en", "two, three and four; one of them; millions of people", ["2", "3", "4"]),
        ("en", "twelve per cent, 12 percent, 12 %, 12 percentage points", ["12 %"] * 4),
        ("de", "zweihundertf\u00fcnfundzwanzig, einundzwanzig, tausend", ["225", "21", "1000"]),
        ("de", "drei Millionen, 3,5 Millionen, eine Million", ["3000000", "3500000", "1000000"]),
        ("de", "zw\u00f6lf Prozent, 12 Prozentpunkte, Millionen Menschen", ["12 %", "12 %"]),
        ("fr", "quatre-vingt-dix-sept, vingt et un, deux cents, dix-huit", ["97", "21", "200", "18"]),
        ("fr", "soixante-dix pour cent, trois millions, des millions", ["70 %", "3000000"]),
        ("es", "treinta y cinco por ciento, dos mil trescientos, mil millones", ["35 %", "2300", "1000000000"]),
        ("pt", "trinta e um por cento, dois mil e trezentos, tr\u00eas milh\u00f5es", ["31 %", "2300", "3000000"]),
        ("ar", "خمسة وعشرون في المئة", ["25 %"]),
        ("ar", "ثلاثة آلاف, ثلاثة عشر, 3 ملايين", ["3000", "13", "3000000"]),
        ("sw", "asilimia 12, asilimia ishirini na tano, watu watatu", ["12 %", "25 %", "3"]),
        ("sw", "elfu mbili na mia tatu, milioni tano, milioni 3", ["2300", "5000000", "3000000"]),
        ("am", "ሃያ አምስት በመቶ, 12 በመቶ", ["25 %", "12 %"]),
        ("en", "one and a half million, 3 and a half million, three and a half", ["1500000", "3500000", "3.5"]),
        ("en", "3bn, 2.5 mn, 3 lakh, 2 crore, 12pc", ["3000000000", "2500000", "300000", "20000000", "12 %"]),
        ("en", "nineteen ninety-nine, twenty twenty-six, two thousand twenty-six", ["1999", "2026", "2026"]),
        ("en", "one in ten, ten to twelve, half of them", ["1/10", "10", "12", "1/2"]),
        ("de", "3 Mio. Tonnen, 4,5 Mrd. Euro, zw\u00f6lf Tsd.", ["3000000", "4500000000", "12000"]),
        ("de", "dreieinhalb Millionen, anderthalb Jahre", ["3500000", "1.5"]),
        ("de", "zwei Millionen dreihunderttausend", ["2300000"]),
        ("de", "hunderteins, zwoelf, neunzehnhundertneunundneunzig", ["101", "12", "1999"]),
        ("fr", "mille neuf cent quatre-vingt-dix-neuf, 3 Md\u20ac, 3 M\u20ac", ["1999", "3000000000", "3000000"]),
        ("fr", "deux millions et demi, cent quatre-vingt-cinq", ["2500000", "185"]),
        ("es", "3 millones y medio, dos millones y medio, media hora", ["3500000", "2500000"]),
        ("pt", "dois milh\u00f5es e meio, 3 mi, meia hora", ["2500000", "3000000"]),
        ("ar", "مليوني مزارع, ألفي طن, ثلاثة ملايين ونصف", ["2000000", "2000", "3500000"]),
        ("sw", "mia mbili hamsini, milioni moja na nusu", ["250", "1500000"]),
        ("am", "ሃያ አምስት ከመቶ, ሁለት ሺህ አምስት መቶ", ["25 %", "2500"]),
    ],
)  # fmt: skip
def test_numbers_in_words_are_read_in_eight_languages(
    language: str, text: str, numbers: list[str]
) -> None:
    assert language in LANGUAGES
    assert numbers_in(text, [language]) == numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("$3.5m, \u20ac5k, USD 2b, 3 M\u20ac", ["3500000", "5000", "2000000000", "3000000"]),
        ("3 m, 5 km, 3.5m tall, A 4 M", ["3", "5", "3.5", "4"]),
    ],
)
def test_a_letter_is_a_scale_only_of_money(text: str, numbers: list[str]) -> None:
    assert numbers_in(text, ["en"]) == numbers


def test_words_count_only_in_a_named_language() -> None:
    assert numbers_in("drei, sept, three 4") == ["4"]
    assert numbers_in("drei, sept, three 4", ["de", "fr"]) == ["3", "7", "4"]
    assert numbers_in("3 Millionen", ["en", "de"]) == ["3000000"]


def test_a_percentage_supports_its_number_but_no_number_a_percentage() -> None:
    assert supported(["15.5 %", "7"]) == {"15.5 %", "15.5", "7"}


@pytest.mark.parametrize(
    ("passage", "number", "is_supported"),
    [
        ("between 5 and 10 per cent", "5 %", True),
        ("5\u201310 %", "5 %", True),
        ("five to ten percent", "5 %", True),
        ("de 5 \u00e0 10 %", "5 %", True),
        ("5 farms and 10 %", "5 %", False),
        ("5 to 10 farms", "5 %", False),
        ("12 500 farms", "12500", True),
        ("12 500 farms", "500", True),  # table 12: 500 farms
        ("12 farms, 500 cows", "12500", False),
    ],
)
def test_a_passage_supports_all_that_its_numbers_can_mean(
    passage: str, number: str, *, is_supported: bool
) -> None:
    assert (number in supported(numbers_in(passage, LANGUAGES, is_source=True))) is is_supported
