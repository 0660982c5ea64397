"""
Loads the lexicon files: the patterns of the Tier 0 intents, their exceptions, and patterns of other kinds.

    [groups]                 NAME = "phrase, phrase": words that patterns reference by one name
    [intent.strong]          name = [patterns]: unmistakable, one match alone makes a text Tier 0
    [intent.weak]            name = [patterns]: one match forbids an automatic reply
    [intent] excuses         patterns: a match that shares a word with a match of one of them is ignored
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


class Strength(StrEnum):
    """Whether a pattern alone makes a text Tier 0."""

    STRONG = "strong"
    WEAK = "weak"


class Mark(StrEnum):
    """Kinds of phrases that say what a text is about."""

    ADDRESS_CORRECTION = "address_correction"
    DELIVERY_PLACE = "delivery_place"
    CONTRAST = "contrast"  # names a request that the customer does not make: "not cancel", "instead of a refund"
    OWN_ORDER = "own_order"
    RESOLUTION = "resolution"


class LexiconBroken(Exception):
    """A lexicon file references an undefined name. Raised at import only."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The patterns of one Tier 0 intent in one language, and its excuses."""

    intent: Intent
    patterns: Mapping[Strength, tuple[Pattern, ...]]
    excuses: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All patterns, compiled, and the vocabulary of their words. *english* and *foreign*: the Tier 0 entries."""

    english: tuple[Entry, ...]
    foreign: tuple[Entry, ...]
    modifiers: Mapping[Modifier, tuple[Pattern, ...]]
    doubts: Mapping[Doubt, tuple[Pattern, ...]]
    marks: Mapping[Mark, tuple[Pattern, ...]]
    vocabulary: Vocabulary


@cache
def lexicon() -> Lexicon:
    """Return the lexicon, compiled from the files of this package at the first call: functions must start fast."""
    tables = [_table(name) for name in FILES]
    english, *others = (tuple(_entries(table, groups)) for table, groups in tables)
    foreign = tuple(entry for entries in others for entry in entries)
    modifiers = _patterns_by(Modifier, "modifiers", tables)
    doubts = _patterns_by(Doubt, "doubts", tables)
    marks = _patterns_by(Mark, "marks", tables)
    all_patterns = [
        *(pattern for entry in (*english, *foreign) for pattern in entry.excuses),
        *(
            pattern
            for kind in (modifiers, doubts, marks)
            for patterns in kind.values()
            for pattern in patterns
        ),
    ]
    words = {word for pattern in all_patterns for word in words_of(pattern)}
    words |= _words_of((*english, *foreign))
    vocabulary = Vocabulary(words, _words_of(english))
    return Lexicon(english, foreign, modifiers, doubts, marks, vocabulary)


def _words_of(entries: Iterable[Entry]) -> set[str]:
    """Return the words in the patterns of *entries*, without the words of excuses."""
    return {
        word
        for entry in entries
        for patterns in entry.patterns.values()
        for pattern in patterns
        for word in words_of(pattern)
    }


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
    if unknown := set(table) - {*Strength, "excuses"}:
        raise LexiconBroken(f"{intent}: unknown keys: {', '.join(sorted(unknown))}")
    patterns = {
        strength: tuple(
            pattern
            for sources in table.get(strength, {}).values()
            for pattern in _compiled(sources, groups)
        )
        for strength in Strength
    }
    return Entry(intent, patterns, _compiled(table.get("excuses", ()), groups))


def _compiled(sources: Iterable[str], groups: _Groups) -> tuple[Pattern, ...]:
    return tuple(compiled(source, groups) for source in sources)


def _patterns_by[Key: StrEnum](
    kind: type[Key], section: str, tables: Iterable[tuple[dict[str, Any], _Groups]]
) -> Mapping[Key, tuple[Pattern, ...]]:
    patterns: dict[Key, tuple[Pattern, ...]] = {}
    for table, groups in tables:
        for name, sources in table.get(section, {}).items():
            key = kind(name)
            patterns[key] = patterns.get(key, ()) + _compiled(sources, groups)
    return patterns
