"""Calls of one table, with its answers, items and stream, in `tests.tables` and in moto."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore.exceptions import ClientError
from moto import mock_aws

from tests.aws.quick_aws import not_hastened
from tests.aws.streams import Stream
from tests.tables.storage import settings_of
from tests.tables.values import number

if TYPE_CHECKING:
    from collections.abc import Sequence

type Call = tuple[str, dict[str, Any]]

TABLE: Final = "days"
# moto raises an error of Python for some calls that DynamoDB refuses.
CRASHED: Final = "crashed"
INCLUDED: Final = {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["text", "map"]}
_REFUSED: Final = {"code": "ValidationException"}
# An attribute has one type in all items: moto fails at the comparison of some different types.
VALUES: Final[dict[str, dict[str, Any]]] = {
    ":a": {"S": "a"},
    ":b": {"S": "b"},
    ":umlaut": {"S": "äz"},
    ":monday": {"S": "monday"},
    ":one": {"N": "1"},
    ":two": {"N": "2"},
    ":half": {"N": "0.5"},
    ":twenty": {"N": "20"},
    ":tags": {"SS": ["b", "c"]},
    ":ranks": {"NS": ["1", "2.5"]},
    ":list": {"L": [{"S": "z"}, {"M": {"deep": {"N": "7"}}}]},
    ":map": {"M": {"inner": {"S": "new"}, "more": {"L": [{"N": "1"}]}}},
    ":yes": {"BOOL": True},
    ":nothing": {"NULL": True},
    ":bytes": {"B": b"\x00\xff"},
    ":number": {"S": "N"},
}


def expression(**texts: str) -> dict[str, Any]:
    """Expressions with the names and values that they use; `#day` stands for the attribute `day`."""
    said = " ".join(texts.values())
    names = {f"#{name}": name for name in re.findall(r"#(\w+)", said)}
    values = {name: VALUES[name] for name in re.findall(r":\w+", said)}
    return {
        **texts,
        **({"ExpressionAttributeNames": names} if names else {}),
        **({"ExpressionAttributeValues": values} if values else {}),
    }


def key(day: str, number: int) -> dict[str, Any]:
    return {"day": {"S": day}, "number": {"N": str(number)}}


def in_moto(calls: Sequence[Call]) -> list[Any]:
    """What moto says and stores. A call at which it fails is taken as refused."""
    with not_hastened():
        return [_REFUSED if one == CRASHED else one for one in results(calls)]


def results(calls: Sequence[Call]) -> list[Any]:
    """All answers or errors, then all items and the records of the stream, each in an order of its own."""
    with mock_aws():
        client = boto3.client("dynamodb")
        create(client)
        Stream(TABLE)
        answers = [_answer(client, *call) for call in calls]
        items = client.scan(TableName=TABLE)["Items"]
        return [*answers, _plain(items), _records(settings_of(TABLE).stream_shard.items)]


def _records(found: Sequence[Any]) -> list[Any]:
    """The changes and keys of a stream. moto writes two records for an update that creates an item."""
    records: list[Any] = []
    for one in found:
        said = one if isinstance(one, dict) else one.to_json()
        keys = _plain(said["dynamodb"]["Keys"])
        if said["eventName"] == "REMOVE" or records[-1:] != [("INSERT", keys)]:
            records.append((said["eventName"], keys))
    return records


def _answer(client: Any, operation: str, arguments: dict[str, Any]) -> Any:
    """An answer; of an error its code and reasons, since texts differ. All pages of a read with a limit."""
    pages = []
    while True:
        try:
            said = getattr(client, operation)(**arguments)
        except (AssertionError, KeyError, TypeError, ValueError):
            return CRASHED
        except ClientError as refused:
            response: Any = refused.response
            about = {
                name: response[name] for name in ("Item", "CancellationReasons") if name in response
            }
            return _plain({"code": response["Error"]["Code"], **about})
        del said["ResponseMetadata"]
        said.pop("ConsumedCapacity", None)
        said.pop("ItemCollectionMetrics", None)
        pages.append(_plain(said))
        last = said.get("LastEvaluatedKey")
        if last is None:
            return pages
        arguments = {**arguments, "ExclusiveStartKey": last}


def _plain(value: Any) -> Any:
    """A value without what has no meaning: the order of sets, the zeros of numbers, and texts of errors."""
    if isinstance(value, dict):
        if len(value) == 1 and value.keys() <= {"SS", "NS", "BS"}:
            ((kind, members),) = value.items()
            return {kind: sorted(members)}
        if value.keys() == {"N"} and isinstance(value["N"], str):
            return {"N": number(value["N"])}
        return {name: _plain(part) for name, part in value.items() if name != "Message"}
    return [_plain(part) for part in value] if isinstance(value, list) else value


def create(client: Any) -> None:
    client.create_table(
        TableName=TABLE,
        KeySchema=[
            {"AttributeName": "day", "KeyType": "HASH"},
            {"AttributeName": "number", "KeyType": "RANGE"},
        ],
        AttributeDefinitions=[
            {"AttributeName": "day", "AttributeType": "S"},
            {"AttributeName": "number", "AttributeType": "N"},
            {"AttributeName": "state", "AttributeType": "S"},
            {"AttributeName": "count", "AttributeType": "N"},
        ],
        GlobalSecondaryIndexes=[
            _index("by_state", ["state", "count"], {"ProjectionType": "ALL"}),
            _index("keys_by_state", ["state"], {"ProjectionType": "KEYS_ONLY"}),
            _index("some_by_count", ["count", "number"], INCLUDED),
        ],
        BillingMode="PAY_PER_REQUEST",
    )  # fmt: skip


def _index(name: str, attributes: list[str], projection: dict[str, Any]) -> dict[str, Any]:
    kinds = zip(attributes, ("HASH", "RANGE"), strict=False)
    schema = [{"AttributeName": attribute, "KeyType": kind} for attribute, kind in kinds]
    return {"IndexName": name, "KeySchema": schema, "Projection": projection}
