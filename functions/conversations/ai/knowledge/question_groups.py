"""
Groups questions that ask the same: by what they mean, where they have a vector of a model, else by their words. Pure
and deterministic.

By vectors a question joins the group whose questions are most alike on average, from *least_alike* on, in any language.

By words two questions are alike as far as they share words: each counts by its rarity among all questions, in one form
for all forms of a word in its language, without function words. One common word of several is none: "How much is the
tent?" and "How much is shipping?" ask two things. A question joins the group with whose questions it is most alike on
average, if that is at least LEAST_ALIKE, or begins a new one. So questions in several languages stay apart by words,
and "May I send it back?" and "Can I send back shoes?" come together.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from shared.ai.retrieval.index import words_of
from shared.ai.texts.languages.word_forms import terms_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shared.ai.settings import EmbeddingSettings

LEAST_ALIKE: Final = 0.3
FEWEST_COMMON: Final = 2  # words, unless a question has only one
MOST_COMPARED: Final = 10  # questions of a group, the first of them
LEAST_COSINE: Final = 0.5
LEAST_COSINE_OF_COHERE_V3: Final = 0.7  # its vectors of texts about other things are alike, too


@dataclass(frozen=True, slots=True)
class Asked:
    """A question. *language* is the primary subtag of its language; None if unknown."""

    question_id: str
    text: str = field(repr=False)
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """The ids of questions that ask the same; *by_meaning*: by their vectors, not by their words."""

    questions: tuple[str, ...]
    by_meaning: bool = False


def least_alike_of(settings: EmbeddingSettings) -> float:
    """
    Return the cosine from which questions are alike: the setting, else an estimate for the model.

    Check: the estimates are not measured with the providers' models.
    """
    if settings.least_alike is not None:
        return settings.least_alike
    name = settings.model or settings.provider
    is_cohere_v3 = "cohere.embed" in name and "-v3" in name
    return LEAST_COSINE_OF_COHERE_V3 if is_cohere_v3 else LEAST_COSINE


def groups_of(
    questions: Sequence[Asked],
    vectors: Mapping[str, Sequence[float]] | None = None,
    least_alike: float = LEAST_COSINE,
) -> list[Group]:
    """
    Return questions in groups, in their order: first those with one of the *vectors*, by id. Questions without words
    are alone.
    """
    known = vectors or {}
    meant = [one.question_id for one in questions if any(known.get(one.question_id, ()))]
    by_meaning = _by_meaning([known[name] for name in meant], least_alike)
    others = [one for one in questions if one.question_id not in set(meant)]
    groups = [Group(tuple(meant[at] for at in group), by_meaning=True) for group in by_meaning]
    return groups + [
        Group(tuple(others[at].question_id for at in group)) for group in _by_words(others)
    ]


def _by_meaning(vectors: Sequence[Sequence[float]], least_alike: float) -> list[list[int]]:
    """Return the positions of vectors in groups. The mean of the cosines with a group is that with its sum."""
    groups: list[list[int]] = []
    sums: list[list[float]] = []
    for number, vector in enumerate(vectors):
        length = math.hypot(*vector)
        own = [value / length for value in vector]
        shares = [
            math.sumprod(own, total) / len(group) if len(total) == len(own) else 0.0
            for group, total in zip(groups, sums, strict=True)
        ]
        best = _best(shares)
        if best is not None and shares[best] >= least_alike:
            groups[best].append(number)
            sums[best] = [a + b for a, b in zip(sums[best], own, strict=True)]
        else:
            groups.append([number])
            sums.append(own)
    return groups


def _by_words(questions: Sequence[Asked]) -> list[list[int]]:
    """Return the positions of questions in groups."""
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
        best = _best(shares)
        if best is not None and shares[best] >= LEAST_ALIKE:
            groups[best].append(number)
        else:
            groups.append([number])
    return groups


def _best(shares: Sequence[float]) -> int | None:
    """Return the position of the largest share, of equal ones the first; None without shares."""
    return max(range(len(shares)), key=lambda at: (shares[at], -at), default=None)


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
