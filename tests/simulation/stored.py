"""Direct access to what is stored: reads of tests are not calls of the handlers, and took a third of a matrix's
time."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any
from weakref import ref

from moto.s3.models import s3_backends
from moto.ssm.models import ssm_backends

from tests.tables.storage import Stored, Table
from tests.tables.values import given, taken
from tests.template import ACCOUNT, REGION, properties

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.simulation.queues.fifo import Queued

type Key = tuple[str, ...]

ATTEMPTS = properties("AttemptsTable", Stage="local")["TableName"]


@dataclass(slots=True, eq=False)
class Derived[T]:
    """What a function makes of an item, by key and item: made once, because stored items do not change."""

    make: Callable[[Key, Stored], T]
    _made: dict[int, tuple[ref[Stored], T]] = field(default_factory=dict)

    def of(self, table: str) -> Iterator[T]:
        """The results for all items of a table, in the order of their keys."""
        for key, item in shared_items(table).items():
            found = self._made.get(id(item))
            if found is None:
                forget = partial(self._forget, id(item))
                found = self._made[id(item)] = ref(item, forget), self.make(key, item)
            yield found[1]

    def _forget(self, at: int, _: ref[Stored]) -> None:
        del self._made[at]


def shared_items(table: str) -> dict[Key, Stored]:
    """All items of a table by their keys of texts, in the order of these: as they are stored, not to be changed."""
    found = Table(table)
    keyed = [(found.schema.key.order_of(item), item) for item in found.all()]
    return dict(sorted(keyed, key=itemgetter(0)))


def items_of(table: str) -> Iterator[dict[str, Any]]:
    """All items of a table in DynamoDB's JSON, each a copy, in the order of their keys."""
    return map(given, shared_items(table).values())


def keys_of(table: str) -> list[str]:
    """The keys of all items of a table without sort keys."""
    return [*Table(table).rows]


def items_by_key(table: str) -> Iterator[tuple[Key, dict[str, Any]]]:
    """As `items_of`, with their keys of texts."""
    for key, item in shared_items(table).items():
        yield key, given(item)


def items_under(table: str, partition: str) -> list[dict[str, Any]]:
    """The items of one partition (a text) of a table with sort keys, as `items_of`."""
    return [given(item) for item in Table(table).rows.get(partition, {}).values()]


def item_of(table: str, *key: str) -> dict[str, Any] | None:
    """One item by its key of texts, as `items_of`; None where there is none."""
    found = Table(table).get(_place(key))
    return None if found is None else given(found)


def put(table: str, item: Mapping[str, Any]) -> None:
    """Write an item in DynamoDB's JSON, without a condition. One of `shared_items` is stored again as it is."""
    found = Table(table)
    new = item if isinstance(item, Stored) else found.checked(taken(item))
    found.set(found.place_of(new), new)


def remove(table: str, *key: str) -> None:
    """Delete an item by its key of texts."""
    Table(table).set(_place(key), None)


def replace_all(table: str, wanted: Mapping[Key, Stored]) -> None:
    """Give a table exactly these items."""
    now = shared_items(table)
    for key in now.keys() - wanted.keys():
        remove(table, *key)
    for key, item in wanted.items():
        if now.get(key) is not item:
            put(table, item)


def take(table: str, key: str) -> Stored:
    """Remove and return an item of a table without sort keys, to be restored later."""
    return Table(table).rows.pop(key)[None]


def give_back(table: str, item: Stored) -> None:
    """Restore a removed item."""
    found = Table(table)
    found.rows[found.place_of(item)[0]] = {None: item}


def _place(key: tuple[str, ...]) -> tuple[str, str | None]:
    return (key[0], key[1] if len(key) > 1 else None)


def objects_of(bucket: str) -> dict[str, bytes]:
    """All objects of a bucket by key."""
    keys = s3_backends[ACCOUNT]["aws"].buckets[bucket].keys
    return {name: key.value for name, key in keys.items()}


def types_of(bucket: str) -> dict[str, str]:
    """The content types of a bucket's objects by key."""
    keys = s3_backends[ACCOUNT]["aws"].buckets[bucket].keys
    return {name: key.metadata.get("content-type", "") for name, key in keys.items()}


def restore_objects(
    bucket: str, wanted: Mapping[str, bytes], types: Mapping[str, str] | None = None
) -> None:
    """Give a bucket exactly these objects, with these content types; those that are there already keep theirs."""
    backend, now = s3_backends[ACCOUNT]["aws"], objects_of(bucket)
    for name in now.keys() - wanted.keys():
        backend.delete_object(bucket, name)
    for name, content in wanted.items():
        if now.get(name) != content:
            key = backend.put_object(bucket, name, content)
            if types and types.get(name):
                key.set_metadata({"content-type": types[name]})


def parameters() -> dict[str, list[Any]]:
    """The versions of all parameters by name."""
    return {name: list(versions) for name, versions in _parameters().items()}


def restore_parameters(wanted: Mapping[str, list[Any]]) -> None:
    """Give the parameter store exactly these versions."""
    held = _parameters()
    held.clear()
    held.update({name: list(versions) for name, versions in wanted.items()})


def empty(bucket: str) -> None:
    """Remove all objects of a bucket."""
    keys = s3_backends[ACCOUNT]["aws"].buckets[bucket].keys
    for name in list(keys):
        keys.pop(name)


def attempts() -> dict[str, int]:
    """The attempts of redelivered messages by message id."""
    counted = items_of(ATTEMPTS)
    return {
        item["message_id"]["S"]: int(item["redeliveries"]["N"])
        for item in counted
        if "redeliveries" in item
    }


def restore_attempts(wanted: Mapping[str, int]) -> None:
    """Give redelivered messages exactly these attempts: a restored queue has messages with the same ids again."""
    for message_id in attempts():
        take(ATTEMPTS, message_id)
    for message_id, count in wanted.items():
        put(ATTEMPTS, {"message_id": {"S": message_id}, "redeliveries": {"N": str(count)}})


def use_up_attempts(*messages: Queued) -> None:
    """Let messages be such that have killed every run so far: the next one moves them to the dead letters."""
    for message in messages:
        message.receives += 1
        restore_attempts(attempts() | {message.message_id: 99})


def _parameters() -> dict[str, list[Any]]:
    return ssm_backends[ACCOUNT][REGION]._parameters
