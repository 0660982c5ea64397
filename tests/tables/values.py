"""Attribute values in DynamoDB's JSON, such as `{"S": "text"}`: copies, numbers, sizes, order and equality."""

from __future__ import annotations

from decimal import Context, Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final

from tests.tables.errors import Invalid, Malformed

if TYPE_CHECKING:
    from collections.abc import Callable

type Value = dict[str, Any]
type Item = dict[str, Value]
# The elements of a path: names in maps, positions in lists.
type Path = tuple[str | int, ...]

ORDERED: Final = frozenset({"S", "N", "B"})
SETS: Final = frozenset({"SS", "NS", "BS"})
DIGITS: Final = 38
ARITHMETIC: Final = Context(prec=DIGITS)
_EXACT: Final = Context(prec=400, Emax=999, Emin=-999)
_LARGEST: Final = Decimal("9.9999999999999999999999999999999999999E+125")
_SMALLEST: Final = Decimal("1E-130")


def number(text: str) -> str:
    """Return a number as DynamoDB writes it, without zeros at its start and end."""
    if text.isdecimal() and text.isascii() and text[0] != "0" and len(text) <= DIGITS:
        return text
    try:
        exact = _EXACT.create_decimal(text)
    except InvalidOperation:
        exact = Decimal("NaN")
    if not exact.is_finite() or text != text.strip() or "_" in text:
        raise Invalid(f"The parameter cannot be converted to a numeric value: {text}")
    if not exact:
        return "0"
    short = _EXACT.normalize(exact)
    if len(short.as_tuple().digits) > DIGITS:
        raise Invalid(f"Attempting to store more than {DIGITS} significant digits in a Number")
    if abs(short) > _LARGEST:
        raise Invalid(
            "Number overflow. Attempting to store a number with magnitude larger than supported range"
        )
    if abs(short) < _SMALLEST:
        raise Invalid(
            "Number underflow. Attempting to store a number with magnitude smaller than supported range"
        )
    return f"{short:f}"  # fmt: skip


def taken(item: Any) -> Item:
    """Return a copy of the attributes that a call has, with numbers as DynamoDB writes them. Raises Malformed."""
    if type(item) is not dict:
        raise Malformed
    copy: Item = {}
    for name, value in item.items():
        if type(name) is not str or type(value) is not dict or len(value) != 1:
            raise Malformed
        ((kind, content),) = value.items()
        if kind == "S" and type(content) is str:
            copy[name] = {"S": content}
        elif kind in _TAKEN:
            copy[name] = {kind: _TAKEN[kind](content)}
        else:
            raise Malformed
    return copy


def _take_number(content: Any) -> str:
    return number(_take_text(content))


def _take_bytes(content: Any) -> bytes:
    if not isinstance(content, bytes | bytearray):
        raise Malformed
    return bytes(content)


def _take_flag(content: Any) -> bool:
    if type(content) is not bool:
        raise Malformed
    return content


def _take_text(content: Any) -> str:
    if not isinstance(content, str):
        raise Malformed
    return str.__str__(content)  # the text of an enumeration's member


def _take_null(content: Any) -> bool:
    if not _take_flag(content):
        raise Invalid("Null attribute value types must have the value of true")
    return True


def _take_list(content: Any) -> list[Value]:
    if type(content) is not list:
        raise Malformed
    return [taken({"": value})[""] for value in content]


def _set_of(take: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    def take_set(content: Any) -> list[Any]:
        if type(content) is not list:
            raise Malformed
        members = [take(member) for member in content]
        if not members:
            raise Invalid("One or more parameter values were invalid: An set may not be empty")
        if len(set(members)) < len(members):
            raise Invalid(
                "One or more parameter values were invalid: Input collection contains duplicates"
            )
        return members

    return take_set


_TAKEN: Final[dict[str, Callable[[Any], Any]]] = {
    "S": _take_text,
    "N": _take_number,
    "B": _take_bytes,
    "BOOL": _take_flag,
    "NULL": _take_null,
    "M": taken,
    "L": _take_list,
    "SS": _set_of(_take_text),
    "NS": _set_of(_take_number),
    "BS": _set_of(_take_bytes),
}


def given(item: Item) -> Item:
    """Return a copy of stored attributes, which the caller may change."""
    return {name: copied(value) for name, value in item.items()}


def copied(value: Value) -> Value:
    """Return a deep copy of a value."""
    ((kind, content),) = value.items()
    if kind == "M":
        return {"M": {name: copied(part) for name, part in content.items()}}
    if kind == "L":
        return {"L": [copied(part) for part in content]}
    return {kind: list(content) if kind in SETS else content}


def at(item: Item, path: Path) -> Value | None:
    """Return the value at a path; None if there is none."""
    content: Any = item
    value: Value | None = None
    for step in path:
        if value is not None:
            content = value.get("L" if type(step) is int else "M", ())
        if type(step) is int:
            value = content[step] if step < len(content) else None
        else:
            value = content.get(step) if content else None
        if value is None:
            return None
    return value


def order(value: Value) -> Any:
    """Return what a text, number or bytes is sorted by: code points have the same order as the bytes of UTF-8."""
    ((kind, content),) = value.items()
    return Decimal(content) if kind == "N" else content


def equal(one: Value, other: Value) -> bool:
    """Whether two values are the same; sets have no order."""
    if one == other:
        return True
    ((kind, content),), ((second, more),) = one.items(), other.items()
    if kind != second or kind not in {"M", "L", *SETS} or len(content) != len(more):
        return False
    if kind == "M":
        return all(name in more and equal(part, more[name]) for name, part in content.items())
    if kind == "L":
        return all(map(equal, content, more))
    return set(content) == set(more)


def bytes_of(item: Item) -> int:
    """Return the size of an item as DynamoDB documents it: its names and values."""
    return sum(_length(name) + _size(value) for name, value in item.items())


def _size(value: Value) -> int:
    ((kind, content),) = value.items()
    if kind == "S":
        return _length(content)
    if kind == "N":
        return 1 + (len(content) + 1) // 2
    if kind == "M":
        return 3 + len(content) + bytes_of(content)
    if kind == "L":
        return 3 + len(content) + sum(map(_size, content))
    if kind in SETS:
        return sum(_size({kind[0]: member}) for member in content)
    return len(content) if kind == "B" else 1


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())
