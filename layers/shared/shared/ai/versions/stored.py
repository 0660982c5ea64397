"""Stores and reads the versions of one owner's settings: numbered from 1 without gaps, never changed or deleted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, Field

from shared.aws.dynamodb import ConditionFailed
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable

    from boto3.dynamodb.conditions import ConditionBase

    from shared.aws.dynamodb import Attributes, Table

FIRST: Final = 1
NO_VERSION: Final = "number: version not found"
ATTEMPTS: Final = 8  # to get a number that no other author has taken meanwhile
DIGITS: Final = 8  # of a number in a key: text order is the order of the numbers
PARLEY: Final = "parley"  # the author of settings that were stored before there were versions
_PROBES: Final = 20


class NoVersion(Exception):
    """There is no version with this number. The text has the field and the rule."""


class Version(BaseModel):
    """
    The `settings` of an owner by name, as their author stored them.

    `by` is the principal of a person or key, or the identity of an operator. `based_on` is the version whose settings
    the author changed, `made_for` the hash of the call.
    """

    number: int = FIRST
    settings: dict[str, Any] = Field(default_factory=dict, repr=False)
    note: str = Field(default="", repr=False)
    by: str
    at: str
    based_on: int | None = None
    made_for: str | None = None

    def is_of_call_of(self, wanted: Version) -> bool:
        """Whether it was stored by an earlier attempt of the call that stores *wanted*."""
        return wanted.made_for is not None and self.made_for == wanted.made_for


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """
    The versions of one owner in *table*. *key_of* returns the key of a number, *read_item* and *item_of* convert items,
    and *is_free* is the condition that a key has none.
    """

    table: Table
    key_of: Callable[[int], Attributes]
    read_item: Callable[[Attributes], Version]
    item_of: Callable[[Version], Attributes]
    is_free: ConditionBase

    def read(self, number: int) -> Version | None:
        """Return a version, strongly consistent; None if there is none with this number."""
        item = self.table.get(self.key_of(number)) if number >= FIRST else None
        return self.read_item(item) if item else None

    def get(self, number: int) -> Version:
        """Return a version. Raises NoVersion."""
        found = self.read(number)
        if found is None:
            raise NoVersion(NO_VERSION)
        return found

    def newest(self, known: int = 0) -> int:
        """
        Return the newest number; 0 without any version. *known* is a number that exists, or 0.

        Numbers have no gaps: each round reads the keys 1, 2, 4 ... after the newest one that was found.
        """
        while found := self._existing([known + (1 << n) for n in range(_PROBES)]):
            known = max(found)
        return known

    def _existing(self, numbers: list[int]) -> list[int]:
        items = self.table.get_many([self.key_of(number) for number in numbers])
        return [self.read_item(item).number for item in items]

    def below(self, number: int, limit: int) -> list[Version]:
        """Return up to *limit* (at most 100) versions with numbers below *number*, newest first."""
        numbers = range(number - 1, max(FIRST - 1, number - 1 - limit), -1)
        items = self.table.get_many([self.key_of(one) for one in numbers])
        return sorted(map(self.read_item, items), key=lambda one: one.number, reverse=True)

    def add(self, wanted: Version, known: int = 0) -> Version:
        """
        Store *wanted* under the next free number and return it. Repeatable: a version that was made for the same call
        is returned instead. *known* as in `newest`. Raises Transient if other authors take each number first.
        """
        newest = self.newest(known)
        last = self.read(newest)
        if last is not None and last.is_of_call_of(wanted):
            return last
        for number in range(newest + 1, newest + 1 + ATTEMPTS):
            version = wanted.model_copy(update={"number": number})
            stored = self.put(version)
            if stored is version or stored.is_of_call_of(wanted):
                return stored
        raise Transient("version_contended")

    def put(self, version: Version) -> Version:
        """Store a version; return the stored one with this number, which is another one if the number was taken."""
        try:
            self.table.put(self.item_of(version), when=self.is_free)
        except ConditionFailed as refusal:
            if refusal.existing is None:
                raise
            return self.read_item(refusal.existing)
        return version
