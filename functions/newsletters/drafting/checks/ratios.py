"""
The fractions and multiples of a text in one notation: `2/3` for `two thirds`, `2x` for `doubled`.

Their words are taken out of the text, so that `thirds` is not read as a number; a fraction before a scale is a number:
`half a million`. What a passage says is read in all ways in which it can be meant: see `is_source`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Final

from newsletters.drafting.checks.equivalents import decimal, fraction
from newsletters.drafting.checks.number_words import (
    THOUSAND,
    folded,
    german_ordinal,
    german_value,
    ordinals_of,
)
from newsletters.drafting.checks.ratio_words import ratio_words

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from newsletters.drafting.checks.number_words import NumberWords
    from newsletters.drafting.checks.ratio_words import RatioWords

_TOKEN: Final = re.compile(r"\d+|[^\W\d_][^\W\d_\u064b-\u065f]*(?:[\u064b-\u065f]+[^\W\d_]*)*")
_SIGNS: Final = re.compile("[\u00bc-\u00be\u2150-\u215e]")
_DIGITS: Final = re.compile(r"(?<![\d/.,])(\d{1,2})([/\u2044])(\d{1,3})(?![\d/]|[.,]\d)")
_SLASH_OF_SIGNS: Final = "\u2044"  # of no date
_JOINT: Final = re.compile(r"[\s\u00ad\u2010\u2011'\u2019-]*")
_SIGN_OF_TIMES: Final = re.compile(r"(?<![\d.,])(\d{1,3})\s?(?:[x\u00d7](?![^\W_])|-?fold\b)")
_MOST_PARTS: Final = 100
_PHRASE: Final = 3  # words
_MOST_DIGITS: Final = 100  # no number of a text; Python refuses to read thousands
_COMPOUNDS: Final = {
    "dreiviertel": "3/4",
    "zweidrittel": "2/3",
}  # German, also in `Zweidrittelmehrheit`
_TAKEN: Final = "."  # no letter, digit or blank: numbers end before it


@dataclass(frozen=True, slots=True)
class Token:
    """A word or digits; *is_next* if only blanks and hyphens stand between it and the token before."""

    word: str
    start: int
    end: int
    is_next: bool


@dataclass(frozen=True, slots=True)
class Found:
    """A ratio, from its first token to the one behind it; *written* is None for words that are none."""

    first: int
    behind: int
    written: str | None


@dataclass(frozen=True, slots=True)
class Ratio:
    """A fraction or multiple as it is written here, at the position of its words; none for words to leave out."""

    written: str | None
    start: int
    end: int
    is_taken: bool = True


def spelt_out(text: str) -> str:
    """Return a text with the signs of fractions as digits."""
    return _SIGNS.sub(lambda sign: f" {unicodedata.normalize('NFKC', sign[0])}", text)


def without(text: str, found: Collection[Ratio]) -> str:
    """Return a text of the same length without the words of ratios."""
    signs = list(text)
    for one in found:
        if one.is_taken:
            signs[one.start : one.end] = _TAKEN * (one.end - one.start)
    return "".join(signs)


def ratios_in(text: str, words: NumberWords | None, *, is_source: bool) -> list[Ratio]:
    """
    Return the fractions and multiples of a text in order, in digits and in *words*. Of a source `2/3`, `1 in 3` and
    `3 times` also stay in the text.
    """
    found = [
        Ratio(
            fraction(int(one[1]), int(one[3])),
            *one.span(),
            is_taken=not is_source or one[2] == _SLASH_OF_SIGNS,
        )
        for one in _DIGITS.finditer(text)
        if 0 < int(one[1]) < int(one[3]) <= _MOST_PARTS
    ]
    if is_source:
        found += [
            Ratio(f"{one[1]}x", *one.span(), is_taken=False)
            for one in _SIGN_OF_TIMES.finditer(text)
        ]
    if words is not None:
        found += _Reading(text, words, ratio_words(words.language), is_source=is_source).ratios()
    return sorted(found, key=lambda one: one.start)


class _Reading:
    def __init__(
        self, text: str, words: NumberWords, ratios: RatioWords, *, is_source: bool
    ) -> None:
        self.words, self.of, self.is_source = words, ratios, is_source
        self.tokens: list[Token] = []
        end = 0
        for one in _TOKEN.finditer(text):
            is_next = bool(self.tokens) and _JOINT.fullmatch(text[end : one.start()]) is not None
            self.tokens.append(Token(folded(one.group()), one.start(), one.end(), is_next))
            end = one.end()

    def ratios(self) -> Iterator[Ratio]:
        at = 0
        while at < len(self.tokens):
            if self.is_source and (times := self._times(at)):
                own = self.tokens[at]
                yield Ratio(f"{times}x", own.start, own.end, is_taken=False)
            found = self._at(at)
            if found is not None:
                start, end = self.tokens[found.first].start, self.tokens[found.behind - 1].end
                is_doubtful = self.is_source and "/" in (found.written or "")
                yield Ratio(
                    found.written, start, end, is_taken=not is_doubtful or self._is_sure(at)
                )
            at = at + 1 if found is None else found.behind

    def _at(self, at: int) -> Found | None:
        """Return what stands at a place, if it is a ratio."""
        if length := self._ignored(at):
            return Found(at, at + length, None)
        if times := self._multiple(at):
            return Found(at, at + 1, f"{times}x")
        if self.tokens[at].word in self.of.two_thirds:
            return Found(at, at + 1, "2/3")
        if self._is_half(at):
            return self._with_scale(at, at + 1, Fraction(1, 2))
        return self._part(at) or self._among(at) or self._every(at)

    def _is_sure(self, at: int) -> bool:
        """Whether a word says nothing but a part: its number is not one of the passage as well."""
        word = self.tokens[at].word
        return (
            self._part_of(word) > 0 or bool(self.of.half.fullmatch(word)) or word in self.of.plural
        )

    def _word(self, at: int) -> str:
        """Return the word at a place if it follows the one before directly."""
        return self.tokens[at].word if at < len(self.tokens) and self.tokens[at].is_next else ""

    def _before(self, at: int) -> str:
        return self.tokens[at - 1].word if at and self.tokens[at].is_next else ""

    def _ignored(self, at: int) -> int:
        """Return the number of words of a phrase that is no number: `second-hand`."""
        if self.of.ignored is None:
            return 0
        phrase = [
            self.tokens[at].word,
            *filter(None, (self._word(at + n) for n in range(1, _PHRASE))),
        ]
        lengths = range(len(phrase), 0, -1)
        return next((n for n in lengths if self.of.ignored.fullmatch("-".join(phrase[:n]))), 0)

    def _cardinal(self, word: str) -> int:
        if word.isdecimal():
            return int(word) if len(word) <= _MOST_DIGITS else 0
        if word in self.of.ones:
            return 1
        if word in ordinals_of(self.words.language):
            return 0
        value = self.words.values.get(word, 0)
        return value or (german_value(word) if self.words.language == "de" else 0)

    def _ordinal(self, word: str) -> int:
        is_german = self.words.language == "de"
        return german_ordinal(word) if is_german else ordinals_of(self.words.language).get(word, 0)

    def _multiple(self, at: int) -> int:
        word = self.tokens[at].word
        if value := self.of.multiple_of(word):
            return value
        if self.words.language != "de":
            return 0
        stem = re.sub(r"(?:fach(?:e[rsnm]?|t|te|ten|ung)?|mal)$", "", word.removeprefix("ver"))
        value = german_value(stem) if stem != word else 0
        return value if value > 1 else 0

    def _times(self, at: int) -> int:
        """Return the number of `three times` at its first word."""
        value = self._cardinal(self.tokens[at].word)
        is_times = self._word(at + 1) in self.of.times or self._before(at) in self.of.before_times
        return value if value > 1 and is_times else 0

    def _is_half(self, at: int) -> bool:
        word = self.tokens[at].word
        if word in self.of.half_of:
            return self._scale(at + 1)[1] > 0
        if not self.of.half.fullmatch(word):
            return False
        return not self._is_joined(at)

    def _is_joined(self, at: int) -> bool:
        """Whether a half belongs to the number before it: `3 and a half`."""
        back = at - 1 if self._before(at) in {"a", "an"} else at
        if self.tokens[at].word.startswith("و"):
            return self._cardinal(self._before(at)) > 0 or self._before(at) in self.words.vague
        word = self._before(back)
        if word not in self.words.connectors or back < 2:  # noqa: PLR2004 - a number and a connector
            return False
        number = self._before(back - 1)
        return self._cardinal(number) > 0 or number in self.words.vague

    def _part_of(self, word: str) -> int:
        """Return of how many parts a word names one, of words that name nothing else."""
        if self.words.language == "de" and word.rstrip("ns").endswith("tel"):
            return german_ordinal(word.rstrip("ns")[:-1])
        return self.of.parts.get(word, 0)

    def _part(self, at: int) -> Found | None:
        word = self.tokens[at].word
        if self.words.language == "sw":
            return self._swahili_part(at)
        if share := next((_COMPOUNDS[one] for one in _COMPOUNDS if word.startswith(one)), ""):
            return Found(at, at + 1, share) if self.words.language == "de" else None
        count = self._cardinal(self._before(at))
        is_article = self._before(at) in self.of.articles
        first = at - 1 if count or is_article else at
        size = self._part_of(word)
        if first < at:
            size = size or self.of.counted.get(word, 0)
        doubtful = self.of.plural.get(word) or self._ordinal(word)
        if not size and doubtful > 2:  # noqa: PLR2004 - `segunda parte` is no half
            if self._word(at + 1) in self.of.part:
                return Found(first, at + 2, fraction(count or 1, doubtful))
            size = doubtful if self._is_part(at, count, is_article=is_article) else 0
        return self._with_scale(first, at + 1, Fraction(count or 1, size)) if size else None

    def _is_part(self, at: int, count: int, *, is_article: bool) -> bool:
        """Whether a word that is an ordinal number, too, is a part: `two thirds`, `a third of`."""
        if self.tokens[at].word in self.of.plural:
            return count > 1
        if self.words.language == "am":
            return count > 0
        is_one = count == 1 or is_article
        if not self.of.of or not is_one:
            return False
        following = self._word(at + 1)
        before = self._before(at - 1)
        is_clear = not following or following in self.of.of or before in self.of.by
        return is_clear or self.is_source or self._before(at) == "one"

    def _swahili_part(self, at: int) -> Found | None:
        size = self.of.parts.get(self.tokens[at].word, 0)
        if not size:
            return None
        count = self._cardinal(self._word(at + 1))
        return Found(at, at + 1 + bool(count), fraction(count or 1, size))

    def _among(self, at: int) -> Found | None:
        """Return what `one in ten` says, at its first word."""
        count = self._cardinal(self.tokens[at].word)
        if not count:
            return None
        for phrase in self.of.among:
            behind = at + 1 + len(phrase)
            if tuple(self._word(at + 1 + n) for n in range(len(phrase))) != phrase:
                continue
            size = self._cardinal(self._word(behind))
            if count < size <= _MOST_PARTS:
                return Found(at, behind + 1, fraction(count, size))
        return None

    def _every(self, at: int) -> Found | None:
        """Return what `every third` says."""
        if self.tokens[at].word not in self.of.every:
            return None
        size = self._ordinal(self._word(at + 1))
        if not size and self.is_source:
            size = self._cardinal(self._word(at + 1))
        return Found(at, at + 2, fraction(1, size)) if size > 1 else None

    def _with_scale(self, first: int, behind: int, part: Fraction) -> Found:
        """Return a fraction, or the number that it is of a scale: `half a million`."""
        length, scale = self._scale(behind)
        if not scale or part >= 1:
            return Found(first, behind, fraction(part.numerator, part.denominator))
        value = Decimal(part.numerator * scale) / part.denominator
        return Found(first, behind + length, decimal(value))

    def _scale(self, at: int) -> tuple[int, int]:
        """Return how many words lead to a scale at a place, and its value; none without one."""
        fillers = self.of.articles | self.of.of | self.of.ones
        length = 0
        while self._word(at + length) in fillers:
            length += 1
        word = self._word(at + length)
        value = self.words.values.get(word, 0) or self.words.vague.get(word, 0)
        return (length + 1, value) if value >= THOUSAND else (0, 0)
