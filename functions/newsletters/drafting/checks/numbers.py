"""
The numbers of a text in one notation: `1200`, `3.5`, `12 %`, whether they are written with digits or in words.

A number in words is a cardinal number from two on. `3 million`, `three million` and `3,000,000` are the same, and so
are `1.5 million`, `one and a half million` and `$1.5m`.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from newsletters.drafting.checks import ratios
from newsletters.drafting.checks.equivalents import meanings_of
from newsletters.drafting.checks.number_parts import TEENS, Part, summed
from newsletters.drafting.checks.number_words import (
    HALF,
    HALVES,
    HUNDRED,
    LANGUAGES,
    NumberWords,
    folded,
    german_half,
    german_ordinal,
    german_value,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

PERCENT: Final = " %"
# The blanks, apostrophes and Arabic signs group digits or begin decimals.
_SEPARATOR: Final = "[.,'\u2019\u00a0\u2007\u2009\u202f\u066b\u066c]"
# An ordinary blank groups digits, too, where all groups are of three.
_BLANKS: Final = r"(?<![\d.,])\d{1,3}(?: \d{3})+(?:[.,]\d+)?(?![\d])"
_NUMBER: Final = re.compile(rf"{_BLANKS}|\d+(?:{_SEPARATOR}\d+)*")
_DECIMAL_SIGNS: Final = ".,\u066b"
_GROUPED: Final = re.compile(r"(?!0)\d{1,3}(?:\D\d{3})+|(?!0)\d{1,2}(?:\D\d{2})+\D\d{3}")
# Vowel signs are no letters for the first part, and stand within words.
_TOKEN: Final = re.compile(
    rf"{_NUMBER.pattern}|[^\W\d_][^\W\d_\u064b-\u065f]*(?:[\u064b-\u065f]+[^\W\d_]*)*"
)
_JOINT: Final = re.compile(r"[\s\u00ad\u2010\u2011-]*")
_PERCENT_AFTER: Final = re.compile(
    r"[\s-]*(?:[%\u066a\uff05]|per\s?cent|percentage point|pct\b|pc\b|prozent|pour\s?cent|por\s?ciento|por\s?cento"
    r"|في\s(?:المئة|المائة)|بالمئة|بالمائة|በመቶ|ከመቶ|ፐርሰንት)",
    re.IGNORECASE,
)  # fmt: skip
_PERCENT_BEFORE: Final = re.compile(r"(?:asilimia|በመቶ)\s*(?:ya\s)?$", re.IGNORECASE)
# A number and what stands between it and a percentage: `5 to`, `five or`.
_RANGE: Final = re.compile(
    r"[^\s\u2013-]+\s?(?:[\u2010-\u2013-]|to|and|or|bis|und|oder|à|et|ou|a|y|o|e|إلى|الى|أو|و|hadi|na|እስከ|እና)\s?",
    re.IGNORECASE,
)
_PERCENT_WORDS: Final = re.compile(
    r"\b(?:per|pour|por)\s?(?:cento?|ciento)\b|(?<!\w)في\s(?:المئة|المائة)", re.IGNORECASE
)
# `$1.5m`, `3 M€`: a letter is a scale beside a currency only, since `3 m` are metres.
_MONEY_BEFORE: Final = re.compile(r"(?:[$\u20ac\u00a3\u00a5]|\b[A-Z]{3})\s?$")
_MONEY_SCALE: Final = re.compile(r"\s?([kKmMbB])(?![^\W\d_])")
_MONEY_BEHIND: Final = re.compile(r"\s?([kKM])(?=\s?[$\u20ac\u00a3\u00a5])")
_FRACTIONS: Final = {"\u00bc": "25", "\u00bd": "5", "\u00be": "75"}
_MIXED: Final = re.compile(rf"(\d)\s?([{''.join(_FRACTIONS)}])")
_LETTERS: Final = {"k": Decimal(1_000), "m": Decimal(1_000_000), "b": Decimal(1_000_000_000)}
_ARABIC_AND: Final = "و"


def numbers_in(text: str, languages: Collection[str] = (), *, is_source: bool = False) -> list[str]:
    """
    Return the numbers of a text in order, in words of one of *languages*. Those of a source have all notations that it
    can mean.

    `1,200`, `1.200` and `1'200` are the same number, and so are `3,5` and `3.50`. A date such as `05.01.2026` has three
    numbers, without leading zeros, as in `5 January`. `2½` is `2.5`, a half `1/2`, and doubled `2x`.
    """
    text = _MIXED.sub(lambda found: f"{found[1]}.{_FRACTIONS[found[2]]}", text)
    text = ratios.spelt_out(text)
    found: dict[int, list[str]] = {}
    parts: dict[int, set[str]] = {}
    known: list[NumberWords | None] = [words_of(one) for one in LANGUAGES if one in languages]
    for words in known or [None]:
        named = ratios.ratios_in(text, words, is_source=is_source)
        for one in named:
            if one.written is not None:
                parts.setdefault(one.start, set()).add(one.written)
        for start, values in _read(ratios.without(text, named), words):
            # Of two languages the longer number is meant: digits alone, or with their scale.
            if len("".join(values)) >= len("".join(found.get(start, ()))):
                found[start] = values
    if is_source:
        for start, values in _meant(text, found):
            parts.setdefault(start, set()).update(values)
    every = sorted(found.keys() | parts.keys())
    return [one for at in every for one in (*sorted(parts.get(at, ())), *found.get(at, ()))]


def supported(numbers: Collection[str]) -> set[str]:
    """Return the numbers that a text with *numbers* supports: `12 %` also supports `12`, and `1/2` `50 %`."""
    plain = {*numbers, *(one.removesuffix(PERCENT) for one in numbers)}
    return {meaning for one in plain for meaning in meanings_of(one)}


def _meant(text: str, found: Mapping[int, list[str]]) -> Iterator[tuple[int, list[str]]]:
    """Yield what the numbers of a passage can mean besides: `5 to 10 %` has two percentages, `12 500` two numbers."""
    for one in re.finditer(_BLANKS, text):
        yield one.start(), [part for piece in one[0].split() for part in _digits(piece)]
    for start, behind in pairwise(sorted(found)):
        is_range = len(found[start]) == 1 and found[behind][-1].endswith(PERCENT)
        if is_range and _RANGE.fullmatch(text[start:behind]):
            yield start, [found[start][0].removesuffix(PERCENT) + PERCENT]


def _read(text: str, words: NumberWords | None) -> Iterator[tuple[int, list[str]]]:
    """Yield each number with its position; a date or a version has several."""
    run: list[Part] = []
    for part in [*_parts(text, words), None]:
        is_next = part is not None and (not run or _JOINT.fullmatch(text[run[-1].end : part.start]))
        if run and not is_next:
            yield from _of_run(text, run, words)
            run = []
        if part is not None:
            run.append(part)


def _parts(text: str, words: NumberWords | None) -> Iterator[Part]:
    percents = [one.span() for one in _PERCENT_WORDS.finditer(text)]
    joint: tuple[int, int] | None = None  # of a connector
    for match in _TOKEN.finditer(text):
        start, end = match.span()
        if match.group()[0].isdecimal():
            yield Part(Decimal(0), start, end, is_digits=True)
            joint = None
            continue
        word = folded(match.group())
        if words is None or any(first <= start < last for first, last in percents):
            joint = None
        elif word in words.connectors:
            joint = start, end
        elif joint and word == "a" and words.language == "en":
            joint = joint[0], end  # and a half
        else:
            part = _word_part(word, start, end, words)
            if part is not None and joint and _JOINT.fullmatch(text[joint[1] : start]):
                part = Part(part.value, joint[0], end, is_vague=part.is_vague, is_joined=True)
            if part is not None:
                yield part
            joint = None


def _word_part(word: str, start: int, end: int, words: NumberWords) -> Part | None:
    if word in HALVES:
        return Part(HALF, start, end, is_vague=True)
    if words.language == "de" and (half := german_half(word)):
        return Part(half, start, end)
    value = words.values.get(word, 0)
    if not value and words.language == "de":
        value = german_value(word) or german_ordinal(word)
    if value:
        return Part(Decimal(value), start, end)
    if word in words.vague:
        return Part(Decimal(words.vague[word]), start, end, is_vague=True)
    if words.language == "ar" and word.startswith(_ARABIC_AND):
        inner = _word_part(word[1:], start, end, words)
        return inner and Part(inner.value, start, end, is_vague=inner.is_vague, is_joined=True)
    return None


def _of_run(
    text: str, run: Sequence[Part], words: NumberWords | None
) -> Iterator[tuple[int, list[str]]]:
    """Yield the numbers of neighbouring parts: digits with a scale, or words that form one or more numbers."""
    at = 0
    while at < len(run):
        first = run[at]
        if first.is_digits:
            used, values = _scaled(text, run[at:])
        elif words and words.language == "sw":
            used, value = _larger_first(text, run[at:])
            values = [_written(value)] if value else []
        else:
            spelt = [one for one in run[at:] if not one.is_digits]
            used, value = summed(spelt, words.language if words else "")
            values = [_written(value)] if value else []
        end = run[at + used - 1].end
        if values and not (values == ["1"] and not first.is_digits):
            yield first.start, [*values[:-1], values[-1] + _percent(text, first.start, end)]
        at += used


def _scaled(text: str, run: Sequence[Part]) -> tuple[int, list[str]]:
    """Return how many parts belong to the digits that a run begins with, and their numbers: `3 million`."""
    values = _digits(text[run[0].start : run[0].end])
    if len(values) != 1:
        return 1, values
    value, used = Decimal(values[0]), 1
    if letter := _money_scale(text, run[0]):
        return 1, [_written(value * _LETTERS[letter])]
    for part in run[1:4]:
        if part.is_digits or (part.value == HALF and not part.is_joined):
            break
        if part.value == HALF:
            value += (
                run[used - 1].value / 2 if used > 1 else HALF
            )  # 3 millones y medio, 3 and a half
        elif part.value >= HUNDRED and run[used - 1].value in {0, HALF}:
            value *= part.value
        else:
            break
        used += 1
    return used, [_written(value)]


def _money_scale(text: str, digits: Part) -> str:
    is_money = _MONEY_BEFORE.search(text[max(0, digits.start - 4) : digits.start])
    letter = (_MONEY_SCALE if is_money else _MONEY_BEHIND).match(text, digits.end)
    return letter[1].casefold() if letter else ""


def _larger_first(text: str, run: Sequence[Part]) -> tuple[int, Decimal]:
    """Return the first number of a run in Swahili: `elfu mbili na mia tatu`, `milioni 3`."""
    total, least, used = Decimal(0), Decimal(0), 0
    while used < len(run) and not run[used].is_digits:
        term, length, unit = run[used].value, 1, Decimal(1)
        if term == HALF:
            return (used + 1, total + least / 2) if used else (1, total)
        following = run[used + 1] if used + 1 < len(run) else None
        if term >= HUNDRED:
            unit = term
            if following and following.is_digits:
                values = _digits(text[following.start : following.end])
                term, length = term * Decimal(values[0]), 2
            elif following and not following.is_joined and following.value < term:
                term, length = term * following.value, 2
        elif term % TEENS == 0:
            unit = Decimal(TEENS)
        if used and term >= least:
            break
        total, least, used = total + term, unit, used + length
    return used, total


def _percent(text: str, start: int, end: int) -> str:
    is_percent = _PERCENT_AFTER.match(text, end) or _PERCENT_BEFORE.search(text[:start])
    return PERCENT if is_percent else ""


def _written(value: Decimal) -> str:
    written = f"{value:f}"
    return written.rstrip("0").rstrip(".") if "." in written else written


def _digits(written: str) -> list[str]:
    """Return one number, or all parts of a date or a version."""
    digits = "".join(str(unicodedata.digit(sign, sign)) for sign in written)
    parts = [part for part in re.split(r"\D", digits) if part]
    signs = re.findall(r"\D", digits)
    if _GROUPED.fullmatch(digits) and len(set(signs)) == 1 and signs[0] != "\u066b":
        return ["".join(parts)]
    whole, _, fraction = digits.rpartition(signs[-1]) if signs else (digits, "", "")
    is_grouped = len(parts) == 2 or _GROUPED.fullmatch(whole) is not None  # noqa: PLR2004 - whole and fraction
    if signs and signs[-1] in _DECIMAL_SIGNS and is_grouped and signs[-1] not in signs[:-1]:
        decimals = fraction.rstrip("0")
        units = _without_zeros("".join(parts[:-1]))
        return [f"{units}.{decimals}" if decimals else units]
    return [_without_zeros(part) for part in parts]


def _without_zeros(digits: str) -> str:
    return digits.lstrip("0") or "0"
