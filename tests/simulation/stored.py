"""Direct access to moto's storage: reads of tests are not calls of the handlers, and took a third of a matrix's
time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moto.dynamodb.models import dynamodb_backends
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.utilities import dynamo_to_dict
from moto.s3.models import s3_backends
from moto.ssm.models import ssm_backends

from tests.template import ACCOUNT, REGION, properties

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from moto.dynamodb.models.dynamo_type import Item
    from moto.dynamodb.models.table import Table

    from tests.simulation.fifo import Queued

ATTEMPTS = properties("AttemptsTable", Stage="local")["TableName"]


def items_of(table: str) -> Iterator[dict[str, Any]]:
    """All items of a table in DynamoDB's JSON, each a copy."""
    for item in _table(table).all_items():
        yield _with_own_sets(dynamo_to_dict(item.attrs))


def keys_of(table: str) -> list[str]:
    """The keys of all items of a table without sort keys."""
    return [key.value for key in _table(table).items]


def items_by_key(table: str) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """As `items_of`, with their keys of texts."""
    found = _table(table)
    names = [name for name in (found.hash_key_attr, found.range_key_attr) if name]
    for item in items_of(table):
        yield tuple(item[name]["S"] for name in names), item


def items_under(table: str, partition: str) -> list[dict[str, Any]]:
    """The items of one partition (a text) of a table with sort keys, as `items_of`."""
    found = _table(table).items.get(_text(partition), {})
    return [dynamo_to_dict(item.attrs) for item in found.values()]


def item_of(table: str, *key: str) -> dict[str, Any] | None:
    """One item by its key of texts, as `items_of`; None where there is none."""
    pk, sk = map(_text, key)
    found = _table(table).get_item(pk, sk)
    return None if found is None else dynamo_to_dict(found.attrs)


def put(table: str, item: dict[str, Any]) -> None:
    """Write an item in DynamoDB's JSON, without a condition."""
    _table(table).put_item(_with_own_sets(item), overwrite=True)


def remove(table: str, *key: str) -> None:
    """Delete an item by its key of texts."""
    pk, sk = [*map(_text, key), None][:2]
    assert pk is not None
    _table(table).delete_item(pk, sk)


def take(table: str, key: str) -> Item:
    """Remove and return an item of a table without sort keys, to be restored later: moto creates items slowly."""
    items: Any = _table(table).items  # moto types them as those of a table with sort keys
    taken: Item = items.pop(_text(key))
    return taken


def give_back(table: str, item: Item) -> None:
    """Restore a removed item."""
    items: Any = _table(table).items
    items[item.hash_key] = item


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


def _with_own_sets(item: dict[str, Any]) -> dict[str, Any]:
    """The item with copies of its sets of texts, which moto changes in place."""
    return {
        name: {"SS": list(value["SS"])} if "SS" in value else value for name, value in item.items()
    }


def _table(name: str) -> Table:
    return dynamodb_backends[ACCOUNT][REGION].tables[name]


def _parameters() -> dict[str, list[Any]]:
    return ssm_backends[ACCOUNT][REGION]._parameters


def _text(value: str) -> DynamoType:
    return DynamoType({"S": value})
