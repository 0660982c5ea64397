"""Precision, recall and F1 of the rules per intent; missed and false Tier 0 messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from richpanel.classification import Classification, Message
from richpanel.classification.classifier import classify
from richpanel.classification.taxonomy import Intent, Level, intents
from tests.messages.corpus import Labelled


@dataclass(frozen=True, slots=True)
class Figures:
    """How well one intent is found: 0 to 1 each, over *messages* labelled with it."""

    precision: float
    recall: float
    messages: int

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


@dataclass(frozen=True, slots=True)
class Report:
    """The results for a set of messages; the lists hold ids."""

    by_intent: dict[Intent, Figures]
    wrong: dict[str, tuple[Intent, Intent]]
    tier0_missed: list[str]
    tier0_false: list[str]

    @property
    def macro(self) -> float:
        """Mean F1, each intent the same."""
        return sum(each.f1 for each in self.by_intent.values()) / len(self.by_intent)

    @property
    def weighted(self) -> float:
        """Mean F1, each intent by its number of messages."""
        total = sum(each.messages for each in self.by_intent.values())
        return sum(each.f1 * each.messages for each in self.by_intent.values()) / total

    def commonest(self, count: int) -> float:
        """Mean F1 of the intents with the most messages."""
        most = sorted(self.by_intent.values(), key=lambda each: -each.messages)[:count]
        return sum(each.f1 for each in most) / count


def measure(
    messages: Iterable[Labelled], classified: Callable[[Message], Classification] = classify
) -> Report:
    """Classify each message and compare with its labels. *classified*: results that the caller already has."""
    labelled, found, right = Counter[Intent](), Counter[Intent](), Counter[Intent]()
    wrong: dict[str, tuple[Intent, Intent]] = {}
    missed: list[str] = []
    false: list[str] = []
    for each in messages:
        answer = classified(each.message).primary
        labelled[each.intent] += 1
        found[answer] += 1
        right[answer] += answer is each.intent
        if answer is not each.intent:
            wrong[each.id] = (each.intent, answer)
        if _is_tier0(each.intent) and not _is_tier0(answer):
            missed.append(each.id)
        if _is_tier0(answer) and not _is_tier0(each.intent):
            false.append(each.id)
    figures = {
        intent: Figures(
            right[intent] / found[intent] if found[intent] else 0.0, right[intent] / count, count
        )
        for intent, count in labelled.items()
    }
    return Report(figures, wrong, missed, false)


def _is_tier0(intent: Intent) -> bool:
    return intents[intent].level is Level.P0
