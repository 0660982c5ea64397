"""
The word model: a linear classifier over all words of a text, trained on labelled messages. English only.

It decides the intent where no language model does. word_model.json holds one weight per feature and intent, trained by
`make rules TRAIN=1`. Deterministic, no network, linear in the length of the text.
"""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from richpanel.classification.lexicon.tokens import Tokens
from richpanel.classification.taxonomy import Intent, Level, intents

URGENT = tuple(intent for intent in Intent if intents[intent].level is Level.P0)
LENGTH = 4.0  # length of the normalised feature vector, so that long texts get no higher confidence than short ones
_FEW = 12  # features: texts with fewer get a lower confidence, because a few words prove little
_PIECE = 4  # letters of a character n-gram
_SHORTEST_STEM = 3
_ENDINGS = ("ings", "ing", "edly", "ed", "ies", "es", "s", "ly")
_NEGATORS = frozenset({"not", "no", "never", "without", "cannot"})
_NEGATED_WORDS = 3  # words after a negator that get a separate feature
_HELLO = frozenset(
    {"hi", "hello", "hey", "hiya", "dear", "good", "morning", "afternoon", "evening"}
)
_ADDRESSED = frozenset({"there", "all", "team", "everyone", "guys", "sir", "madam"})
_GREETING = _HELLO | _ADDRESSED
_SHORT_TEXT = 3  # words: the length of such a text is a feature
_PART_WORDS = 8  # minimum words of a part of a long text; shorter sentences are joined
_ZERO, _LAST_SIGN = (
    79,
    126,
)  # character codes of the weight 0.0 and of the highest weight; 33 is the lowest


@dataclass(frozen=True, slots=True)
class WordModelResult:
    """
    *likely*: the likelihood of each intent, 0 to 1, together 1. *urgent_part*: the P0 likelihood of the most urgent
    part of a long text. *known*: the share of words that the model knows, 0 to 1.
    """

    likely: Mapping[Intent, float]
    urgent_part: float
    known: float

    @property
    def urgency(self) -> float:
        """The likelihood of all P0 intents together, in the whole text or in one part of it."""
        return max(self.urgent_part, sum(self.likely[intent] for intent in URGENT))


@dataclass(frozen=True, slots=True)
class _Weights:
    """*rows*: the weights of a feature in the order of `Intent`, as signs of one character; *step* of the weights."""

    rows: Mapping[str, str]
    bias: tuple[float, ...]
    step: float


def word_model_result(tokens: Tokens, question: bool) -> WordModelResult:
    """Return the word model's result for a text. *question*: the text has a question mark."""
    parts = [_urgency(part) for part in _parts(tokens)]
    stems = [stem(word.text) for word in tokens.words]
    known = sum(1 for each in stems if each in _weights().rows)
    return WordModelResult(
        likelihoods(features(tokens, question=question)),
        max(parts) if len(parts) > 1 else 0.0,
        known / len(stems) if stems else 0.0,
    )


def features(tokens: Tokens, *, question: bool) -> set[str]:
    """
    Return the features of a text without its greeting: stems, pairs of stems within a sentence, character n-grams
    (`~`), stems after a negator (`!`), and facts about the text (`#`).
    """
    start = _end_of_greeting(tokens)
    found = set(_features(tokens, range(start, len(tokens))))
    if len(tokens) - start <= _SHORT_TEXT:
        found.add(f"#{len(tokens) - start}")
    if question:
        found.add("#?")
    return found


def _end_of_greeting(tokens: Tokens) -> int:
    """Return the position after a greeting that is a whole sentence, 0 if there is none or nothing follows."""
    for at, word in enumerate(tokens.words[:-1]):
        if word.text not in _GREETING:
            return 0
        if tokens.ends_sentence(at):
            return at + 1
    return 0


def _features(tokens: Tokens, positions: Iterable[int]) -> Iterator[str]:
    negated = 0
    for at in positions:
        word = tokens.words[at].text
        starts = tokens.starts_sentence(at)
        current = stem(word)
        yield current
        yield f"{'^' if starts else stem(tokens.words[at - 1].text)} {current}"
        if tokens.ends_sentence(at):
            yield f"{current} $"
        if word.isalpha():
            closed = f"<{word}>"
            for start in range(len(closed) - _PIECE + 1):
                yield f"~{closed[start : start + _PIECE]}"
        negated = 0 if starts else negated
        if word in _NEGATORS:
            negated = _NEGATED_WORDS
        elif negated:
            yield f"!{current}"
            negated -= 1


@cache
def stem(word: str) -> str:
    """Return *word* without its ending, approximately; all numbers become `0`."""
    if word[0].isdigit():
        return "0"
    ending = next((e for e in _ENDINGS if word.endswith(e)), "")
    if ending and len(word) - len(ending) >= _SHORTEST_STEM:
        word = word[: -len(ending)] + ("y" if ending == "ies" else "")
    if len(word) > _SHORTEST_STEM and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    if len(word) > _SHORTEST_STEM and word[-1] == "e":
        word = word[:-1]
    return word


def likelihoods(found: Iterable[str]) -> dict[Intent, float]:
    """Return the likelihood of each intent for a set of features."""
    weights = _weights()
    rows = [weights.rows[feature] for feature in sorted(found) if feature in weights.rows]
    scale = weights.step * scale_of(len(rows))
    columns = zip(*rows, strict=True) if rows else ((),) * len(weights.bias)
    scores = [
        start + scale * sum(ord(sign) - _ZERO for sign in column)
        for start, column in zip(weights.bias, columns, strict=True)
    ]
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    return {intent: power / sum(powers) for intent, power in zip(Intent, powers, strict=True)}


def scale_of(count: int) -> float:
    """Return the factor for the weights of a text with *count* known features."""
    return LENGTH / math.sqrt(max(_FEW, count))


def encoded(weights: Iterable[float], step: float) -> str:
    """Encode the weights of a feature: rounded to *step*, one printable character for each intent."""
    return "".join(
        chr(min(_LAST_SIGN, max(33, _ZERO + round(weight / step)))) for weight in weights
    )


@cache
def _weights() -> _Weights:
    text = (
        resources.files("richpanel.classification").joinpath("word_model.json").read_text("utf-8")
    )
    stored = json.loads(text)
    if stored["intents"] != list(Intent):
        raise ValueError("word_model.json: intents differ from taxonomy.toml")
    return _Weights(stored["features"], tuple(stored["bias"]), stored["step"])


def _urgency(part: set[str]) -> float:
    likely = likelihoods(part)
    return sum(likely[intent] for intent in URGENT)


def _parts(tokens: Tokens) -> Iterator[set[str]]:
    """Yield the features of each part of a text: a sentence, or several short ones."""
    start = 0
    for at in range(len(tokens)):
        is_last = at == len(tokens) - 1
        if is_last or (at + 1 - start >= _PART_WORDS and tokens.ends_sentence(at)):
            yield set(_features(tokens, range(start, at + 1)))
            start = at + 1
