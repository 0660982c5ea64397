"""
What the lexicons found and what the words tell all together, weighed into one answer.

    lexicons say P0                          P0 stays; the words may only tell which one
    words tell P0, and one of its intents    P0, so that no reply goes out: oblique threats have no pattern
    words tell nearly P0                     no P0, but no machine answers
    lexicons and words agree                 as the lexicons say
    lexicons find nothing present            what the words tell, at most 0.84: never facts of an order
    words tell something else, and surely    what the words tell, less 0.10; the lexicons' intents are no more present
"""

from collections.abc import Mapping
from dataclasses import dataclass

from richpanel.classification.answers import Scored, is_present
from richpanel.classification.lexicon.evidence import URGENT
from richpanel.taxonomy import Intent, intents

URGENT_FROM = 0.38  # likelihood of all P0 intents together, where nothing at all is not likelier
_URGENT_IN_FEW_FROM = 0.60  # the same for a word or two, which the model knows little of
_FEW_WORDS = 3
_ONE_URGENT_FROM = 0.28  # one P0 intent at least: a text that could be anything is no threat ...
_ONE_URGENT_BESIDE_FROM = 0.40  # ... the less where a lexicon says what it is
URGENT_PART_FROM = 0.75  # the same for one part of a long text
_URGENT_BESIDE_CALL_FROM = 0.80  # the same where the text asks for a person, and gets one anyway
_NEARLY_URGENT = 0.25  # no P0 intent yet, but no machine answers either
_NEARLY_URGENT_PART = 0.50
_UNHEARD_OF = 0.05  # nor where the words find so little of what the lexicons found
_HIGHEST = 0.84  # below what facts of an order take
_SURE = 0.40  # likelihood from which words outweigh a lexicon's intent ...
_DOUBTED = 0.20  # ... that they find less likely than this
_DISAGREEMENT = 0.10
_SURE_OF_P0 = 0.60
_AHEAD = 0.01
_NO_LONGER_PRESENT = 0.50
_WORTH_NAMING = 0.05


@dataclass(frozen=True, slots=True)
class Heard:
    """
    What the words tell: how *likely* each intent is, 0 to 1, and how likely the most urgent part of a long text is
    P0. *words* counts those of the text.

    An intent that the text denies has 0.0, and nobody gets what it had: together they may be less than 1.
    """

    likely: Mapping[Intent, float]
    urgent_part: float
    words: int

    def against(self, scores: Mapping[Intent, float]) -> "Heard":
        """The same of *scores* and of nothing at all only: for a text whose words can tell no other intent."""
        known = {*scores, Intent.UNKNOWN_OTHER}.difference(URGENT)
        likely = {intent: self.likely[intent] if intent in known else 0.0 for intent in Intent}
        return Heard(likely, 0.0, self.words)

    @property
    def beside_call(self) -> "Heard":
        """The same of a text that asks for a person: without any P0 intent, unless the words are very sure."""
        if max(self.urgency, self.urgent_part) >= _URGENT_BESIDE_CALL_FROM:
            return self
        likely = {intent: 0.0 if intent in URGENT else self.likely[intent] for intent in Intent}
        return Heard(likely, 0.0, self.words)

    def is_urgent(self, *, something_found: bool) -> bool:
        """Whether this makes it Tier 0. *something_found*: a lexicon has another intent for it."""
        if self.urgent_part >= URGENT_PART_FROM:
            return True
        needed = URGENT_FROM if self.words >= _FEW_WORDS else _URGENT_IN_FEW_FROM
        one = _ONE_URGENT_BESIDE_FROM if something_found else _ONE_URGENT_FROM
        return (
            self.urgency >= max(needed, self.likely[Intent.UNKNOWN_OTHER])
            and max(self.likely[intent] for intent in URGENT) >= one
        )

    @property
    def urgency(self) -> float:
        """How likely it is any P0 intent."""
        return sum(self.likely[intent] for intent in URGENT)


def weighed(scores: Mapping[Intent, float], heard: Heard) -> dict[Intent, float]:
    """The scores by intent after both readings."""
    likely = heard.likely
    if any(intent in scores for intent in URGENT):
        return _most_urgent_first(scores, likely)
    present = [intent for intent, score in scores.items() if is_present(Scored(intent, score))]
    if heard.is_urgent(something_found=bool(present)):
        intent = max(URGENT, key=likely.__getitem__)
        return dict(scores) | {intent: _bounded(max(heard.urgency, heard.urgent_part))}
    best = max((intent for intent in Intent if intent not in URGENT), key=likely.__getitem__)
    if not present:
        return _told(scores, likely, best)
    first = min(present, key=lambda each: (intents[each].level, -scores[each], intents[each].row))
    if best is first or likely[best] < _SURE or likely[first] >= _DOUBTED:
        return dict(scores)
    return _outweighed(scores, likely, best, scores[first])


def is_doubted(primary: Intent, heard: Heard) -> bool:
    """Whether the words speak so much against *primary*, or for P0, that a person should read before anyone answers."""
    return (
        heard.urgency >= _NEARLY_URGENT
        or heard.urgent_part >= _NEARLY_URGENT_PART
        or heard.likely[primary] < _UNHEARD_OF
    )


def _most_urgent_first(
    scores: Mapping[Intent, float], likely: Mapping[Intent, float]
) -> dict[Intent, float]:
    """Which P0 intent it is, where the words are surer of another than of what the lexicons found."""
    found = max((scores[intent], likely[intent]) for intent in URGENT if intent in scores)
    best = max(URGENT, key=likely.__getitem__)
    if likely[best] < _SURE_OF_P0 or found[1] >= _DOUBTED:
        return dict(scores)
    return dict(scores) | {best: round(min(1.0, found[0] + _AHEAD), 4)}


def _told(
    scores: Mapping[Intent, float], likely: Mapping[Intent, float], best: Intent
) -> dict[Intent, float]:
    """The answer of the words alone."""
    if best is Intent.UNKNOWN_OTHER:
        return {} if likely[best] >= _SURE else dict(scores)
    others: dict[Intent, float] = {
        intent: score
        for intent, score in likely.items()
        if score >= _WORTH_NAMING and intent not in URGENT and intent is not Intent.UNKNOWN_OTHER
    }
    return others | {best: _bounded(likely[best])}


def _outweighed(
    scores: Mapping[Intent, float], likely: Mapping[Intent, float], best: Intent, before: float
) -> dict[Intent, float]:
    if best is Intent.UNKNOWN_OTHER:
        return {}
    kept = {
        intent: score if likely[intent] >= _DOUBTED else min(score, _NO_LONGER_PRESENT)
        for intent, score in scores.items()
    }
    told = round(min(_bounded(likely[best]), before) - _DISAGREEMENT, 4)
    return kept | {best: max(told, kept.get(best, 0.0))}


def _bounded(likelihood: float) -> float:
    return round(min(_HIGHEST, likelihood), 4)
