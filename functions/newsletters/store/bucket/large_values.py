"""
Values that are too large for an item: the whole value is an object, and the item has it shortened.

DynamoDB refuses items above 400 KB. A step item holds at most MOST_BYTES; above that its largest values are written to
the bucket first, each with a pointer under `spilled.{attribute}`. Readers get whole values.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from newsletters.store.bucket.objects import Store, large_values
from shared.aws.sqs_fifo import to_json
from shared.aws.stored_objects import Pointer
from shared.aws.tables.dynamodb_json import plain

if TYPE_CHECKING:
    from newsletters.store.items import StepItem
    from shared.aws.dynamodb import Attributes

MOST_BYTES: Final = 300_000
_NUMBER_BYTES: Final = 21  # the most that a number takes
_TEXT_NAMES: Final = frozenset({"content", "text", "description", "user_notes"})  # in lists
_KEPT: Final = frozenset({"exports"})  # written by exports alone, without the rest of the item
_FEWEST_BYTES: Final = 1_000  # smaller values stay in the item
_VALUE: Final = "value"


@dataclass(frozen=True, slots=True)
class Texts:
    """The most characters of a shortened text, by itself or in a map, and of one in a list."""

    alone: int
    listed: int


SHORT: Final = Texts(2_000, 500)
# Until the item is small enough. Hundreds of passages with long titles and addresses are left out.
_ROUNDS: Final = (SHORT, Texts(500, 100), Texts(0, 0))


def item_bytes(value: Any) -> int:  # noqa: ANN401 - any value of an item
    """Return the size of a value as DynamoDB counts it; for an item pass its map."""
    match value:
        case str():
            return len(value.encode("utf-8", "surrogatepass"))
        case dict():
            return 3 + sum(len(name.encode()) + 1 + item_bytes(one) for name, one in value.items())
        case list() | set() | frozenset():
            return 3 + sum(1 + item_bytes(one) for one in value)
        case bool() | None:
            return 1
        case int() | float() | Decimal():
            return _NUMBER_BYTES
        case _:
            return len(value)


def fitted(store: Store, code: str, step: StepItem) -> Attributes:
    """Return the attributes of a step as they fit into its item; writes the objects of its large values first."""
    values = step.attributes()
    item = {**values, "spilled": {}}
    for texts in _ROUNDS:
        by_size = sorted(values, key=lambda name: item_bytes(item[name]), reverse=True)
        for name in by_size:
            if item_bytes(item) <= MOST_BYTES:
                return item
            if name in _KEPT or item_bytes(values[name]) < _FEWEST_BYTES:
                continue
            if name not in item["spilled"]:
                body = to_json({_VALUE: plain(values[name])}).encode()
                label = f"{step.prefix}-{step.version:06d}-{name}"
                pointer = large_values(store, code).put(label, body)
                item["spilled"][name] = pointer.attributes()
            item[name] = shortened(values[name], texts)
    return item


def whole[Step: StepItem](store: Store, code: str, step: Step) -> Step:
    """Return a step as read, with the whole values of its objects. Raises ObjectUnusable if one is missing."""
    if not step.spilled:
        return step
    folder = large_values(store, code)
    values = {
        name: folder.get_json(Pointer.read(pointer))[_VALUE]
        for name, pointer in step.spilled.items()
    }
    return type(step).model_validate({**step.model_dump(), **values, "spilled": {}})


def shortened(value: Any, texts: Texts = SHORT) -> Any:  # noqa: ANN401 - text, list or map of an item
    """Return a value with its texts shortened; without any left, an empty value."""
    if texts.alone == 0:
        return type(value)()
    if isinstance(value, str):
        return value[: texts.alone]
    if isinstance(value, dict):
        return {
            name: one[: texts.alone] if isinstance(one, str) else one for name, one in value.items()
        }
    return [_short_entry(one, texts.listed) for one in value]


def _short_entry(entry: Any, most: int) -> Any:  # noqa: ANN401 - an entry of a list
    if isinstance(entry, list):
        return [_short_entry(one, most) for one in entry]
    if not isinstance(entry, dict):
        return entry
    return {
        name: one[:most]
        if name in _TEXT_NAMES and isinstance(one, str)
        else _short_entry(one, most)
        for name, one in entry.items()
    }
