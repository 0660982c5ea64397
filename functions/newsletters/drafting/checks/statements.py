"""Compares a model's text with the passages that it cites: numbers, quotations, and the language of the newsletter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from newsletters.drafting.checks.dates import dates_in, months_in
from newsletters.drafting.checks.number_words import LANGUAGES
from newsletters.drafting.checks.numbers import numbers_in, supported
from newsletters.drafting.checks.quotations import quotations_in, stands_in
from shared.ai.texts.languages.certain_languages import certain_language, known_language, primary_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from newsletters.store.items import Reference

UNSUPPORTED_NUMBER: Final = "unsupported_number"
QUOTE_CHANGED: Final = "quote_changed"
WRONG_LANGUAGE: Final = "wrong_language"
_OF_SCRIPT: Final = {"Arab": "ar", "Ethi": "am"}


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that a text breaks: the code of its warning, and the words that it is about."""

    code: str
    text: str


def unsupported_numbers(text: str, cited: Sequence[Reference], language: str) -> list[Finding]:
    """Return the numbers and dates of a text, also in words of its *language*, that no cited passage's text has."""
    primary = primary_of(language)
    months = {month for source in cited for month in _months_of(source.text)}
    known = {number for source in cited for number in supported(_numbers_of(source.text))}
    known |= {str(month) for month in months}
    numbers = [one for one in dict.fromkeys(numbers_in(text, [primary])) if one not in known]
    dates = [one for one, month in dates_in(text, primary).items() if month not in months]
    return [Finding(UNSUPPORTED_NUMBER, one) for one in (*numbers, *dates)]


def changed_quotations(
    text: str, cited: Sequence[Reference], *, is_quote: bool = False
) -> list[Finding]:
    """
    Return the quotations of a text that stand in no cited passage. With *is_quote* the whole text is one; else the
    title of a source may be quoted, too.
    """
    texts = [source.text for source in cited]
    if is_quote:
        return [] if stands_in(text, texts) else [Finding(QUOTE_CHANGED, text)]
    texts += [source.title for source in cited]
    return [Finding(QUOTE_CHANGED, one) for one in quotations_in(text) if not stands_in(one, texts)]


def is_in_another_language(text: str, language: str) -> bool:
    """Whether a text is certainly not in the language of a BCP 47 tag; False for a language without a word list."""
    expected = known_language(language)
    return expected is not None and certain_language(text) not in {None, expected}


@lru_cache(maxsize=256)  # several sections of a draft have the same passages
def _numbers_of(passage: str) -> tuple[str, ...]:
    return tuple(numbers_in(passage, _languages_of(passage), is_source=True))


@lru_cache(maxsize=256)
def _months_of(passage: str) -> frozenset[int]:
    return frozenset(months_in(passage, _languages_of(passage)))


def _languages_of(passage: str) -> Sequence[str]:
    """Return the language of a passage; all of them if it is uncertain."""
    certain = certain_language(passage) or ""
    language = _OF_SCRIPT.get(certain, certain)
    return [language] if language in LANGUAGES else LANGUAGES
