"""Stores, reads and ends the trials of one owner: a project, or a mailbox."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Attr

from shared.ai.trials.items import PARTS, EndCause, Mode, StoredTrial, counts_in
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

SHADOWS: Final = (
    "0"  # the part with all counts of answers in shadow: their bounds are checked at it
)


class TrialStore[T: StoredTrial](ABC):
    """The trials of an owner in a table; a context says where their items are."""

    __slots__ = ()

    @property
    @abstractmethod
    def table(self) -> Table:
        """The table."""

    @abstractmethod
    def trial_key(self, trial_id: str) -> Attributes:
        """Return the whole key of a trial."""

    @abstractmethod
    def counts_key(self, trial_id: str, part: str) -> Attributes:
        """Return the whole key of a part of the counts of a trial."""

    @abstractmethod
    def read_trial(self, item: Attributes) -> T:
        """Return the trial of an item."""

    @abstractmethod
    def item_of(self, trial: T) -> Attributes:
        """Return the item of a trial."""

    def parts_of(self, trial: T) -> list[str]:
        """Return the parts of the counts of a trial."""
        return [str(part) for part in range(PARTS)] if trial.mode is Mode.SHARE else [SHADOWS]

    def read(self, trial_id: str) -> T | None:
        """Return a trial, strongly consistent; None if there is none with this id."""
        item = self.table.get(self.trial_key(trial_id))
        return self.read_trial(item) if item else None

    def begin(self, trial: T, naming: Attributes) -> bool:
        """Store a trial together with the write *naming* it at its owner: both, or none and False."""
        put = self.table.to_put(self.item_of(trial), when=Attr(_name("trial_id")).not_exists())
        try:
            self.table.transact(put, naming)
        except TransactionRefused:
            return False
        return True

    def end(
        self, trial_id: str, cause: EndCause, by: str | None = None, *, withdrawn: bool
    ) -> T | None:
        """End a trial and return it as it is then: the first end counts. None if there is none."""
        put = {
            _name("ended_at"): clock.to_text(clock.now_ms()),
            _name("ended_for"): cause.value,
            _name("ended_by"): by,
            _name("withdrawn"): withdrawn or None,
        }
        runs = Attr(_name("trial_id")).exists() & Attr(_name("ended_at")).not_exists()
        return self._changed(trial_id, put, runs)

    def withdraw(self, trial_id: str) -> T | None:
        """Give the conversations of an ended trial back to the live version. Repeatable."""
        return self._changed(trial_id, {_name("withdrawn"): True}, Attr(_name("ended_at")).exists())

    def counts(self, trial: T) -> Counter[str]:
        """Return what a trial has counted; the last second may be missing. A few small items."""
        keys = [self.counts_key(trial.trial_id, part) for part in self.parts_of(trial)]
        names = set(keys[0])
        found = self.table.get_many(keys, is_consistent=False)
        plain = ({n: v for n, v in one.items() if n not in names} for one in found)
        return sum(map(counts_in, plain), Counter[str]())

    def _changed(self, trial_id: str, put: Attributes, when: Any) -> T | None:  # noqa: ANN401 - a condition
        present = {name: value for name, value in put.items() if value is not None}
        try:
            return self.read_trial(
                self.table.update(self.trial_key(trial_id), put=present, when=when)
            )
        except ConditionFailed as refusal:
            return self.read_trial(refusal.existing) if refusal.existing else None


def _name(field: str) -> str:
    """Return the attribute of a field. Raises KeyError."""
    if field not in StoredTrial.model_fields:
        raise KeyError(field)
    return field
