"""What the client of tables tells the observation of the present call (`shared.aws.observation`), if there is one."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from shared.aws import observation
from shared.aws.dynamodb.values import Attributes, decoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def saw(items: Sequence[Attributes]) -> None:
    """Note whole items that were read."""
    if (seen := observation.current()) is not None:
        seen.read.extend(items)


def returned_before() -> dict[str, Any]:
    """Return the argument with which a put or a deletion returns the item that it replaces, in observed calls."""
    return {"ReturnValues": "ALL_OLD"} if observation.current() is not None else {}


def replaced(answer: Mapping[str, Any], after: Attributes | None) -> None:
    """Note the answer to a put or a deletion."""
    if (seen := observation.current()) is not None:
        before = answer.get("Attributes")
        seen.replaced(decoded(before) if before else None, after)


def updated(key: Attributes, item: Attributes, *changes: Iterable[str] | None) -> Attributes:
    """Note and return an item after its update; *changes* name the attributes that it changes."""
    if (seen := observation.current()) is not None:
        seen.updated(key, item, chain.from_iterable(names or () for names in changes))
    return item


def planned(write: Attributes, put: Mapping[str, Any] | None, drop: Sequence[str]) -> Attributes:
    """Return an update of a transaction that may follow, and keep what it does."""
    if (seen := observation.current()) is not None:
        seen.plan(write, put, drop)
    return write


def made(writes: Sequence[Attributes]) -> None:
    """Note the writes of a transaction that has succeeded."""
    if (seen := observation.current()) is None:
        return
    for write in writes:
        for operation, target in write.items():
            seen.made(write, operation, decoded(target.get("Item") or target["Key"]))
