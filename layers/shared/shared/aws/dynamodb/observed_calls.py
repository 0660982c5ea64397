"""What the client of tables tells the observation of the present call (`shared.aws.observation`), if there is one."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from shared.aws import observation
from shared.aws.audited import is_setting
from shared.aws.dynamodb.values import Attributes, decoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from shared.aws.observation import Observation

_NOT_EXISTS: Final = re.compile(r"attribute_not_exists\((#\w+)\)")
_KEYS: Final = frozenset({"pk", "sk", "PK", "SK", "conversation_id"})


def saw(items: Iterable[Attributes]) -> None:
    """Note whole items that were read."""
    if (seen := observation.current()) is not None:
        for item in filter(is_setting, items):
            seen.saw(item, item)


def missed(key: Attributes) -> None:
    """Note that there is no item with a key."""
    if (seen := _observing(key)) is not None:
        seen.saw(key, None)


def returned_before() -> dict[str, Any]:
    """Return the argument with which a put or a deletion returns the item that it replaces, in observed calls."""
    return {"ReturnValues": "ALL_OLD"} if observation.current() is not None else {}


def replaced(answer: Mapping[str, Any], key: Attributes, after: Attributes | None) -> None:
    """Note the answer to a put or a deletion."""
    if (seen := _observing(key)) is not None:
        before = answer.get("Attributes")
        seen.replaced(decoded(before) if before else None, after)


def updated(key: Attributes, item: Attributes, *changes: Iterable[str] | None) -> Attributes:
    """Note and return an item after its update; *changes* name the attributes that it changes."""
    if (seen := _observing(key)) is not None:
        seen.updated(key, item, chain.from_iterable(names or () for names in changes))
    return item


def planned(
    write: Attributes,
    put: Mapping[str, Any] | None,
    drop: Sequence[str],
    *others: Iterable[str] | None,
) -> Attributes:
    """Return an update of a transaction that may follow, and keep what it does; *others* as *changes* of `updated`."""
    if (seen := observation.current()) is not None:
        seen.plan(write, put, drop, [*chain.from_iterable(names or () for names in others)])
    return write


def made(writes: Sequence[Attributes]) -> None:
    """Note the writes of a transaction that has succeeded."""
    if observation.current() is None:
        return
    for write in writes:
        for operation, arguments in write.items():
            target = decoded(arguments.get("Item") or arguments["Key"])
            if (seen := _observing(target)) is not None:
                seen.made(write, operation, target, is_new=_is_new(arguments))


def _is_new(arguments: Attributes) -> bool:
    """Whether the condition of a write is that its item does not exist."""
    found = _NOT_EXISTS.fullmatch(arguments.get("ConditionExpression", ""))
    return found is not None and arguments["ExpressionAttributeNames"][found[1]] in _KEYS


def _observing(item: Attributes) -> Observation | None:
    """Return the observation of the present call for an item that is settings, or its key."""
    seen = observation.current()
    return seen if seen is not None and is_setting(item) else None
