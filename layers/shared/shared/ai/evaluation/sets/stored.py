"""Sets of scenarios and their runs: stored, read and counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from boto3.dynamodb.conditions import Attr

from shared.ai.evaluation.sets.items import (
    MOST_PASSED,
    MOST_SETS,
    SetNames,
    StoredResult,
    StoredRun,
    StoredScenarios,
    StoredSet,
)
from shared.aws.dynamodb import ConditionFailed, TransactionRefused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boto3.dynamodb.conditions import ConditionBase
    from pydantic import BaseModel

    from shared.aws.dynamodb import Attributes, Table

DIGITS: Final = 4  # of a position in a key: text order is the order of the scenarios
_AFTER: Final = "after"  # of a position in a list of names


class Places(Protocol):
    """
    Where a context keeps the sets of one owner.

    *listed_by* is the key condition of a query that lists sets; None in a table without sort keys, which has
    `SetNames`.
    """

    @property
    def listed_by(self) -> ConditionBase | None:
        """See the class."""

    def key_of(self, kind: type[BaseModel], *parts: str) -> Attributes:
        """Return the whole key of an item: of a set by its name, of a run by its id, of a result by both numbers."""

    def item_of(self, kept: BaseModel, *parts: str) -> Attributes:
        """Return what is stored, with its key and the time at which it expires."""


@dataclass(frozen=True, slots=True)
class Evaluations:
    """The sets of an owner: a project, a mailbox, a help desk, or the newsletters of a company."""

    table: Table
    places: Places

    def put(self, one: StoredSet, content: Sequence[str], *, keeps_gate: bool = False) -> bool:
        """
        Store a set with its scenarios instead of the revision before it; False if another one came first, or if one
        that *keeps_gate* has another gate by now.
        """
        before = _attribute(StoredSet, "revision")
        is_first = one.revision == 1
        is_next: ConditionBase = before.not_exists() if is_first else before.eq(one.revision - 1)
        if keeps_gate:
            is_next &= _attribute(StoredSet, "gate").eq(one.gate)
        scenarios = StoredScenarios(revision=one.revision, content=list(content))
        writes = [
            self.table.to_put(self.places.item_of(one, one.name), when=is_next),
            self.table.to_put(self.places.item_of(scenarios, one.name)),
        ]
        if self.places.listed_by is None:
            names = _named(SetNames, names={one.name})
            writes.append(self.table.to_update(self.places.key_of(SetNames), add=names))
        try:
            self.table.transact(*writes)
        except TransactionRefused:
            return False
        return True

    def set_gate(self, name: str, *, is_gate: bool) -> None:
        """Change whether versions have to pass a set."""
        self.table.update(
            self.places.key_of(StoredSet, name),
            put=_named(StoredSet, gate=is_gate),
            when=_attribute(StoredSet, "revision").exists(),
        )

    def read(self, name: str) -> StoredSet | None:
        """Return a set, strongly consistent; None if there is none with this name."""
        item = self.table.get(self.places.key_of(StoredSet, name))
        return StoredSet.model_validate(item) if item else None

    def scenarios(self, name: str, revision: int) -> list[str] | None:
        """Return the scenarios of a set as JSON; None if the set has another revision now."""
        item = self.table.get(self.places.key_of(StoredScenarios, name))
        found = StoredScenarios.model_validate(item) if item else None
        return found.content if found and found.revision == revision else None

    def page(
        self, limit: int = MOST_SETS, start: Attributes | None = None
    ) -> tuple[list[StoredSet], Attributes | None]:
        """Return sets in the order of their names, and the position of the next page."""
        condition = self.places.listed_by
        if condition is None:
            return self._named_page(limit, str((start or {}).get(_AFTER, "")))
        items, last = self.table.query(None, condition, limit=limit, start=start)
        return [StoredSet.model_validate(item) for item in items], last

    def _named_page(self, limit: int, after: str) -> tuple[list[StoredSet], Attributes | None]:
        item = self.table.get(self.places.key_of(SetNames))
        names = sorted(SetNames.model_validate(item).names) if item else []
        left = [name for name in names if name > after]
        keys = [self.places.key_of(StoredSet, name) for name in left[:limit]]
        sets = [StoredSet.model_validate(one) for one in self.table.get_many(keys)]
        last = {_AFTER: left[limit - 1]} if len(left) > limit else None
        return sorted(sets, key=lambda one: one.name), last

    def begin(self, run: StoredRun) -> StoredRun:
        """Store a run and return it; one that was begun for the same call is returned instead."""
        is_new = _attribute(StoredRun, "run_id").not_exists()
        try:
            self.table.put(self.places.item_of(run, run.run_id), when=is_new)
        except ConditionFailed:
            run = self.run(run.run_id) or run
        newest = _named(StoredSet, newest_run=run.run_id)
        self.table.update(self.places.key_of(StoredSet, run.set_name), put=newest)
        return run

    def run(self, run_id: str) -> StoredRun | None:
        """Return a run, strongly consistent; None if there is none with this id."""
        item = self.table.get(self.places.key_of(StoredRun, run_id))
        return StoredRun.model_validate(item) if item else None

    def results(self, run: StoredRun, first: int, limit: int) -> list[StoredResult]:
        """Return up to *limit* (at most 100) results of a run, from the scenario at *first*, in their order."""
        positions = range(first, min(first + limit, run.total))
        keys = [self._result_key(run.run_id, position) for position in positions]
        found = [StoredResult.model_validate(one) for one in self.table.get_many(keys)]
        return sorted(found, key=lambda one: one.position)

    def has_result(self, run_id: str, position: int) -> bool:
        """Return whether a scenario of a run has been played."""
        return self.table.get(self._result_key(run_id, position)) is not None

    def count_try(self, run: StoredRun, calls: int, micros: int) -> None:
        """Count what a try of a scenario has used that comes to no result."""
        used = _named(StoredRun, used_calls=calls, used_micros=micros)
        self.table.update(self.places.key_of(StoredRun, run.run_id), add=used)

    def add_result(self, run: StoredRun, result: StoredResult, counts: dict[str, int]) -> None:
        """Store a result and add *counts* to its run, once."""
        place = run.run_id, f"{result.position:0{DIGITS}}"
        is_new = _attribute(StoredResult, "position").not_exists()
        try:
            self.table.transact(
                self.table.to_put(self.places.item_of(result, *place), when=is_new),
                self.table.to_update(
                    self.places.key_of(StoredRun, run.run_id), add=_named(StoredRun, **counts)
                ),
            )
        except TransactionRefused:
            return

    def note_passed(self, run: StoredRun, version: int) -> None:
        """
        Note that a version has passed a set, if the set still has the scenarios of the run. Of more than MOST_PASSED
        versions the oldest have to pass again. Repeatable.
        """
        key = self.places.key_of(StoredSet, run.set_name)
        is_same = _attribute(StoredSet, "revision").eq(run.revision)
        try:
            noted = self.table.update(key, add=_named(StoredSet, passed={version}), when=is_same)
            passed = StoredSet.model_validate(noted).passed
            oldest = sorted(passed - {version})[: max(0, len(passed) - MOST_PASSED)]
            if oldest:
                old = _named(StoredSet, passed={*oldest})
                self.table.update(key, take_from_set=old, when=is_same)
        except ConditionFailed:
            return

    def gates_before(self, version: int | None) -> list[str]:
        """Return the names of the sets that a version has to pass before it may go live; None: a new one."""
        gates, start = list[str](), None
        while True:  # one page, unless calls at once have made more than MOST_SETS
            found, start = self.page(start=start)
            gates += [one.name for one in found if one.gate and version not in one.passed]
            if start is None:
                return gates

    def _result_key(self, run_id: str, position: int) -> Attributes:
        return self.places.key_of(StoredResult, run_id, f"{position:0{DIGITS}}")


def _attribute(kind: type[BaseModel], field: str) -> Attr:
    """Return the attribute of a field, for conditions."""
    return Attr(next(iter(_named(kind, **{field: None}))))


def _named(kind: type[BaseModel], **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - values of any field
    """Return field values by attribute. Raises KeyError for a field that the class does not declare."""
    return {name: value for name, value in fields.items() if kind.model_fields[name]}
