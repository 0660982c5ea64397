"""
The terms of a search in the inbox: words, and phone numbers in any spelling.

A text contains a word if their folded forms do: case, accents and compatibility forms make no difference. A run of
digits, which may have spaces and punctuation, finds a number by a part of its digits as people write them, or, if it
is complete, by the line that it names where the number's country dials it: `07700 900123` finds +447700900123.
"""

from __future__ import annotations

import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shared.identity import addresses
from shared.identity.addresses import visible
from shared.identity.contacts.words import folded, spelled_out

if TYPE_CHECKING:
    from collections.abc import Sequence

_FEWEST_DIGITS = 4  # of a part of a number; fewer would find most numbers
_LAST_DIGITS = 6
_LONGEST_PREFIX = 4  # digits of the longest international prefixes, such as 0011
_NUMBER = re.compile(r"\+?\d{7,15}", re.ASCII)
_PUNCTUATION = frozenset("+().-/")


@dataclass(frozen=True, slots=True)
class Term:
    """
    Words that must all be in a text; or, if *number* has them, digits that must be in a phone number.

    *other*: a word that may stand for the words, such as `mueller` for `müller`.
    """

    words: tuple[str, ...]
    number: str = ""
    other: str | None = None

    def fits(self, text: str, handle: str | None) -> bool:
        """Whether a text, as `words.searched` returns it, has all words, or the number of *handle* has the digits."""
        return (
            all(word in text for word in self.words)
            or (self.other is not None and self.other in text)
            or (handle is not None and self._names(handle))
        )

    def _names(self, handle: str) -> bool:
        digits = _digits(self.number)
        if len(digits) < _FEWEST_DIGITS or not _NUMBER.fullmatch(handle):
            return False
        spellings = addresses.spellings_of(handle.removeprefix("+"))
        part = digits.lstrip("0")
        has_country = self.number.lstrip(" (").startswith("+")
        if len(part) >= _FEWEST_DIGITS and any(
            one.startswith(part) if has_country else part in one for one in spellings
        ):
            return True
        if any(_is_dialled_abroad(digits, one) for one in spellings):
            return True
        # Zeros at the beginning of the last digits are no prefix.
        if len(digits) >= _LAST_DIGITS and any(one.endswith(digits) for one in spellings):
            return True
        # Every spelling of a number keeps its end: the library is asked about few entries.
        return spellings[0].endswith(digits[-_FEWEST_DIGITS:]) and self._is_line(spellings[0])

    def _is_line(self, normal: str) -> bool:
        region = addresses.dialling_region_of(f"+{normal}")
        try:
            dialled = addresses.phone_number(self.number, region)
        except addresses.PhoneInvalid:
            return False
        return addresses.normal_form(dialled) == f"+{normal}"


def terms_of(query: str) -> tuple[Term, ...]:
    """Return the terms of a search: neighbouring parts that look like pieces of one number are one term."""
    terms: list[Term] = []
    run: list[str] = []
    for word in visible(query).split():
        if _is_piece(word):
            run.append(word)
            continue
        terms += _number_of(run)
        run = []
        terms.append(_word_of(word))
    return (*terms, *_number_of(run))


def _word_of(word: str) -> Term:
    """Return the term of a word; of an address with its domain in ASCII, as it is stored."""
    if "@" in word and not word.isascii():
        with suppress(addresses.EmailInvalid):
            word = addresses.email_address(word)
    own, other = folded(word), folded(spelled_out(word))
    return Term((own,), other=None if other == own else other)


def _number_of(run: Sequence[str]) -> list[Term]:
    return [Term(tuple(map(folded, run)), " ".join(run))] if run else []


def _is_piece(word: str) -> bool:
    plain = unicodedata.normalize("NFKC", word)
    return all(
        sign.isdecimal() or sign in _PUNCTUATION or unicodedata.category(sign) == "Pd"
        for sign in plain
    )


def digits_of(term: Term) -> str:
    """Return the digits of a term that is a number; the last digits of a number may begin with zeros."""
    return _digits(term.number)


def _digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(sign)) for sign in text if sign.isdecimal())


def _is_dialled_abroad(digits: str, number: str) -> bool:
    """Whether the digits are a whole number after an international prefix."""
    return digits.endswith(number) and len(digits) - len(number) <= _LONGEST_PREFIX
