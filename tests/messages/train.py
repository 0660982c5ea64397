"""
`make rules TRAIN=1`: trains `classification/word_model.json` on the labelled messages of the training parts.

Multinomial logistic regression with scikit-learn; the function evaluates the weights without it. The same messages
give the same file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from richpanel.classification import Language
from richpanel.classification.lexicon.tokens import tokens_of
from richpanel.classification.lexicon.vocabulary import Vocabulary
from richpanel.classification.taxonomy import Intent
from richpanel.classification.text import plain
from richpanel.classification.word_model import encoded, features, scale_of
from richpanel.inbound.channels import Channel
from tests.messages.corpus import TRAINING, read

INTENTS = tuple(Intent)
_NO_WORDS = Vocabulary(())
# On the other channels "hello" is about the channel.
_SAYS_SOMETHING = {Channel.EMAIL, Channel.LIVECHAT}
# Messages in the voice of customers count more than short phrases.
_IMPORTANCE = {"voices": 3.0, "phrases": 0.6}
_FEWEST = 2  # number of messages that contain a feature
_MOST_FEATURES = 9_000
_INVERSE_REGULARISATION = 2.0
_STEP = 0.06  # of the stored weights
_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Lesson:
    """The features of a text, its intent as an index, and how much it counts."""

    features: frozenset[str]
    intent: int
    importance: float


def lessons(parts: Sequence[str]) -> list[Lesson]:
    """The English texts of *parts*."""
    return [
        Lesson(
            features_of(f"{each.message.subject or ''}\n{each.message.text}"),
            INTENTS.index(each.intent),
            _IMPORTANCE.get(part, 1.0),
        )
        for part in parts
        for each in read(part)
        if each.message.channel in _SAYS_SOMETHING and each.language is Language.ENGLISH
    ]


def features_of(text: str) -> frozenset[str]:
    """The features of a customer's text."""
    return frozenset(features(tokens_of(plain(text), _NO_WORDS), question="?" in text))


def trained(given: Sequence[Lesson]) -> dict[str, object]:
    """Train a model on *given*; return the content of word_model.json."""
    counts = Counter(each for lesson in given for each in lesson.features)
    known = {each for each, count in counts.items() if count >= _FEWEST}
    model, columns = _fitted(given, known)
    strongest = {each: max(map(abs, model.coef_[:, at])) for each, at in columns.items()}
    kept = sorted(strongest, key=lambda each: (-strongest[each], each))[:_MOST_FEATURES]
    model, columns = _fitted(given, set(kept))
    return {
        "intents": list(INTENTS),
        "step": _STEP,
        "bias": [round(float(each), _DIGITS) for each in model.intercept_],
        "features": {
            each: encoded(model.coef_[:, columns[each]], _STEP) for each in sorted(columns)
        },
    }


def _fitted(given: Sequence[Lesson], known: set[str]) -> tuple[LogisticRegression, dict[str, int]]:
    """Return the fitted model and the column of each feature."""
    vectorizer = DictVectorizer()
    texts = vectorizer.fit_transform([_vector(lesson, known) for lesson in given])
    totals: dict[int, float] = dict.fromkeys(range(len(INTENTS)), 0.0)
    for lesson in given:
        totals[lesson.intent] += lesson.importance
    mean = sum(totals.values()) / len(INTENTS)
    # Rare intents count more, but not as much as common ones together.
    weights = [each.importance * (mean / totals[each.intent]) ** 0.5 for each in given]
    model = LogisticRegression(C=_INVERSE_REGULARISATION, max_iter=400)
    model.fit(texts, [lesson.intent for lesson in given], sample_weight=weights)
    return model, vectorizer.vocabulary_


def _vector(lesson: Lesson, known: set[str]) -> dict[str, float]:
    found = sorted(lesson.features & known)
    return dict.fromkeys(found, scale_of(len(found)))


def main() -> None:
    """Train, and write the file."""
    target = Path(str(resources.files("richpanel.classification"))) / "word_model.json"
    content = json.dumps(trained(lessons(TRAINING)), ensure_ascii=False, separators=(",", ":"))
    target.write_text(content + "\n", "utf-8")
    print(f"{target.name}: {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
