"""
Combines the lexicon scores with the likelihoods of the word model into one result.

    lexicons find P0                         P0 stays; the model may only choose another P0 intent
    model finds P0, and one of its intents   P0, so that no reply is sent: indirect threats match no pattern
    model nearly finds P0                    not P0, but no automatic reply
    lexicons and model agree                 the lexicon scores
    lexicons find nothing present            the model's intents, at most 0.84: too low for facts of an order
    model clearly finds another intent       the model's intent, less 0.10; unlikely lexicon intents are not present
"""

from collections.abc import Mapping
from dataclasses import dataclass

from richpanel.classification.answers import Scored, is_present
from richpanel.classification.lexicon.evidence import URGENT
from richpanel.classification.taxonomy import Intent, intents

URGENT_FROM = 0.38  # minimum sum of the P0 likelihoods, and not below `unknown_other`
_URGENT_IN_FEW_FROM = 0.60  # the same for one or two words, on which the model is unreliable
_FEW_WORDS = 3
_ONE_URGENT_FROM = 0.28  # minimum of the likeliest P0 intent: an ambiguous text is no threat
_ONE_URGENT_BESIDE_FROM = 0.40  # the same where the lexicons found another intent
URGENT_PART_FROM = 0.75  # minimum sum of the P0 likelihoods for one part of a long text
_URGENT_BESIDE_CALL_FROM = 0.80  # the same where the text asks for an agent and gets one anyway
_NEARLY_URGENT = 0.25  # not P0, but no automatic reply from this sum on
_NEARLY_URGENT_PART = 0.50
_UNLIKELY = 0.05  # no automatic reply if the model's likelihood of the primary intent is lower
_HIGHEST = 0.84  # below the threshold for facts of an order
_SURE = 0.40  # likelihood from which the model overrides a lexicon's intent ...
_DOUBTED = 0.20  # ... whose own likelihood is below this
_DISAGREEMENT = 0.10
_SURE_OF_P0 = 0.60
_AHEAD = 0.01
_NO_LONGER_PRESENT = 0.50
_WORTH_NAMING = 0.05


@dataclass(frozen=True, slots=True)
class WordModelResult:
    """
    The result of the word model: *likely* is the likelihood of each intent, 0 to 1, *urgent_part* the P0 likelihood
    of the most urgent part of a long text, *words* the word count.

    An intent that the text negates has 0.0, and its share is not redistributed: the sum may be less than 1.
    """

    likely: Mapping[Intent, float]
    urgent_part: float
    words: int

    def against(self, scores: Mapping[Intent, float]) -> "WordModelResult":
        """Return the result limited to the non-P0 intents in *scores* and `unknown_other`; all others become 0.0."""
        allowed = {*scores, Intent.UNKNOWN_OTHER}.difference(URGENT)
        likely = {intent: self.likely[intent] if intent in allowed else 0.0 for intent in Intent}
        return WordModelResult(likely, 0.0, self.words)

    @property
    def for_agent_request(self) -> "WordModelResult":
        """The result for a text that asks for a human agent: without P0 intents, unless their likelihood is high."""
        if max(self.urgency, self.urgent_part) >= _URGENT_BESIDE_CALL_FROM:
            return self
        likely = {intent: 0.0 if intent in URGENT else self.likely[intent] for intent in Intent}
        return WordModelResult(likely, 0.0, self.words)

    def is_urgent(self, *, something_found: bool) -> bool:
        """Return whether the text is Tier 0. *something_found*: the lexicons found another intent."""
        if self.urgent_part >= URGENT_PART_FROM:
            return True
        needed_in_total = URGENT_FROM if self.words >= _FEW_WORDS else _URGENT_IN_FEW_FROM
        needed_of_one = _ONE_URGENT_BESIDE_FROM if something_found else _ONE_URGENT_FROM
        return (
            self.urgency >= max(needed_in_total, self.likely[Intent.UNKNOWN_OTHER])
            and max(self.likely[intent] for intent in URGENT) >= needed_of_one
        )

    @property
    def urgency(self) -> float:
        """The likelihood of all P0 intents together."""
        return sum(self.likely[intent] for intent in URGENT)


def combined_scores(scores: Mapping[Intent, float], result: WordModelResult) -> dict[Intent, float]:
    """Return the scores by intent, combined from the lexicons' *scores* and the word model."""
    likely = result.likely
    if any(intent in scores for intent in URGENT):
        return _most_urgent_first(scores, likely)
    present = [intent for intent, score in scores.items() if is_present(Scored(intent, score))]
    if result.is_urgent(something_found=bool(present)):
        intent = max(URGENT, key=likely.__getitem__)
        return dict(scores) | {intent: _bounded(max(result.urgency, result.urgent_part))}
    best = max((intent for intent in Intent if intent not in URGENT), key=likely.__getitem__)
    if not present:
        return _word_model_scores(scores, likely, best)
    first = min(present, key=lambda name: (intents[name].level, -scores[name], intents[name].row))
    if best is first or likely[best] < _SURE or likely[first] >= _DOUBTED:
        return dict(scores)
    return _outweighed(scores, likely, best, scores[first])


def is_doubted(primary: Intent, result: WordModelResult) -> bool:
    """Return whether the model contradicts *primary* or suggests P0 so much that only an agent should answer."""
    return (
        result.urgency >= _NEARLY_URGENT
        or result.urgent_part >= _NEARLY_URGENT_PART
        or result.likely[primary] < _UNLIKELY
    )


def _most_urgent_first(
    scores: Mapping[Intent, float], likely: Mapping[Intent, float]
) -> dict[Intent, float]:
    """Return *scores*, with another P0 intent first if the model clearly prefers it to those of the lexicons."""
    highest = max((scores[intent], likely[intent]) for intent in URGENT if intent in scores)
    best = max(URGENT, key=likely.__getitem__)
    if likely[best] < _SURE_OF_P0 or highest[1] >= _DOUBTED:
        return dict(scores)
    return dict(scores) | {best: round(min(1.0, highest[0] + _AHEAD), 4)}


def _word_model_scores(
    scores: Mapping[Intent, float], likely: Mapping[Intent, float], best: Intent
) -> dict[Intent, float]:
    """Return the scores of the word model alone."""
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
    reduced = {
        intent: score if likely[intent] >= _DOUBTED else min(score, _NO_LONGER_PRESENT)
        for intent, score in scores.items()
    }
    model_score = round(min(_bounded(likely[best]), before) - _DISAGREEMENT, 4)
    return reduced | {best: max(model_score, reduced.get(best, 0.0))}


def _bounded(likelihood: float) -> float:
    return round(min(_HIGHEST, likelihood), 4)
