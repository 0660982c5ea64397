"""Finds facts in a system prompt, and in `project_data` by the words of their names, for the scripted model."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from conversations.ai.prompt.questions import POINTS, questions_in
from shared.ai.texts.languages.function_words import SMALL_WORDS, plain_words

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_.-]+")
_SHORTEST_WORD = 3
_FACTS = re.compile(r"^<facts>\n(.*)\n</facts>$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Fact:
    """One named value; *value* is a boolean if it is one in the project data."""

    label: str
    words: frozenset[str]
    value: str | bool


def facts_in(system: str) -> dict[str, Any]:
    """Extract the facts from a system prompt; empty if there are none."""
    match = _FACTS.search(system)
    facts = json.loads(match[1]) if match else {}
    return facts if isinstance(facts, dict) else {}


def fact_about(project_data: Mapping[str, Any], words: Collection[str]) -> Fact | None:
    """Return the fact whose name matches most of *words*; the first one on a tie, None without a match."""
    question_words = {_folded(word) for word in words if _says_something(word)}
    questions = set(questions_in(project_data))
    candidates = [fact for fact in _facts(project_data, ()) if fact.label not in questions]
    best = max(candidates, key=lambda fact: _score(fact, question_words), default=None)
    return best if best and _score(best, question_words)[0] else None


def _score(fact: Fact, question_words: set[str]) -> tuple[int, float]:
    met = len(fact.words & question_words)
    return met, met / max(1, len(fact.words))


def _facts(value: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[Fact]:
    for key, entry in value.items():
        whole = (*path, key)
        if isinstance(entry, Mapping):
            yield from _facts(entry, whole)
        elif key != POINTS and (written := _written(entry)) is not None:
            words = [word for step in whole for word in plain_words(_HUMP.sub(" ", step))]
            named = frozenset(_folded(word) for word in words if _says_something(word))
            yield Fact(key, named, written)


def _written(value: Any) -> str | bool | None:  # noqa: ANN401 - any JSON value
    if isinstance(value, bool):
        return value
    if isinstance(value, list):
        parts = [_written(entry) for entry in value]
        texts = [part for part in parts if isinstance(part, str)]
        return ", ".join(texts) if texts and len(texts) == len(parts) else None
    if value is None or isinstance(value, Mapping):
        return None
    return str(value).strip() or None


def label_of(fact: Fact) -> str:
    """Return the name of a fact as readable text: `jobRole` becomes `Job role`."""
    words = " ".join(_HUMP.sub(" ", fact.label).split())
    return words[:1].upper() + words[1:].lower()


def _says_something(word: str) -> bool:
    return len(word) >= _SHORTEST_WORD and not any(word in small for small in SMALL_WORDS.values())


def _folded(word: str) -> str:
    """Return *word* without its plural ending."""
    if word.endswith("ies"):
        return word.removesuffix("ies") + "y"
    return word.removesuffix("s") if not word.endswith("ss") else word
