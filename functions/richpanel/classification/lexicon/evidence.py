"""
The word model: a learned classifier over all words of a text, for messages that match no lexicon pattern.

A linear model over word stems, pairs of neighbours and character n-grams, trained on labelled messages by
`make rules TEACH=1` and stored in evidence.txt: one line per feature with a weight for each intent. Deterministic, no
network, linear in the length of the text. English only.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources

from richpanel.classification.lexicon.tokens import Tokens
from richpanel.classification.taxonomy import Intent, Level, intents

URGENT = tuple(intent for intent in Intent if intents[intent].level is Level.P0)
_LENGTH = 4.0  # length of the normalised feature vector, so that long texts get no higher confidence than short ones
_FEW = 20  # features: texts with fewer get a lower confidence, because a few words prove little
STEP = 0.06  # quantisation step of the weights in the file
_ZERO = 79  # character code for weight 0.0; 33 to 126 are the printable characters
_PIECE = 4  # letters of a character n-gram
_SHORTEST_STEM = 3
_ENDINGS = ("ings", "ing", "edly", "ed", "ies", "es", "s", "ly")
_PART_WORDS = 8  # minimum words of a part of a long text; shorter sentences are joined


# Openings such as "here you go" carry no meaning, but the model knows them from threats: they are ignored where they
# begin a sentence.
_OPENINGS = frozenset(
    f"{where} {who} {what}"
    for where in ("here", "there")
    for who, what in (("you", "go"), ("you", "are"), ("it", "is"), ("they", "are"))
)
_OPENING_WORDS = 3


def features(tokens: Tokens) -> set[str]:
    """Return the features of a text: stems, pairs of stems within a sentence, and character n-grams (`~`)."""
    return {feature for at in range(len(tokens)) for feature in _features_at(tokens, at)}


def _features_without_openings(tokens: Tokens) -> set[str]:
    """Return the features of a text without those of the openings in `_OPENINGS`."""
    texts = [word.text for word in tokens.words]
    in_openings = {
        at + offset
        for at in range(len(tokens))
        if tokens.starts_sentence(at) and " ".join(texts[at : at + _OPENING_WORDS]) in _OPENINGS
        for offset in range(_OPENING_WORDS)
    }
    counted = (at for at in range(len(tokens)) if at not in in_openings)
    return {feature for at in counted for feature in _features_at(tokens, at)}


def _features_at(tokens: Tokens, at: int) -> Iterator[str]:
    word = tokens.words[at].text
    stem = _stem(word)
    before = "^" if tokens.starts_sentence(at) else _stem(tokens.words[at - 1].text)
    yield stem
    yield f"{before} {stem}"
    if word.isalpha():
        closed = f"<{word}>"
        for start in range(len(closed) - _PIECE + 1):
            yield f"~{closed[start : start + _PIECE]}"


@cache
def _stem(word: str) -> str:
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


def weights_of(signs: str) -> list[float]:
    """Decode the weights of a line of the file, in the order of `Intent`."""
    return [(ord(sign) - _ZERO) * STEP for sign in signs]


def signs_of(weights: Iterable[float]) -> str:
    """Encode *weights* as a line of the file: rounded, and clamped to the printable characters."""
    return "".join(chr(min(126, max(33, _ZERO + round(weight / STEP)))) for weight in weights)


@cache
def _lines() -> Mapping[str, str]:
    text = (
        resources.files("richpanel.classification.lexicon")
        .joinpath("evidence.txt")
        .read_text("utf-8")
    )
    return dict(line.split("\t") for line in text.splitlines())


def likelihoods(tokens: Tokens) -> dict[Intent, float]:
    """Return the likelihood of each intent, 0 to 1; the sum is 1."""
    return _likelihoods(_features_without_openings(tokens))


def urgency(tokens: Tokens) -> float:
    """Return the highest P0 likelihood of the parts of a long text; 0.0 for a short text."""
    parts = list(_parts(tokens))
    if len(parts) < 2:  # noqa: PLR2004 - one part is the whole text
        return 0.0
    return max(sum(_likelihoods(part)[intent] for intent in URGENT) for part in parts)


def _parts(tokens: Tokens) -> Iterator[set[str]]:
    part: set[str] = set()
    words = 0
    for at in range(len(tokens)):
        part.update(_features_at(tokens, at))
        words += 1
        if words >= _PART_WORDS and tokens.ends_sentence(at):
            yield part
            part, words = set(), 0
    if part:
        yield part


def scale_of(count: int) -> float:
    """Return the factor for the weights of a text with *count* known features."""
    return _LENGTH / math.sqrt(max(_FEW, count))


def _likelihoods(present: Iterable[str]) -> dict[Intent, float]:
    lines = _lines()
    weights = [weights_of(lines[feature]) for feature in sorted(present) if feature in lines]
    scale = scale_of(len(weights))
    scores = [scale * sum(column) + start for *column, start in _columns(weights)]
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    return {intent: power / sum(powers) for intent, power in zip(Intent, powers, strict=True)}


def _columns(weights: list[list[float]]) -> Iterable[tuple[float, ...]]:
    """Return the weights of each intent; the last one is the intent's bias (the line of the empty feature)."""
    return zip(*weights, weights_of(_lines()[""]), strict=True)
