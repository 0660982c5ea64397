"""
`make rules TEACH=1`: makes `classification/evidence.txt` from the labelled messages of the training parts.

Multinomial logistic regression, each intent weighted the same however many messages it has, by AdaGrad with a fixed
seed: the same messages give the same file. `--try PART` writes nothing: it learns from the other parts and prints how
well the model alone classifies PART.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from richpanel.classification import Language
from richpanel.classification.lexicon.evidence import features, scale_of, signs_of
from richpanel.classification.lexicon.tokens import tokens_of
from richpanel.classification.lexicon.vocabulary import Vocabulary
from richpanel.classification.taxonomy import Intent
from richpanel.classification.text import plain
from richpanel.inbound.channels import Channel
from tests.messages.corpus import HERE, LEARNED, read

INTENTS = tuple(Intent)
_NO_WORDS = Vocabulary(())
# On the other channels "hello" is about the channel.
_SAYS_SOMETHING = {Channel.EMAIL, Channel.LIVECHAT}
_ROUNDS = 20
_RATE = 0.1
_REGULARISATION = 1.5  # regularisation of the weights towards 0
_FEWEST = 2  # number of messages that contain a feature
_LEAST_WEIGHT = 0.06  # a feature whose weights are all nearer to 0 than this is omitted


@dataclass(frozen=True, slots=True)
class Lesson:
    """The features of a text and its intent."""

    features: frozenset[str]
    intent: int


def lessons(parts: Iterable[str]) -> list[Lesson]:
    """The English texts of *parts*."""
    return [
        Lesson(
            features_of(f"{each.message.subject or ''}\n{each.message.text}"),
            INTENTS.index(each.intent),
        )
        for part in parts
        for each in read(part)
        if each.message.channel in _SAYS_SOMETHING and each.language is Language.ENGLISH
    ]


def features_of(text: str) -> frozenset[str]:
    """The features of a customer's text."""
    return frozenset(features(tokens_of(plain(text), _NO_WORDS)))


def taught() -> list[Lesson]:
    """taught.txt: under `= intent` one text a line, most of them a few words that customers use."""
    found: list[Lesson] = []
    intent = 0
    for line in (HERE / "taught.txt").read_text("utf-8").splitlines():
        if line.startswith("= "):
            intent = INTENTS.index(Intent(line.removeprefix("= ")))
        elif line:
            found.append(Lesson(features_of(line), intent))
    return found


class Model:
    """Weights by feature and intent; "" is the bias."""

    def __init__(self, known: Iterable[str]) -> None:
        self.weights = {each: [0.0] * len(INTENTS) for each in (*known, "")}
        self._squares = {each: [1e-3] * len(INTENTS) for each in self.weights}
        self._sums = {each: [0.0] * len(INTENTS) for each in self.weights}
        self._turns = 0

    def likelihoods(self, found: Sequence[str]) -> list[float]:
        rows = [self.weights[each] for each in found]
        scale = scale_of(len(rows))
        scores = [
            scale * sum(column) + start
            for column, start in zip(
                zip(*rows, strict=True) if rows else [()] * len(INTENTS),
                self.weights[""],
                strict=True,
            )
        ]
        highest = max(scores)
        powers = [math.exp(score - highest) for score in scores]
        total = sum(powers)
        return [power / total for power in powers]

    def remember(self) -> None:
        """Add the current weights to the mean that `settle` computes."""
        self._turns += 1
        for each, row in self.weights.items():
            self._sums[each] = [
                total + weight for total, weight in zip(self._sums[each], row, strict=True)
            ]

    def settle(self) -> None:
        """Replace the weights by the mean of those added: single steps influence it less."""
        self.weights = {
            each: [total / self._turns for total in row] for each, row in self._sums.items()
        }

    def learn(
        self, found: Sequence[str], intent: int, importance: float, hold: dict[str, float]
    ) -> None:
        """One step towards *intent* for a text with the features *found*."""
        errors = self.likelihoods(found)
        errors[intent] -= 1.0
        at = [(n, error * importance) for n, error in enumerate(errors) if abs(error) > 1e-3]
        scale = scale_of(len(found))
        for each in (*found, ""):
            row, squares, held = self.weights[each], self._squares[each], hold.get(each, 0.0)
            step = scale if each else 1.0
            for n, error in at:
                slope = error * step + held * row[n]
                squares[n] += slope * slope
                row[n] -= _RATE * slope / math.sqrt(squares[n])


def taught_model(given: Sequence[Lesson]) -> Model:
    """Train a model on *given*; progress is printed to standard output."""
    counts = Counter(each for lesson in given for each in lesson.features)
    known = {each for each, count in counts.items() if count >= _FEWEST}
    model = Model(sorted(known))
    intents = Counter(lesson.intent for lesson in given)
    importance = {n: len(given) / (len(intents) * count) for n, count in intents.items()}
    hold = {each: _REGULARISATION / counts[each] for each in known}
    texts = [(sorted(lesson.features & known), lesson.intent) for lesson in given]
    chance = random.Random(20)  # noqa: S311 - a training order, not a secret
    for turn in range(_ROUNDS):
        chance.shuffle(texts)
        for found, intent in texts:
            model.learn(found, intent, importance[intent], hold)
        if turn >= _ROUNDS // 2:
            model.remember()
    model.settle()
    return model


def lines_of(model: Model) -> list[str]:
    """The content of the file: the bias first, then the significant features."""
    telling = sorted(
        each for each, row in model.weights.items() if each and max(map(abs, row)) >= _LEAST_WEIGHT
    )
    return [f"{each}\t{signs_of(model.weights[each])}" for each in ("", *telling)]


def main() -> None:
    """Train, then write the file or print the scores."""
    parser = argparse.ArgumentParser(description="Learn evidence.txt from labelled messages.")
    parser.add_argument("--try", dest="part", help="a part to be measured instead")
    part = parser.parse_args().part
    model = taught_model([*lessons(each for each in LEARNED if each != part), *taught()])
    if part:
        print(_measured(model, part))
        return
    target = Path(str(resources.files("richpanel.classification.lexicon"))) / "evidence.txt"
    target.write_text("\n".join(lines_of(model)) + "\n", "utf-8")
    print(f"{target.name}: {len(model.weights)} features learned, {target.stat().st_size} bytes")


def _measured(model: Model, part: str) -> str:
    given = lessons([part])
    right = 0
    for lesson in given:
        chances = model.likelihoods(sorted(lesson.features & model.weights.keys()))
        right += max(range(len(INTENTS)), key=chances.__getitem__) == lesson.intent
    return json.dumps({"part": part, "messages": len(given), "right": round(right / len(given), 4)})


if __name__ == "__main__":
    main()
