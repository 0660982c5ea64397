"""
Groups questions that ask the same, by their words. Pure and deterministic.

Two questions are alike as far as they share words: each counts by its rarity among all questions, in one form for all
forms of a word in its language, without function words. One common word of several is none: "How much is the tent?"
and "How much is shipping?" ask two things. A question joins the group with whose questions it is most
alike on average, if that is at least LEAST_ALIKE, or begins a new one. So questions in several languages stay apart,
and "May I send it back?" and "Can I send back shoes?" come together.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from shared.ai.languages.word_forms import terms_of
from shared.ai.retrieval.index import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

LEAST_ALIKE: Final = 0.3
FEWEST_COMMON: Final = 2  # words, unless a question has only one
MOST_COMPARED: Final = 10  # questions of a group, the first of them


@dataclass(frozen=True, slots=True)
class Asked:
    """A question. *language* is the primary subtag of its language; None if unknown."""

    question_id: str
    text: str = field(repr=False)
    language: str | None = None


def groups_of(questions: Sequence[Asked]) -> list[list[str]]:
    """Return the ids of questions in groups, in the order of the questions; those without words are alone."""
    words = [_words(one) for one in questions]
    counts = Counter(form for forms in words for form in forms)
    weights = {form: math.log(1 + len(questions) / count) for form, count in counts.items()}
    groups: list[list[int]] = []
    for number, own in enumerate(words):
        shares = [
            sum(_likeness(own, words[other], weights) for other in group[:MOST_COMPARED])
            / len(group[:MOST_COMPARED])
            for group in groups
        ]
        best = max(range(len(groups)), key=lambda at: (shares[at], -at), default=None)
        if best is not None and shares[best] >= LEAST_ALIKE:
            groups[best].append(number)
        else:
            groups.append([number])
    return [[questions[number].question_id for number in group] for group in groups]


def _words(question: Asked) -> frozenset[str]:
    """Return the words of a question, each in one form for all its forms in the language of the question."""
    words = (forms[0] for forms in words_of(question.text, question.language))
    return frozenset(term for word in words for term in terms_of(word, question.language))


def _likeness(own: frozenset[str], other: frozenset[str], weights: dict[str, float]) -> float:
    """Return the weight of the common words as a share of the mean weight of both, from 0 to 1."""
    if len(own & other) < min(FEWEST_COMMON, len(own), len(other)):
        return 0.0
    both = sum(weights[form] for form in own) + sum(weights[form] for form in other)
    return 2 * sum(weights[form] for form in own & other) / both if both else 0.0
