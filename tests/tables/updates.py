"""Update expressions, compiled to the changes of an item: every change sees the item as it was before."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

from tests.tables.conditions import Placeholders
from tests.tables.errors import Impossible
from tests.tables.grammar import Reader
from tests.tables.values import ARITHMETIC, SETS, at, copied, number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.tables.conditions import Names
    from tests.tables.values import Item, Path, Value

    type Evaluated = Callable[[Item, Mapping[str, Value]], Value | None]
    type Change = tuple[str, Path, Evaluated]

_CLAUSES: Final = ("SET", "ADD", "DELETE", "REMOVE")
_NO_PATH: Final = "The document path provided in the update expression is invalid for update"
_NO_ATTRIBUTE: Final = (
    "The provided expression refers to an attribute that does not exist in the item"
)
_WRONG_TYPE: Final = "An operand in the update expression has an incorrect data type"


@dataclass(frozen=True, slots=True)
class Update(Placeholders):
    """The changes of an update, in the order in which they are made."""

    changes: list[Change]

    @property
    def paths(self) -> list[Path]:
        return [path for _, path, _ in self.changes]

    def of(self, item: Item, values: Mapping[str, Value]) -> Item:
        """Return the changed item; *item* stays as it is."""
        new = dict(item)
        own: set[str | int] = set()
        found = [(kind, path, value(item, values)) for kind, path, value in self.changes]
        for kind, path, value in found:
            if len(path) > 1 and path[0] in new and path[0] not in own:
                new[str(path[0])] = copied(new[str(path[0])])
                own.add(path[0])
            _MAKE[kind](new, path, value)
        return new


@functools.cache
def update(text: str, names: Names) -> Update:
    reader = Reader("UpdateExpression", text, dict(names))
    clauses: dict[str, list[Change]] = {}
    while reader.token:
        clause = reader.next().upper()
        if clause in clauses:
            raise reader.invalid(
                f'The "{clause}" section can only be used once in an update expression;'
            )
        if clause not in _CLAUSES:
            reader.position -= 1
            raise reader.syntax_error()
        clauses[clause] = [_change(reader, clause)]
        while reader.meets(","):
            clauses[clause].append(_change(reader, clause))
    changes = [
        change for clause in _CLAUSES for change in _ordered(clause, clauses.get(clause, []))
    ]
    for (_, one, _), (_, other, _) in combinations(changes, 2):
        shorter = min(len(one), len(other))
        if one[:shorter] == other[:shorter]:
            raise reader.invalid(
                "Two document paths overlap with each other; must remove or rewrite one of these paths"
            )
    return Update(frozenset(reader.used_names), frozenset(reader.used_values), changes)  # fmt: skip


def _ordered(clause: str, changes: list[Change]) -> list[Change]:
    """Elements of lists are added from the first, and removed from the last: positions are in the old list."""

    def position(change: Change) -> int:
        last = change[1][-1]
        return last if isinstance(last, int) else -1

    return sorted(changes, key=position, reverse=clause == "REMOVE")


def _change(reader: Reader, clause: str) -> Change:
    path = reader.path()
    if clause == "SET":
        reader.expect("=")
        return clause, path, _sum(reader)
    if clause == "REMOVE":
        return clause, path, lambda _, __: None
    return clause, path, _placed(reader.value())


# Values to set


def _sum(reader: Reader) -> Evaluated:
    left = _operand(reader)
    if reader.token not in {"+", "-"}:
        return _needed(left)
    sign = reader.next()
    right = _operand(reader)
    one, other = _needed(left), _needed(right)

    def total(item: Item, values: Mapping[str, Value]) -> Value:
        return _added(one(item, values), other(item, values), sign)

    return total


def _operand(reader: Reader) -> Evaluated:
    if reader.token.startswith(":"):
        return _placed(reader.value())
    if reader.token in {"if_not_exists", "list_append"} and reader.tokens[reader.position + 1 :][
        :1
    ] == ["("]:
        name = reader.next()
        reader.expect("(")
        first = _operand(reader) if name == "list_append" else _found(reader.path())
        reader.expect(",")
        second = _operand(reader)
        reader.expect(")")
        return (_append if name == "list_append" else _otherwise)(first, second)
    return _found(reader.path())  # fmt: skip


def _placed(placeholder: str) -> Evaluated:
    return lambda _, values: values[placeholder]


def _found(path: Path) -> Evaluated:
    return lambda item, _: at(item, path)


def _otherwise(first: Evaluated, second: Evaluated) -> Evaluated:
    def value(item: Item, values: Mapping[str, Value]) -> Value | None:
        found = first(item, values)
        return second(item, values) if found is None else found

    return value


def _append(first: Evaluated, second: Evaluated) -> Evaluated:
    one, other = _needed(first), _needed(second)

    def value(item: Item, values: Mapping[str, Value]) -> Value:
        lists = one(item, values), other(item, values)
        for part in lists:
            if "L" not in part:
                (kind,) = part
                raise Impossible(
                    "Invalid UpdateExpression: Incorrect operand type for operator or function; "
                    f"operator or function: list_append, operand type: {kind}"
                )
        return {"L": lists[0]["L"] + lists[1]["L"]}

    return value


def _needed(operand: Evaluated) -> Callable[[Item, Mapping[str, Value]], Value]:
    def value(item: Item, values: Mapping[str, Value]) -> Value:
        found = operand(item, values)
        if found is None:
            raise Impossible(_NO_ATTRIBUTE)
        return found

    return value


def _added(one: Value, other: Value, sign: str = "+") -> Value:
    if not ("N" in one and "N" in other):
        (kind,) = one if "N" not in one else other
        raise Impossible(
            "Invalid UpdateExpression: Incorrect operand type for operator or function; "
            f"operator or function: {sign}, operand type: {kind}"
        )
    combine = ARITHMETIC.add if sign == "+" else ARITHMETIC.subtract
    return {"N": number(str(combine(Decimal(one["N"]), Decimal(other["N"]))))}


# Changes of an item that is ours


def _place(item: Item, path: Path) -> Any:
    """The map, or list, that has the last element of a path."""
    if len(path) == 1:
        return item
    value = at(item, path[:-1])
    content = value.get("L" if isinstance(path[-1], int) else "M") if value else None
    if content is None:
        raise Impossible(_NO_PATH)
    return content


def _set(item: Item, path: Path, value: Value | None) -> None:
    place, last = _place(item, path), path[-1]
    if isinstance(last, int) and last >= len(place):
        place.append(value)
    else:
        place[last] = value


def _remove(item: Item, path: Path, _: Value | None) -> None:
    place, last = _place(item, path), path[-1]
    if not isinstance(last, int):
        place.pop(last, None)
    elif last < len(place):
        place.pop(last)


def _add(item: Item, path: Path, value: Value | None) -> None:
    assert value is not None
    ((kind, content),) = value.items()
    old = at(item, path)
    if (kind != "N" and kind not in SETS) or (old is not None and kind not in old):
        raise Impossible(_WRONG_TYPE)
    if kind == "N":
        _set(item, path, _added(old or {"N": "0"}, value))
    else:
        members = old[kind] if old else []
        more = [member for member in content if member not in members]
        _set(item, path, {kind: [*members, *more]})


def _delete(item: Item, path: Path, value: Value | None) -> None:
    assert value is not None
    ((kind, content),) = value.items()
    old = at(item, path)
    if kind not in SETS or (old is not None and kind not in old):
        raise Impossible(_WRONG_TYPE)
    if old is None:
        return
    if rest := [member for member in old[kind] if member not in content]:
        _set(item, path, {kind: rest})
    else:
        _remove(item, path, None)


_MAKE: Final[dict[str, Callable[[Item, Path, Value | None], None]]] = {
    "SET": _set,
    "REMOVE": _remove,
    "ADD": _add,
    "DELETE": _delete,
}
