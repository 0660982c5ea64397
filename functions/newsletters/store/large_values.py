"""
Values that are too large for an item: the whole value is an object, and the item has it shortened.

DynamoDB refuses items above 400 KB. A step item holds at most MOST_BYTES; above that its largest values are written to
the bucket first, each with a pointer under `spilled.{attribute}`. Readers get whole values.
"""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from newsletters.store.objects import Store, large_values
from shared.aws.dynamodb_json import plain
from shared.aws.sqs_fifo import to_json
from shared.aws.stored_objects import Pointer

if TYPE_CHECKING:
    from newsletters.store.items import StepItem
    from shared.aws.dynamodb import Attributes

MOST_BYTES: Final = 300_000
SHORT_PASSAGE: Final = 500  # characters of each passage in a shortened list
SHORT_TEXT: Final = 2_000
_NUMBER_BYTES: Final = 21  # the most that a number takes
_TEXT_NAMES: Final = frozenset({"content", "text"})  # of the long texts in lists
_VALUE: Final = "value"


def item_bytes(value: Any) -> int:  # noqa: ANN401 - any value of an item
    """Return the size of a value as DynamoDB counts it; the size of an item is that of its map."""
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
    item = {**step.attributes(), "spilled": {}}
    by_size = sorted(
        (name for name, value in item.items() if isinstance(value, str | list | dict)),
        key=lambda name: item_bytes(item[name]),
        reverse=True,
    )
    for name in by_size:
        if item_bytes(item) <= MOST_BYTES:
            break
        body = to_json({_VALUE: plain(item[name])}).encode()
        label = f"{step.prefix}-{step.version:06d}-{name}"
        pointer = large_values(store, code).put(label, body)
        item[name] = shortened(item[name])
        item["spilled"][name] = pointer.attributes()
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


def shortened(value: Any) -> Any:  # noqa: ANN401 - text, list or map of an item
    """Return a value with its texts shortened: those of a list's entries to 500 characters, others to 2,000."""
    if isinstance(value, str):
        return value[:SHORT_TEXT]
    if isinstance(value, dict):
        return {
            name: shortened(one) if isinstance(one, str) else one for name, one in value.items()
        }
    return [_short_entry(one) for one in value]


def _short_entry(entry: Any) -> Any:  # noqa: ANN401 - an entry of a list
    if not isinstance(entry, dict):
        return entry
    return {
        name: one[:SHORT_PASSAGE] if name in _TEXT_NAMES else one for name, one in entry.items()
    }
