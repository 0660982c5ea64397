"""
What a call reads and writes in tables, for its row of the audit log, which has the settings before and after a change.

Only while `observed` is open, as in calls of people and programs. It costs no call and no unit: DynamoDB returns what a
put or a deletion replaces for nothing, and the state before an update is what the call itself has read.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# The names of key attributes over all tables.
_KEYS: Final = ("pk", "sk", "PK", "SK", "conversation_id", "key_id")


type _Item = Mapping[str, Any]  # attributes as plain Python values


@dataclass(frozen=True, slots=True)
class Written:
    """
    An item before and after a write; None: it does not exist. Not *is_whole*: the state before is not known, and
    *after* has the written attributes only.
    """

    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Noted:
    """Settings that are no item of a table. *shows* names fields whose texts may be shown."""

    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    shows: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Planned:
    """What an update of a transaction sets and removes; *write* is kept so that its id stays its own."""

    write: object
    put: Mapping[str, Any]
    drop: Sequence[str]


@dataclass(slots=True, eq=False)
class Observation:
    """The items that a call has read, the newest last, and those that it has written."""

    read: list[_Item] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    noted: list[Noted] = field(default_factory=list)
    planned: dict[int, _Planned] = field(default_factory=dict)

    def updated(self, key: _Item, after: _Item, names: Iterable[str]) -> None:
        """Note an update of the attributes *names*; the state before it is what the call has read or written last."""
        before = self._last(key)
        if before is None:
            after = {**key, **{name: after.get(name) for name in names}}
        self.written.append(Written(before, after, is_whole=before is not None))

    def replaced(self, before: _Item | None, after: _Item | None) -> None:
        """Note a put or a deletion (*after* is None) whose state before is known."""
        self.written.append(Written(before, after))

    def plan(self, write: object, put: Mapping[str, Any] | None, drop: Sequence[str]) -> None:
        """Keep what an update of a transaction does until the transaction has succeeded."""
        self.planned[id(write)] = _Planned(write, put or {}, drop)

    def made(self, write: _Item, operation: str, target: _Item) -> None:
        """Note a write of a transaction that has succeeded; *target* is its item, or the key."""
        if operation == "Put":
            before = self._last({name: target[name] for name in _KEYS if name in target})
            self.written.append(Written(before, target))
        elif operation == "Delete":
            self.written.append(Written(self._last(target), None))
        elif (planned := self.planned.get(id(write))) is not None:
            after = {**(self._last(target) or target), **planned.put}
            after = {name: value for name, value in after.items() if name not in planned.drop}
            self.updated(target, after, [*planned.put, *planned.drop])

    def _last(self, key: _Item) -> Mapping[str, Any] | None:
        written = [one.after for one in self.written if one.after is not None]
        candidates: list[_Item] = [*self.read, *written]
        for item in reversed(candidates):
            if all(item.get(name) == value for name, value in key.items()):
                return item
        return None


_open: list[Observation] = []  # of the call that the function answers; one at a time


def current() -> Observation | None:
    """Return the observation of the present call, if it is observed."""
    return _open[-1] if _open else None


@contextmanager
def observed() -> Iterator[Observation]:
    """Observe a call. Within an observed call it is the same observation."""
    if _open:
        yield _open[-1]
        return
    _open.append(Observation())
    try:
        yield _open[-1]
    finally:
        _open.clear()


def note(before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, *shows: str) -> None:
    """
    Note a change of settings that are no item, as a parameter or an account of a user pool; *shows* as in `Noted`.

    Outside an observed call it does nothing.
    """
    if _open:
        _open[-1].noted.append(Noted(before, after, frozenset(shows)))
