"""
What a text is about by all of its words together, where no pattern of the lexicons speaks: learned, not written.

A linear model over words, neighbours and pieces of words, made from labelled messages by `make rules TEACH=1` and
kept in evidence.txt: one line per feature with a weight for each intent. Deterministic, no network, linear in the
length of the text. It reads English only.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import resources

from richpanel.classification.lexicon.tokens import Tokens
from richpanel.taxonomy import Intent, Level, intents

URGENT = tuple(intent for intent in Intent if intents[intent].level is Level.P0)
_LENGTH = 4.0  # every text's features make a vector of this length, so that long texts are no surer than short ones
_FEW = 20  # features: a text with fewer is less sure, as a word or two prove little
STEP = 0.06  # between two weights that the file can tell apart
_ZERO = 79  # the sign that stands for 0.0; 33 to 126 are the signs that can be printed
_PIECE = 4  # letters
_SHORTEST_STEM = 3
_ENDINGS = ("ings", "ing", "edly", "ed", "ies", "es", "s", "ly")
_PART_WORDS = 8  # of a part of a long text; a shorter sentence is read with the one behind it


# Said by whoever hands something over, about nothing: in threats the same words stand, and there alone they weigh.
_IN_PASSING = frozenset(
    f"{where} {who} {what}"
    for where in ("here", "there")
    for who, what in (("you", "go"), ("you", "are"), ("it", "is"), ("they", "are"))
)
_PASSING_WORDS = 3


def features(tokens: Tokens) -> set[str]:
    """What the model sees of a text: stems, pairs of them in one sentence, and pieces of its words (`~`)."""
    return {each for at in range(len(tokens)) for each in _features_at(tokens, at)}


def _weighed(tokens: Tokens) -> set[str]:
    """The features of a text, without those of a few words that its sentences begin with by custom."""
    texts = [word.text for word in tokens.words]
    customary = {
        at + offset
        for at in range(len(tokens))
        if tokens.starts_sentence(at) and " ".join(texts[at : at + _PASSING_WORDS]) in _IN_PASSING
        for offset in range(_PASSING_WORDS)
    }
    kept = (at for at in range(len(tokens)) if at not in customary)
    return {each for at in kept for each in _features_at(tokens, at)}


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
    """*word* without its ending, roughly; every number is the same."""
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
    """The weights that a line of the file holds, in the order of `Intent`."""
    return [(ord(sign) - _ZERO) * STEP for sign in signs]


def signs_of(weights: Iterable[float]) -> str:
    """*weights* as a line of the file holds them: rounded, and cut where the signs end."""
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
    """How likely each intent is, 0 to 1, all together 1."""
    return _likelihoods(_weighed(tokens))


def urgency(tokens: Tokens) -> float:
    """How likely the part of a long text that sounds most like a P0 intent is one; 0.0 for a short text."""
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
    """What the weights of a text with *count* known features are multiplied by."""
    return _LENGTH / math.sqrt(max(_FEW, count))


def _likelihoods(found: Iterable[str]) -> dict[Intent, float]:
    lines = _lines()
    known = [weights_of(lines[each]) for each in sorted(found) if each in lines]
    scale = scale_of(len(known))
    scores = [scale * sum(column) + start for *column, start in _columns(known)]
    highest = max(scores)
    powers = [math.exp(score - highest) for score in scores]
    return {intent: power / sum(powers) for intent, power in zip(Intent, powers, strict=True)}


def _columns(known: list[list[float]]) -> Iterable[tuple[float, ...]]:
    """The weights by intent; the last one of each is where the intent starts from, without any feature."""
    return zip(*known, weights_of(_lines()[""]), strict=True)
