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
_PARTITIONS: Final = ("pk", "PK", "conversation_id", "key_id")
_SORTS: Final = ("sk", "SK")


class Unknown:
    """A value that a call has changed and not read."""


UNKNOWN: Final = Unknown()

type _Item = Mapping[str, Any]  # attributes as plain Python values
type _Identity = tuple[object, object]


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
    others: Sequence[str]  # added to, extended or reduced: their values are not known


@dataclass(slots=True, eq=False)
class Observation:
    """
    What a call has written. *known* has the newest state of each item that it has read or written, None if there is no
    such item. Callers leave out items that are no settings, of which a call may read very many.
    """

    known: dict[_Identity, _Item | None] = field(default_factory=dict)
    written: list[Written] = field(default_factory=list)
    noted: list[Noted] = field(default_factory=list)
    planned: dict[int, _Planned] = field(default_factory=dict)

    def saw(self, key: _Item, item: _Item | None) -> None:
        """Keep an item that was read; None: it does not exist."""
        self.known[_identity(key)] = item

    def updated(self, key: _Item, after: _Item, names: Iterable[str]) -> None:
        """Note an update of the attributes *names*; the state before it is what the call has read or written last."""
        if (before := self.known.get(_identity(key))) is not None:
            self._write(key, Written(before, after))
            return
        changed = {**key, **{name: after.get(name) for name in names}}
        self.written.append(Written(None, changed, is_whole=False))
        self.known[_identity(key)] = after

    def replaced(self, before: _Item | None, after: _Item | None) -> None:
        """Note a put or a deletion (*after* is None) whose state before is known."""
        if (some := after if after is not None else before) is not None:
            self._write(some, Written(before, after))

    def plan(
        self,
        write: object,
        put: Mapping[str, Any] | None,
        drop: Sequence[str],
        others: Sequence[str],
    ) -> None:
        """Keep what an update of a transaction does until the transaction has succeeded."""
        self.planned[id(write)] = _Planned(write, put or {}, drop, others)

    def made(self, write: _Item, operation: str, target: _Item, *, is_new: bool) -> None:
        """
        Note a write of a transaction that has succeeded; *target* is its item, or the key. *is_new*: its condition
        says that there was no item.
        """
        before = self.known.get(_identity(target))
        is_known = is_new or _identity(target) in self.known
        if operation == "Put":
            self._write(target, Written(before, target, is_whole=is_known))
        elif operation == "Delete":
            self._write(target, Written(before, None, is_whole=is_known))
        elif (planned := self.planned.get(id(write))) is not None:
            unknown = dict.fromkeys(planned.others, UNKNOWN)
            after = {**(before or target), **planned.put, **unknown}
            after = {name: value for name, value in after.items() if name not in planned.drop}
            self._write(target, Written(before, after, is_whole=is_known))
            if not is_known:  # the rest of the item is not known either
                del self.known[_identity(target)]

    def _write(self, key: _Item, written: Written) -> None:
        self.written.append(written)
        self.known[_identity(key)] = written.after


def _identity(item: _Item) -> _Identity:
    """Return the key of an item: its partition, and its sort key if it has one."""
    partition = next((item[name] for name in _PARTITIONS if name in item), None)
    return partition, next((item[name] for name in _SORTS if name in item), None)


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
