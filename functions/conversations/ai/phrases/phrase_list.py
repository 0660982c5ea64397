"""Matches phrases as whole words, without case, accents and punctuation."""

from collections.abc import Sequence
from functools import cache

from shared.ai.texts.languages.function_words import plain_words


def has_phrase(phrases: str, words: Sequence[str]) -> bool:
    """
    Return whether one of the comma-separated *phrases* occurs in the plain *words*.

    A phrase that begins with `=` must be the whole message.
    """
    text = _delimited(words)
    return any(
        text == phrase if is_whole else phrase in text
        for phrase, is_whole in _delimited_of(phrases)
    )


def _delimited(words: Sequence[str]) -> str:
    """Return the words with a space before and after each, so that a text contains only whole words of another."""
    return f" {' '.join(words)} "


@cache
def _delimited_of(phrases: str) -> tuple[tuple[str, bool], ...]:
    return tuple((_delimited(phrase), is_whole) for phrase, is_whole in compiled(phrases))


@cache
def compiled(phrases: str) -> tuple[tuple[tuple[str, ...], bool], ...]:
    """Return the words of each phrase, and whether it must be the whole message."""
    return tuple(
        (tuple(plain_words(phrase)), phrase.strip().startswith("="))
        for phrase in phrases.split(",")
    )
