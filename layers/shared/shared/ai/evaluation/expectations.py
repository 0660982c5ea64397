"""What a text of a scenario is expected to have, and the lines that name what it breaks. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from shared.ai.texts.languages.certain_languages import certain_language, known_language
from shared.ai.texts.languages.function_words import language_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class ExpectedText(Protocol):
    """The part of an expectation that concerns a text. Texts are compared without case."""

    @property
    def contains(self) -> Sequence[str]:
        """All of these."""

    @property
    def contains_any(self) -> Sequence[str]:
        """One of these."""

    @property
    def lacks(self) -> Sequence[str]:
        """None of these."""

    @property
    def language(self) -> str | None:
        """The language, if it matters."""


def broken_by(expected: ExpectedText, said: str) -> Iterator[str]:
    """Yield a line for each expectation that the text *said* breaks."""
    folded = said.casefold()
    for text in expected.contains:
        if text.casefold() not in folded:
            yield f'the answer lacks "{text}"'
    some = expected.contains_any
    if some and not any(text.casefold() in folded for text in some):
        yield "the answer has none of " + ", ".join(f'"{text}"' for text in some)
    for text in expected.lacks:
        if text.casefold() in folded:
            yield f'the answer contains "{text}"'
    if expected.language is not None:
        found = certain_language(said) or language_of(said)
        if found != known_language(expected.language):
            yield f"the language is {found or 'unclear'} instead of {expected.language}"
