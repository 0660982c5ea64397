"""
What the lexicons found and what the words tell all together, weighed into one answer.

    lexicons say P0                          P0 stays; the words may only tell which one
    words tell P0                            P0, so that no reply goes out: oblique threats have no pattern
    lexicons and words agree                 as the lexicons say
    lexicons find nothing present            what the words tell, at most 0.84: never facts of an order
    words tell something else, and surely    what the words tell, less 0.10; the lexicons' intents are no more present
"""

from collections.abc import Mapping

from richpanel.classification.answers import Scored, is_present
from richpanel.classification.evidence import URGENT
from richpanel.taxonomy import Intent, intents

URGENT_FROM = 0.38  # likelihood of all P0 intents together
URGENT_PART_FROM = 0.75  # the same for one part of a long text
_HIGHEST = 0.84  # below what facts of an order take
_SURE = 0.40  # likelihood from which words outweigh a lexicon's intent ...
_DOUBTED = 0.20  # ... that they find less likely than this
_DISAGREEMENT = 0.10
_SURE_OF_P0 = 0.60
_AHEAD = 0.01
_NO_LONGER_PRESENT = 0.50
_WORTH_NAMING = 0.05


def weighed(
    scores: Mapping[Intent, float], likely: Mapping[Intent, float], urgent_part: float
) -> dict[Intent, float]:
    """The scores by intent after both readings. *urgent_part*: how likely a part of the text is P0."""
    if any(intent in scores for intent in URGENT):
        return _most_urgent_first(scores, likely)
    urgency = sum(likely[intent] for intent in URGENT)
    if urgency >= URGENT_FROM or urgent_part >= URGENT_PART_FROM:
        intent = max(URGENT, key=likely.__getitem__)
        return dict(scores) | {intent: _bounded(max(urgency, urgent_part))}
    best = max((intent for intent in Intent if intent not in URGENT), key=likely.__getitem__)
    present = [intent for intent, score in scores.items() if is_present(Scored(intent, score))]
    if not present:
        return _told(scores, likely, best)
    first = min(present, key=lambda each: (intents[each].level, -scores[each], intents[each].row))
    if best is first or likely[best] < _SURE or likely[first] >= _DOUBTED:
        return dict(scores)
    return _outweighed(scores, likely, best, scores[first])


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
