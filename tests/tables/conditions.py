"""Conditions, filters, conditions on keys and projections: expressions compiled to functions, once for each text."""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tests.tables.errors import Invalid
from tests.tables.grammar import COMPARISONS, Reader
from tests.tables.values import ORDERED, SETS, at, equal, order

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.tables.grammar import Tree
    from tests.tables.values import Item, Path, Value

    type Test = Callable[[Item, Mapping[str, Value]], bool]
    type Operand = Callable[[Item, Mapping[str, Value]], Value | None]

# The names of a call's placeholders, in their order: expressions are cached with them.
type Names = tuple[tuple[str, str], ...]
# The rest of an item: everything, or parts by name or position.
type Cut = dict[str | int, Cut]

_SIZED: Final = frozenset({"S", "B", "L", "M", *SETS})
_COMPARED: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Placeholders:
    """The placeholders that an expression uses."""

    names: frozenset[str]
    values: frozenset[str]


@dataclass(frozen=True, slots=True)
class Condition(Placeholders):
    """Whether an item has a property; it may be empty."""

    test: Test


@dataclass(frozen=True, slots=True)
class KeyCondition(Placeholders):
    """The placeholder of the partition key, and the test of the sort key, if any, with its name."""

    partition: str
    sort: str | None
    test: Test


@dataclass(frozen=True, slots=True)
class Projection(Placeholders):
    """Some attributes of an item, or parts of them."""

    cut: Cut

    def of(self, item: Item) -> Item:
        kept: Item = _part({"M": item}, self.cut).get("M", {})
        return kept


@functools.cache
def condition(kind: str, text: str, names: Names) -> Condition:
    reader = Reader(kind, text, dict(names))
    tree = reader.condition()
    reader.end()
    return Condition(frozenset(reader.used_names), frozenset(reader.used_values), _compiled(tree))


@functools.cache
def key_condition(text: str, names: Names, partition: str, sort: str | None) -> KeyCondition:
    """Compile a KeyConditionExpression for the key of a table or index."""
    reader = Reader("KeyConditionExpression", text, dict(names))
    tree = reader.condition()
    reader.end()
    parts = {_key_path(part): part for part in (tree[1:] if tree[0] == "and" else (tree,))}
    if (partition,) not in parts:
        raise Invalid(f"Query condition missed key schema element: {partition}")
    kind, _, wanted = parts.pop((partition,))[:3]
    ranges = parts.pop((sort,), None) if sort else None
    if kind != "=" or parts or (ranges and ranges[0] == "<>"):
        raise Invalid("Query key condition not supported")
    return KeyCondition(
        frozenset(reader.used_names),
        frozenset(reader.used_values),
        wanted[1],
        sort if ranges else None,
        _compiled(ranges) if ranges else _always,
    )


def _key_path(tree: Tree) -> Path:
    """The path that a part of a condition on a key compares with values."""
    kind, first, *more = tree
    if kind == "begins_with":
        first = ("path", first)
    is_known = kind in COMPARISONS or kind in {"between", "begins_with"}
    if not is_known or first[0] != "path" or any(one[0] != "value" for one in more):
        raise Invalid("Invalid operator used in KeyConditionExpression")
    path: Path = first[1]
    return path


@functools.cache
def projection(text: str, names: Names) -> Projection:
    reader = Reader("ProjectionExpression", text, dict(names))
    cut: Cut = {}
    while True:
        _add(cut, reader.path())
        if not reader.meets(","):
            break
    reader.end()
    return Projection(frozenset(reader.used_names), frozenset(), cut)


def of_attributes(names: list[str]) -> Projection:
    """Return the projection of whole attributes."""
    return Projection(frozenset(), frozenset(), {name: {} for name in names})


def of_paths(paths: list[Path]) -> Projection:
    """Return the projection of paths that do not overlap."""
    cut: Cut = {}
    for path in paths:
        _add(cut, path)
    return Projection(frozenset(), frozenset(), cut)


def _add(cut: Cut, path: Path) -> None:
    for step in path[:-1]:
        is_new = step not in cut
        cut = cut.setdefault(step, {})
        if not cut and not is_new:
            raise Invalid(
                "Invalid ProjectionExpression: Two document paths overlap with each other"
            )
    if path[-1] in cut:
        raise Invalid("Invalid ProjectionExpression: Two document paths overlap with each other")
    cut[path[-1]] = {}


def _part(value: Value, cut: Cut) -> Value:
    """The parts of a value that remain; empty if there are none."""
    if not cut:
        return value
    ((kind, content),) = value.items()
    if kind == "M":
        found: Any = {
            name: part
            for name, inner in cut.items()
            if name in content and (part := _part(content[name], inner))
        }
    elif kind == "L":
        positions = sorted(one for one in cut if isinstance(one, int) and one < len(content))
        found = [part for one in positions if (part := _part(content[one], cut[one]))]
    else:
        return {}
    return {kind: found} if found else {}


# Conditions


def _always(_: Item, __: Mapping[str, Value]) -> bool:
    return True


def _compiled(tree: Tree) -> Test:
    kind, *parts = tree
    if kind in {"and", "or", "not"}:
        return _combination(kind, *map(_compiled, parts))
    if kind in COMPARISONS:
        return _comparison(kind, _operand(parts[0]), _operand(parts[1]))
    if kind == "between":
        value, low, high = map(_operand, parts)
        return _combination("and", _comparison(">=", value, low), _comparison("<=", value, high))
    if kind == "in":
        value = _operand(parts[0])
        same = [_comparison("=", value, _operand(part)) for part in parts[1]]
        return lambda item, values: any(test(item, values) for test in same)
    return _function(kind, parts)


def _combination(kind: str, left: Test, right: Test | None = None) -> Test:
    if right is None:
        return lambda item, values: not left(item, values)
    if kind == "and":
        return lambda item, values: left(item, values) and right(item, values)
    return lambda item, values: left(item, values) or right(item, values)


def _operand(tree: Tree) -> Operand:
    kind, what = tree
    if kind == "value":
        return lambda _, values: values[what]
    if kind == "size":
        return lambda item, _: _size(at(item, what))
    if len(what) == 1:
        name = what[0]
        return lambda item, _: item.get(name)
    return lambda item, _: at(item, what)


def _size(value: Value | None) -> Value | None:
    if value is None:
        return None
    ((kind, content),) = value.items()
    if kind not in _SIZED:
        raise Invalid(_operand_error("size", kind))
    return {"N": str(len(content.encode()) if kind == "S" else len(content))}


def _comparison(sign: str, left: Operand, right: Operand) -> Test:
    if sign == "=":
        return lambda item, values: (
            (one := left(item, values)) is not None
            and (other := right(item, values)) is not None
            and equal(one, other)
        )
    if sign == "<>":
        same = _comparison("=", left, right)
        return lambda item, values: not same(item, values)
    compared = _COMPARED[sign]

    def test(item: Item, values: Mapping[str, Value]) -> bool:
        one, other = left(item, values), right(item, values)
        if one is None or other is None:
            return False
        (kind,), (second,) = one, other
        return kind == second and kind in ORDERED and compared(order(one), order(other))

    return test


def _function(name: str, parts: list[Any]) -> Test:
    value = _operand(("path", parts[0]))
    if name == "attribute_exists":
        return lambda item, values: value(item, values) is not None
    if name == "attribute_not_exists":
        return lambda item, values: value(item, values) is None
    check = {"attribute_type": _has_type, "begins_with": _begins, "contains": _contains}[name]
    operand = _operand(parts[1])

    def test(item: Item, values: Mapping[str, Value]) -> bool:
        one, other = value(item, values), operand(item, values)
        return one is not None and other is not None and check(one, other)

    return test


def _has_type(value: Value, wanted: Value) -> bool:
    return wanted.get("S") in value


def _begins(value: Value, start: Value) -> bool:
    ((kind, content),), ((second, first),) = value.items(), start.items()
    if second not in {"S", "B"}:
        raise Invalid(_operand_error("begins_with", second))
    return bool(kind == second and content.startswith(first))


def _contains(value: Value, part: Value) -> bool:
    ((kind, content),), ((second, wanted),) = value.items(), part.items()
    if kind == "L":
        return any(equal(one, part) for one in content)
    is_fitting = kind == second in {"S", "B"} or (kind in SETS and kind[0] == second)
    return is_fitting and wanted in content


def _operand_error(function: str, kind: str) -> str:
    return (
        "Incorrect operand type for operator or function; "
        f"operator or function: {function}, operand type: {kind}"
    )
