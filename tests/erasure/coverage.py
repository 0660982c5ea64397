"""
Judges an erasure by all values: what is left of the person, what others have lost, which classes were tried.

A test stores others' data, then everything about the person, and erases. A class of items of which the person's day has
stored no trace fails until the day stores one, or the test names why no item of the class can have one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.erasure.traces import Word, traces

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

type Stored = Mapping[str, Any]  # items and objects by `<table or bucket> <key>`


@dataclass(frozen=True, kw_only=True)
class Day:
    """All values before the person's day, after it, and after the erasure; the person's identifiers and texts."""

    others: Stored
    person: Stored
    erased: Stored
    words: list[Word]

    def left(self) -> dict[str, list[str]]:
        """The traces of the person that the erasure has left."""
        own = {
            place: value
            for place, value in self.erased.items()
            if place not in self.others or self.others[place] != value
        }
        return traces(own, self.words)

    def harmed(self, *, except_for: Iterable[str] = ()) -> list[str]:
        """The values of others that the person's day or the erasure has changed; *except_for* are words of keys."""
        return sorted(
            place
            for place, value in self.others.items()
            if self.erased.get(place) != value and not any(one in place for one in except_for)
        )

    def tried(self, patterns: Mapping[str, str]) -> set[str]:
        """The names of the classes of which the day has stored a trace of the person; *patterns* of keys by class."""
        own = {
            place: value
            for place, value in self.person.items()
            if place not in self.others or self.others[place] != value
        }
        return {
            name
            for place in traces(own, self.words)
            if (name := class_of(place, patterns)) is not None
        }


def class_of(place: str, patterns: Mapping[str, str]) -> str | None:
    """The class whose key pattern a place has; of several the one with the most fixed characters."""
    fitting = [
        (len(re.sub(r"{\w+}", "", pattern)), name)
        for name, pattern in patterns.items()
        if re.fullmatch(_expression(pattern), place)
    ]
    return max(fitting, default=(0, None))[1]


def _expression(pattern: str) -> str:
    return re.sub(r"\\{\w+\\}", ".+?", re.escape(pattern))
