"""
Messages of a customer with their answers, and whether two answers say the same: then the customer asked the same, in
words of any language, or a second answer helped as little as the first one.

    "The bus leaves at 15:10.", "Her bus leaves at 15:10 every day."       the same
    "The bus leaves at 15:10.", "The bus arrives at 15:40."                not: other numbers
    Spain? "We deliver to Spain.", Norway? "We deliver to Norway."         not: each has its own word of the question

Questions in an answer and what surrounds it in both, such as a greeting, are not compared. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from conversations.ai.checks.division import sentences
from shared.ai import port as ai
from shared.ai.texts.languages.function_words import SMALL_WORDS, plain_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.ai.prompt.system_prompt import HistoryMessage

LONGEST_ANSWER = 1_000  # characters that are compared
_STEM = 5  # letters that words of the same stem share
_FEWEST_COMMON = 3  # words of both answers
_LEAST_OF_SHORTER, _LEAST_OF_ALL = 0.6, 0.4  # of the words of the shorter answer, and of both
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u4e00-\u9fff]")
_QUESTION_MARKS = ("?", "\uff1f", "\u061f")


@dataclass(frozen=True, slots=True)
class Exchange:
    """
    What the customer wrote until an *answer* came; it is empty if none has come yet. *asks_again*: the model said there
    that the customer asks again what no answer has settled.
    """

    texts: tuple[str, ...]
    answer: str = ""
    asks_again: bool = False

    def is_answered_like(self, earlier: Exchange) -> bool:
        """Return whether the answer says the same as an *earlier* one."""
        asked, asked_before = _stems("\n".join(self.texts)), _stems("\n".join(earlier.texts))
        own, others = _telling(self.answer), _telling(earlier.answer)
        framing = {
            sentence
            for sentence in own & others
            if not _numbers(stems := _stems(sentence)) and not stems & (asked | asked_before)
        }
        if framing not in (own, others):
            own, others = own - framing, others - framing
        words, words_before = _stems("\n".join(own)), _stems("\n".join(others))
        if _numbers(words) != _numbers(words_before):
            return False
        if asked & (words - words_before) and asked_before & (words_before - words):
            return False
        common = len(words & words_before)
        shorter, every = min(len(words), len(words_before)), len(words | words_before)
        return common >= max(_FEWEST_COMMON, _LEAST_OF_SHORTER * shorter, _LEAST_OF_ALL * every)


def exchanges_in(history: Sequence[HistoryMessage]) -> list[Exchange]:
    """Return the exchanges of a *history*, oldest first; only the last one may be without an answer."""
    found: list[Exchange] = []
    texts: list[str] = []
    answers: list[HistoryMessage] = []
    for message in history:
        if message.role is ai.Role.USER:
            if answers and texts:
                found.append(_exchange(texts, answers))
                texts = []
            answers = []
            texts.append(message.text)
        else:
            answers.append(message)
    return [*found, _exchange(texts, answers)] if texts else found


def units(text: str) -> list[str]:
    """Return the plain words of *text*; of scripts without blanks between words, the pairs of neighbouring signs."""
    found: list[str] = []
    for word in plain_words(text):
        found += map("".join, pairwise(word)) if _UNSPACED.search(word) else [word]
    return found


def _exchange(texts: Sequence[str], answers: Sequence[HistoryMessage]) -> Exchange:
    answer = "\n".join(message.text for message in answers)
    return Exchange(tuple(texts), answer, any(message.asks_again for message in answers))


def _telling(answer: str) -> set[str]:
    """Return the sentences of an answer that ask nothing."""
    parts = (part.strip() for part in sentences(answer[:LONGEST_ANSWER]))
    return {part for part in parts if part and not part.endswith(_QUESTION_MARKS)}


def _stems(text: str) -> frozenset[str]:
    return frozenset(
        word if word.isdigit() else word[:_STEM]
        for word in units(text)
        if word not in _small_words() and (len(word) > 1 or word.isdigit())
    )


def _numbers(stems: frozenset[str]) -> set[str]:
    return {stem for stem in stems if any(map(str.isdigit, stem))}


@cache
def _small_words() -> frozenset[str]:
    return frozenset().union(*SMALL_WORDS.values())
