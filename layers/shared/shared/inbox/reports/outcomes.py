"""
What came of an assistant's answers: the facts of a round by project, channel, version of the settings and language.

    answered without a person   ended_alone, of all ends
    handed off                  handed_off_<cause>, once in a round
    reopened                    reopened_72h: within 72 hours after its end
    rated by people             rated_up, rated_down_<reason>
    rated by customers          asked, scored_1 to scored_5
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from shared.inbox.rounds import Fact
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.inbox.rounds import Happened
    from shared.inbox.tallies import Tally

REOPENED_SOON: Final = "reopened_72h"
SOON_MS: Final = 72 * clock.HOUR_MS
NO_VERSION, NO_LANGUAGE, OTHER = 0, "und", "other"  # `und` is undetermined in BCP 47
RATED_UP, RATED_DOWN = "rated_up", "rated_down"
ASKED, SCORED = "asked", "scored"  # how satisfied a customer is
_COUNTED: Final = frozenset(
    {Fact.ENDED_ALONE, Fact.ENDED_WITH_PEOPLE, Fact.OPTED_OUT, Fact.FAILED, Fact.HANDED_OFF}
)
_CODE: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}")
_KINDS: Final = (*sorted(_COUNTED), REOPENED_SOON, RATED_UP, RATED_DOWN, ASKED, SCORED)
# Names of attributes in expressions have letters, digits and `_` only.
_NAME: Final = re.compile(
    rf"v(?P<version>\d+)_(?P<language>[a-z]{{2,3}})_(?P<kind>{'|'.join(_KINDS)})"
    r"(?:_(?P<cause>[a-z0-9_]+))?"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A kind of outcome with its cause or reason, empty without one; the version and the language of the answers."""

    kind: str
    cause: str = ""
    version: int = NO_VERSION
    language: str = NO_LANGUAGE

    @property
    def name(self) -> str:
        """The name of its count."""
        cause = f"_{self.cause}" if self.cause else ""
        return f"v{self.version}_{self.language}_{self.kind}{cause}"

    @classmethod
    def of(cls, name: str) -> Self:
        """Return the outcome of the name of a count. Raises ValueError for another name."""
        found = _NAME.fullmatch(name)
        if found is None:
            raise ValueError("no outcome has this name")
        return cls(found["kind"], found["cause"] or "", int(found["version"]), found["language"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Assisted:
    """
    What an assistant's conversation says of its answers: the version of the settings, the language, the code for which
    people got it, and where its outcomes are counted besides.
    """

    version: int | None
    language: str | None
    handed_off_for: str | None
    tally: Tally | None = None

    def further_counts(self, outcomes: Counter[str]) -> Counter[str]:
        """Return what *outcomes*, by their names, add to the further counts."""
        found: Counter[str] = Counter()
        if self.tally is not None:
            for name, count in outcomes.items():
                one = Outcome.of(name)
                score = f"_{one.cause}" if one.kind == SCORED else ""
                found[f"{self.tally.arm}_{one.kind}{score}"] += count
        return found

    def counts(self, happened: Happened) -> Counter[str]:
        """Return what a fact adds to the counts of its day."""
        fact = happened.fact
        if fact is Fact.RATED:
            kind, _, version = happened.rating.partition("|")
            kind, _, reason = kind.partition(":")
            return Counter({self._of(kind, reason, int(version)).name: happened.times})
        if fact is Fact.REOPENED:
            ended_ms = happened.since_ms
            is_soon = ended_ms is not None and happened.at_ms - ended_ms <= SOON_MS
            return Counter({self._of(REOPENED_SOON).name: 1}) if is_soon else Counter()
        if fact not in _COUNTED:
            return Counter()
        cause = code_of(self.handed_off_for) if fact is Fact.HANDED_OFF else ""
        return Counter({self._of(fact, cause).name: 1})

    def _of(self, kind: str, cause: str = "", version: int | None = None) -> Outcome:
        of_answer = self.version if version is None else version
        primary = (self.language or "").partition("-")[0].lower()
        language = primary if _LANGUAGE.fullmatch(primary) else NO_LANGUAGE
        return Outcome(kind, cause, of_answer or NO_VERSION, language)


def code_of(text: str | None) -> str:
    """Return a code as it is, and `other` for anything else: names of counts have no words of people or models."""
    return text if text and _CODE.fullmatch(text) else OTHER
