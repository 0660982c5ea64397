"""Sets of scenarios and their runs: stored, read and counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.parts.evaluation import (
    EvaluationResult,
    EvaluationRun,
    EvaluationScenarios,
    EvaluationSet,
)
from shared.aws.dynamodb import ConditionFailed, TransactionRefused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes, Table

MOST_SETS = 50  # of a project


@dataclass(frozen=True, slots=True)
class Evaluations:
    """The sets of a project."""

    log: Table
    company_id: str
    project_id: str

    def put(self, one: EvaluationSet, content: Sequence[str]) -> bool:
        """Store a set with its scenarios instead of the revision before it; False if another one came first."""
        where, of_scenarios = self._key(EvaluationSet, one.name), self._scenarios(one.name)
        before = EvaluationSet.attr("revision")
        is_next = before.not_exists() if one.revision == 1 else before.eq(one.revision - 1)
        scenarios = EvaluationScenarios(revision=one.revision, content=list(content))
        try:
            self.log.transact(
                self.log.to_put(one.attributes(where), when=is_next),
                self.log.to_put(scenarios.attributes(of_scenarios)),
            )
        except TransactionRefused:
            return False
        return True

    def set_gate(self, name: str, *, is_gate: bool) -> None:
        """Change whether versions have to pass a set."""
        self.log.update(
            self._key(EvaluationSet, name),
            put=EvaluationSet.named(gate=is_gate),
            when=EvaluationSet.attr("revision").exists(),
        )

    def read(self, name: str) -> EvaluationSet | None:
        """Return a set, strongly consistent; None if there is none with this name."""
        item = self.log.get(self._key(EvaluationSet, name))
        return EvaluationSet.read(item) if item else None

    def scenarios(self, name: str, revision: int) -> list[str] | None:
        """Return the scenarios of a set as JSON; None if the set has another revision now."""
        item = self.log.get(self._scenarios(name))
        found = EvaluationScenarios.read(item) if item else None
        return found.content if found and found.revision == revision else None

    def page(
        self, limit: int | None = None, start: Attributes | None = None
    ) -> tuple[list[EvaluationSet], Attributes | None]:
        """Return sets in the order of their names, and the key of the next page."""
        items, last = self._query(EvaluationSet.first_sk, limit, start)
        return [EvaluationSet.read(item) for item in items], last

    def begin(self, run: EvaluationRun) -> EvaluationRun:
        """Store a run and return it; one that was begun for the same call is returned instead."""
        where = EvaluationRun.key_of(self.company_id, self.project_id, run.run_id)
        try:
            self.log.put(run.attributes(where), when=EvaluationRun.attr("run_id").not_exists())
        except ConditionFailed:
            run = self.run(run.run_id) or run
        newest = EvaluationSet.named(newest_run=run.run_id)
        self.log.update(self._key(EvaluationSet, run.set_name), put=newest)
        return run

    def run(self, run_id: str) -> EvaluationRun | None:
        """Return a run, strongly consistent; None if there is none with this id."""
        item = self.log.get(EvaluationRun.key_of(self.company_id, self.project_id, run_id))
        return EvaluationRun.read(item) if item else None

    def results(
        self, run_id: str, limit: int | None = None, start: Attributes | None = None
    ) -> tuple[list[EvaluationResult], Attributes | None]:
        """Return results of a run in the order of the scenarios, and the key of the next page."""
        items, last = self._query(f"RESULT#{run_id}#", limit, start)
        return [EvaluationResult.read(item) for item in items], last

    def has_result(self, run_id: str, position: int) -> bool:
        """Return whether a scenario of a run has been played."""
        where = EvaluationResult.key_of(self.company_id, self.project_id, run_id, position)
        return self.log.get(where) is not None

    def add_result(self, run: EvaluationRun, result: EvaluationResult, counts: Attributes) -> None:
        """Store a result and add *counts* to its run, once."""
        where = (self.company_id, self.project_id, run.run_id)
        is_new = EvaluationResult.attr("position").not_exists()
        try:
            self.log.transact(
                self.log.to_put(
                    result.attributes(EvaluationResult.key_of(*where, result.position)), when=is_new
                ),
                self.log.to_update(EvaluationRun.key_of(*where), add=EvaluationRun.named(**counts)),
            )
        except TransactionRefused:
            return

    def note_passed(self, run: EvaluationRun, version: int) -> None:
        """Note that a version has passed a set, if the set still has the scenarios of the run. Repeatable."""
        try:
            self.log.update(
                self._key(EvaluationSet, run.set_name),
                add=EvaluationSet.named(passed={version}),
                when=EvaluationSet.attr("revision").eq(run.revision),
            )
        except ConditionFailed:
            return

    def gates_before(self, version: int) -> list[str]:
        """Return the names of the sets that a version has to pass before it may go live."""
        found, _ = self.page()  # MOST_SETS small items are one page
        return [one.name for one in found if one.gate and version not in one.passed]

    def _query(
        self, first: str, limit: int | None, start: Attributes | None
    ) -> tuple[list[Attributes], Attributes | None]:
        pk = EvaluationSet.partition(self.company_id, self.project_id)
        condition = Key(PARTITION_KEY).eq(pk) & Key(SORT_KEY).begins_with(first)
        return self.log.query(None, condition, limit=limit, start=start)

    def _key(self, item: type[EvaluationSet], name: str) -> Attributes:
        return item.key_of(self.company_id, self.project_id, name)

    def _scenarios(self, name: str) -> Attributes:
        return EvaluationScenarios.key_of(self.company_id, self.project_id, name)
