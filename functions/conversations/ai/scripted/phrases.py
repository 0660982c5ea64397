"""Matches phrases as whole words, ignoring case, accents and punctuation."""

from collections.abc import Sequence
from functools import cache

from conversations.ai.checks.languages import plain_words
from conversations.ai.scripted.wordings import WORDINGS


def has_phrase(phrases: str, words: Sequence[str]) -> bool:
    """Return whether one of *phrases* (see `Wording`) occurs in the plain *words*."""
    return any(
        tuple(words) == phrase if is_whole else _holds(words, phrase)
        for phrase, is_whole in _compiled(phrases)
    )


def asks_for_a_person(words: Sequence[str]) -> bool:
    """Return whether *words* ask for a human agent, in any of the languages."""
    return any(has_phrase(wording.person, words) for wording in WORDINGS.values())


def begins(phrases: str, words: Sequence[str]) -> bool:
    """Return whether the plain *words* begin with one of *phrases*."""
    return any(tuple(words[: len(phrase)]) == phrase for phrase, _ in _compiled(phrases))


def _holds(words: Sequence[str], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(tuple(words[at : at + size]) == phrase for at in range(len(words) - size + 1))


@cache
def _compiled(phrases: str) -> tuple[tuple[tuple[str, ...], bool], ...]:
    return tuple(
        (tuple(plain_words(phrase)), phrase.strip().startswith("="))
        for phrase in phrases.split(",")
    )
