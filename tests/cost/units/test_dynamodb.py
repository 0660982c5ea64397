"""Prices of the calls of a DynamoDB client."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws
from mypy_boto3_dynamodb import DynamoDBClient

from tests.cost.units.capacity import Index
from tests.cost.units.dynamodb import Pricing, Units, Unpriced

TABLE = "table"
LARGE = "x" * 2_000
KEY = {"pk": {"S": "a"}}
INDEXES = {TABLE: [Index(("kind",), frozenset({"pk", "kind"}))]}


@pytest.fixture
def client() -> Iterator[DynamoDBClient]:
    with mock_aws():
        made = boto3.client("dynamodb")
        made.create_table(
            TableName=TABLE,
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        yield made


@pytest.fixture
def pricing(client: DynamoDBClient) -> Pricing:
    watching = Pricing(boto3.client("dynamodb"), INDEXES, is_on=True)
    watching.watch(client)
    return watching


def item(**attributes: str) -> dict[str, Any]:
    return KEY | {name: {"S": value} for name, value in attributes.items()}


def test_a_put_costs_the_table_and_its_indexes(client: DynamoDBClient, pricing: Pricing) -> None:
    client.put_item(TableName=TABLE, Item=item(text=LARGE))
    client.put_item(TableName=TABLE, Item=item(kind="k"))

    assert pricing.priced == [Units(write=2), Units(write=2 + 1)]


@pytest.mark.parametrize("answers", ["ALL_NEW", "NONE"])
def test_an_update_costs_the_same_with_any_return_values(
    client: DynamoDBClient, pricing: Pricing, answers: Any
) -> None:
    for kind in ("first", "second"):
        client.update_item(
            TableName=TABLE,
            Key=KEY,
            UpdateExpression="SET kind = :kind",
            ExpressionAttributeValues={":kind": {"S": kind}},
            ReturnValues=answers,
        )

    assert pricing.priced == [Units(write=1 + 1), Units(write=1 + 2)]


def test_a_refused_write_costs_the_existing_item(client: DynamoDBClient, pricing: Pricing) -> None:
    client.put_item(TableName=TABLE, Item=item(text=LARGE, kind="k"))
    with pytest.raises(client.exceptions.ConditionalCheckFailedException):
        client.put_item(TableName=TABLE, Item=KEY, ConditionExpression="attribute_not_exists(pk)")

    assert pricing.priced[1:] == [Units(write=2)]


def test_a_delete_costs_the_deleted_item(client: DynamoDBClient, pricing: Pricing) -> None:
    client.put_item(TableName=TABLE, Item=item(text=LARGE, kind="k"))
    client.delete_item(TableName=TABLE, Key=KEY)

    assert pricing.priced[1:] == [Units(write=2 + 1)]


def test_a_transaction_costs_the_table_twice(client: DynamoDBClient, pricing: Pricing) -> None:
    put: Any = {"Put": {"TableName": TABLE, "Item": item(kind="k")}}
    client.transact_write_items(TransactItems=[put])

    assert pricing.priced == [Units(write=2 + 1)]


def test_a_refused_transaction_costs_the_existing_items_twice(
    client: DynamoDBClient, pricing: Pricing
) -> None:
    client.put_item(TableName=TABLE, Item=item(kind="k"))
    absent = "attribute_not_exists(pk)"
    put: Any = {"Put": {"TableName": TABLE, "Item": KEY, "ConditionExpression": absent}}
    with pytest.raises(client.exceptions.TransactionCanceledException):
        client.transact_write_items(TransactItems=[put])

    assert pricing.priced[1:] == [Units(write=2)]


def test_reads_cost_each_requested_item_even_if_it_is_missing(
    client: DynamoDBClient, pricing: Pricing
) -> None:
    client.put_item(TableName=TABLE, Item=item(text=LARGE * 3))
    client.get_item(TableName=TABLE, Key=KEY, ConsistentRead=True)
    client.get_item(TableName=TABLE, Key=KEY)
    client.batch_get_item(
        RequestItems={TABLE: {"Keys": [KEY, {"pk": {"S": "b"}}], "ConsistentRead": True}}
    )
    client.query(
        TableName=TABLE,
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": KEY["pk"]},
    )

    assert pricing.priced[1:] == [Units(read=2), Units(read=1), Units(read=2 + 1), Units(read=1)]


def test_a_call_without_a_price_is_an_error(client: DynamoDBClient, pricing: Pricing) -> None:
    with pytest.raises(Unpriced, match="Scan"):
        client.scan(TableName=TABLE)
