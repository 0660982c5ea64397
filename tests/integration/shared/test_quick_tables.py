"""Queries and transactions of `tests.quick_tables` have the results of moto: responses, errors, items and records."""

from __future__ import annotations

from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from tests.quick_aws import not_hastened
from tests.streams import Stream


def row(day: str, number: int, **more: Any) -> dict[str, Any]:
    """An item of a table with a sort key, in the index if it has a state."""
    return {
        "day": {"S": day},
        "number": {"N": str(number)},
        "text": {"S": f"{day} {number}"},
    } | more


def key(day: str, number: int) -> dict[str, Any]:
    return {"day": {"S": day}, "number": {"N": str(number)}}


OPEN = {"state": {"S": "open"}}
ROWS = [
    *(row("monday", number, **OPEN) for number in (3, 1, 20, 2)),
    row("monday", 5),
    *(row("tuesday", number, state={"S": "closed"}) for number in range(3)),
    row("sunday", 4, nested={"M": {"parts": {"L": [{"S": "ä"}, {"N": "1"}]}}}, **OPEN),
]
QUERIES: dict[str, dict[str, Any]] = {
    "a partition": {"KeyConditionExpression": "#day = :day"},
    "a partition that is empty": {"KeyConditionExpression": "#day = :none"},
    "a range from the end": {
        "KeyConditionExpression": "#day = :day AND #number > :two",
        "ScanIndexForward": False,
    },
    "a page": {"KeyConditionExpression": "#day = :day", "Limit": 2},
    "the page after it": {
        "KeyConditionExpression": "#day = :day",
        "Limit": 2,
        "ExclusiveStartKey": key("monday", 2),
    },
    "a filter": {"KeyConditionExpression": "#day = :day", "FilterExpression": "#state = :open"},
    "an index": {"IndexName": "by_state", "KeyConditionExpression": "#state = :open"},
    "a page of an index": {
        "IndexName": "by_state",
        "KeyConditionExpression": "#state = :open",
        "Limit": 2,
        "ExclusiveStartKey": key("monday", 1) | OPEN,
    },
    "an index, from the end": {
        "IndexName": "by_state",
        "KeyConditionExpression": "#state = :open AND #number < :ten",
        "ScanIndexForward": False,
        "ProjectionExpression": "#number",
    },
}
QUERY_NAMES = {"#day": "day", "#number": "number", "#state": "state"}
QUERY_VALUES = {
    ":day": {"S": "monday"},
    ":none": {"S": "friday"},
    ":two": {"N": "2"},
    ":ten": {"N": "10"},
    ":open": {"S": "open"},
}


def put(item: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"Put": {"TableName": "days", "Item": item} | more}


def changed(day: str, number: int, **more: Any) -> dict[str, Any]:
    return {
        "Update": {
            "TableName": "days",
            "Key": key(day, number),
            "UpdateExpression": "SET nested.parts = :new",
            "ExpressionAttributeValues": {":new": {"L": [{"S": "new"}]}},
        }
        | more
    }


def deleted(day: str, number: int) -> dict[str, Any]:
    return {"Delete": {"TableName": "days", "Key": key(day, number)}}


REFUSED = {"ConditionExpression": "attribute_exists(nothing)"}
PRESENT = {"ConditionExpression": "attribute_exists(number)"}
TRANSACTIONS = {
    "every kind": [
        put(row("friday", 1)),
        put(row("monday", 1)),
        changed("sunday", 4),
        deleted("tuesday", 1),
        deleted("friday", 9),
        {"ConditionCheck": {"TableName": "days", "Key": key("monday", 2)} | PRESENT},
    ],
    "the last one is refused": [put(row("friday", 1)), changed("sunday", 4), put(row("monday", 3), **REFUSED)],
    "a refused one says what is there": [
        deleted("tuesday", 1),
        put(row("monday", 3), **REFUSED, ReturnValuesOnConditionCheckFailure="ALL_OLD"),
    ],
    "one item twice": [put(row("friday", 1)), deleted("friday", 1)],
    "an update that is not possible": [put(row("friday", 1)), changed("monday", 1)],
    "a table that is not there": [
        put(row("friday", 1)),
        {"Delete": {"TableName": "nowhere", "Key": key("friday", 2)}},
    ],
}  # fmt: skip


def of_days(operation: str, arguments: dict[str, Any]) -> list[Any]:
    """The response or error of a call, the items of the table, and the records of its stream."""
    with mock_aws():
        client = boto3.client("dynamodb")
        client.create_table(
            TableName="days",
            KeySchema=[
                {"AttributeName": "day", "KeyType": "HASH"},
                {"AttributeName": "number", "KeyType": "RANGE"},
            ],
            AttributeDefinitions=[
                {"AttributeName": "day", "AttributeType": "S"},
                {"AttributeName": "number", "AttributeType": "N"},
                {"AttributeName": "state", "AttributeType": "S"},
            ],
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "by_state",
                    "KeySchema": [
                        {"AttributeName": "state", "KeyType": "HASH"},
                        {"AttributeName": "number", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        for item in ROWS:
            client.put_item(TableName="days", Item=item)
        stream = Stream(client, "days")
        try:
            answer: Any = getattr(client, operation)(**arguments)
        except ClientError as refused:
            answer = refused.response
        keys = [record["dynamodb"]["Keys"] for record in stream.records()]
        del answer["ResponseMetadata"]
        return [answer, client.scan(TableName="days")["Items"], keys]


@pytest.mark.parametrize("arguments", QUERIES.values(), ids=QUERIES)
def test_a_query_finds_the_same_items_in_the_same_order(arguments: dict[str, Any]) -> None:
    said = " ".join(str(value) for value in arguments.values())
    asked = arguments | {
        "TableName": "days",
        "ExpressionAttributeNames": {n: v for n, v in QUERY_NAMES.items() if n in said},
        "ExpressionAttributeValues": {n: v for n, v in QUERY_VALUES.items() if n in said},
    }
    with not_hastened():
        own = of_days("query", asked)

    assert of_days("query", asked) == own
    assert own[0]["Count"] or ":none" in said


@pytest.mark.parametrize("items", TRANSACTIONS.values(), ids=TRANSACTIONS)
def test_a_transaction_changes_the_same_items_or_none(items: list[dict[str, Any]]) -> None:
    with not_hastened():
        own = of_days("transact_write_items", {"TransactItems": items})

    assert of_days("transact_write_items", {"TransactItems": items}) == own
    assert own[1]
