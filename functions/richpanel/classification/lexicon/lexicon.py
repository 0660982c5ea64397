"""
Loads the lexicon files: the signals of each intent, their exceptions, and patterns of other kinds.

    [groups]                 NAME = "phrase, phrase": words that patterns reference by one name
    [intent.strong]          signal = [patterns]; also medium and weak. Each signal counts once per text
    [intent] excuses         patterns: a hit that shares a word with a match of one of them is ignored
    [intent] unless          patterns: if the text matches one, the intent scores nothing
    [intent.silent_beside]   other = [signals]: signals ignored if the text has a strong signal of the other intent
    [intent] is_negatable    whether "not" before the first part of a hit cancels it
    [modifiers] [doubts] [marks]    name = [patterns]

The files of several languages are merged. The first call fails for an unknown name or an invalid pattern.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Any

from richpanel.classification.answers import Doubt
from richpanel.classification.lexicon.patterns import Pattern, compiled, words_of
from richpanel.classification.lexicon.vocabulary import Vocabulary
from richpanel.classification.taxonomy import Intent, Modifier

FILES = ("lexicon_en.toml", "lexicon_es.toml", "lexicon_others.toml")
WEIGHTS: Mapping[str, float] = {"strong": 0.96, "medium": 0.78, "weak": 0.40}


class Mark(StrEnum):
    """Kinds of phrases that change how the signals of a text are interpreted."""

    OWN_ORDER = "own_order"
    RESOLUTION = "resolution"


class LexiconBroken(Exception):
    """A lexicon file references an undefined name. Raised at import only."""


@dataclass(frozen=True, slots=True)
class Signal:
    """Patterns that indicate an intent. *name* identifies the signal in explanations of a score."""

    name: str
    weight: float
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """The signals and exceptions of one intent, from all lexicons."""

    intent: Intent
    signals: tuple[Signal, ...]
    excuses: tuple[Pattern, ...]
    unless: tuple[Pattern, ...]
    is_negatable: bool
    silent_beside: Mapping[Intent, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All patterns, compiled, and the vocabulary of their words."""

    entries: tuple[Entry, ...]
    modifiers: Mapping[Modifier, tuple[Pattern, ...]]
    doubts: Mapping[Doubt, tuple[Pattern, ...]]
    marks: Mapping[Mark, tuple[Pattern, ...]]
    vocabulary: Vocabulary


@cache
def lexicon() -> Lexicon:
    """Return the lexicon, compiled from the files of this package at the first call: functions must start fast."""
    tables = [_table(name) for name in FILES]
    by_file = [list(_entries(table, groups)) for table, groups in tables]
    entries = [entry for entries_of_file in by_file for entry in entries_of_file]
    merged = tuple(_merged(intent, entries) for intent in Intent if _has(intent, entries))
    modifiers = _patterns_by(Modifier, "modifiers", tables)
    doubts = _patterns_by(Doubt, "doubts", tables)
    marks = _patterns_by(Mark, "marks", tables)
    all_patterns = [
        *(pattern for entry in merged for signal in entry.signals for pattern in signal.patterns),
        *(pattern for entry in merged for pattern in (*entry.excuses, *entry.unless)),
        *(
            pattern
            for kind in (modifiers, doubts, marks)
            for patterns in kind.values()
            for pattern in patterns
        ),
    ]
    words = {word for pattern in all_patterns for word in words_of(pattern)}
    return Lexicon(merged, modifiers, doubts, marks, Vocabulary(words, _words_of(by_file[0])))


def _words_of(entries: Iterable[Entry]) -> set[str]:
    """Return the words in the signals of *entries*."""
    patterns = [
        pattern for entry in entries for signal in entry.signals for pattern in signal.patterns
    ]
    return {word for pattern in patterns for word in words_of(pattern)}


type _Groups = dict[str, tuple[str, ...]]


def _table(name: str) -> tuple[dict[str, Any], _Groups]:
    table = tomllib.loads(
        resources.files("richpanel.classification.lexicon").joinpath(name).read_text("utf-8")
    )
    groups: _Groups = {}
    for group, written in table.pop("groups").items():
        phrases = [phrase.strip() for phrase in written.split(",")]
        groups[group] = tuple(
            word
            for phrase in phrases
            for word in (groups[phrase] if phrase.isupper() else (phrase,))
        )
    allowed = {*Intent, "modifiers", "doubts", "marks"}
    if unknown := set(table) - allowed:
        raise LexiconBroken(f"{name}: unknown keys: {', '.join(sorted(unknown))}")
    return table, groups


def _entries(table: Mapping[str, Any], groups: _Groups) -> Iterable[Entry]:
    for intent in Intent:
        if intent in table:
            yield _entry(intent, table[intent], groups)


def _entry(intent: Intent, table: Mapping[str, Any], groups: _Groups) -> Entry:
    if unknown := set(table) - {*WEIGHTS, "excuses", "unless", "is_negatable", "silent_beside"}:
        raise LexiconBroken(f"{intent}: unknown keys: {', '.join(sorted(unknown))}")
    signals = tuple(
        Signal(name, WEIGHTS[strength], _compiled(patterns, groups))
        for strength in WEIGHTS
        for name, patterns in table.get(strength, {}).items()
    )
    return Entry(
        intent,
        signals,
        _compiled(table.get("excuses", ()), groups),
        _compiled(table.get("unless", ()), groups),
        table.get("is_negatable", False),
        {
            Intent(other): frozenset(names)
            for other, names in table.get("silent_beside", {}).items()
        },
    )


def _compiled(sources: Iterable[str], groups: _Groups) -> tuple[Pattern, ...]:
    return tuple(compiled(source, groups) for source in sources)


def _has(intent: Intent, entries: Iterable[Entry]) -> bool:
    return any(entry.intent is intent for entry in entries)


def _merged(intent: Intent, entries: Iterable[Entry]) -> Entry:
    """Merge the entries of an intent from several files; signals with the same name are merged."""
    of_intent = [entry for entry in entries if entry.intent is intent]
    signals: dict[str, Signal] = {}
    for signal in (signal for entry in of_intent for signal in entry.signals):
        earlier = signals.get(signal.name, Signal(signal.name, signal.weight, ()))
        if earlier.weight != signal.weight:
            raise LexiconBroken(f"{intent}: {signal.name} has two weights")
        signals[signal.name] = Signal(
            signal.name, signal.weight, (*earlier.patterns, *signal.patterns)
        )
    return Entry(
        intent,
        tuple(signals.values()),
        tuple(pattern for entry in of_intent for pattern in entry.excuses),
        tuple(pattern for entry in of_intent for pattern in entry.unless),
        any(entry.is_negatable for entry in of_intent),
        _silences(intent, of_intent, frozenset(signals)),
    )


def _silences(
    intent: Intent, entries: Iterable[Entry], signal_names: frozenset[str]
) -> Mapping[Intent, frozenset[str]]:
    silences: dict[Intent, frozenset[str]] = {}
    for entry in entries:
        for other, names in entry.silent_beside.items():
            if unknown := names - signal_names:
                raise LexiconBroken(f"{intent}: unknown signals: {', '.join(sorted(unknown))}")
            silences[other] = silences.get(other, frozenset()) | names
    return silences


def _patterns_by[Key: StrEnum](
    kind: type[Key], section: str, tables: Iterable[tuple[dict[str, Any], _Groups]]
) -> Mapping[Key, tuple[Pattern, ...]]:
    patterns: dict[Key, tuple[Pattern, ...]] = {}
    for table, groups in tables:
        for name, sources in table.get(section, {}).items():
            key = kind(name)
            patterns[key] = patterns.get(key, ()) + _compiled(sources, groups)
    return patterns
