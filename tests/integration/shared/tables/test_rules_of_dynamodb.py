"""What DynamoDB refuses or answers by its documentation, also where moto is more tolerant."""

from __future__ import annotations

from typing import Any, Final

import boto3
import pytest
from botocore.exceptions import ParamValidationError
from moto import mock_aws

from tests.integration.shared.tables.both import (
    TABLE,
    Call,
    create,
    expression,
    in_moto,
    key,
    results,
)
from tests.tables.values import number

HERE: Final = {"TableName": TABLE, "Key": key("monday", 1)}
ITEM: Final = {**key("monday", 1), "text": {"S": "b"}, "list": {"L": [{"S": "z"}]}}


def update(text: str, **more: Any) -> Call:
    return "update_item", {**HERE, **expression(UpdateExpression=text), **more}


def put(**attributes: Any) -> Call:
    return "put_item", {"TableName": TABLE, "Item": {**ITEM, **attributes}}


def put_if(condition: str, **more: Any) -> Call:
    return "put_item", {
        "TableName": TABLE,
        "Item": ITEM,
        **expression(ConditionExpression=condition),
        **more,
    }


def query(condition: str, **more: Any) -> Call:
    return "query", {"TableName": TABLE, **expression(KeyConditionExpression=condition, **more)}


def with_more(call: Call, **more: Any) -> Call:
    return call[0], call[1] | more


def batch(count: int) -> Call:
    items = [{**ITEM, **key("tuesday", position)} for position in range(count)]
    return "batch_write_item", {
        "RequestItems": {TABLE: [{"PutRequest": {"Item": one}} for one in items]}
    }


def transaction(*parts: dict[str, Any]) -> Call:
    return "transact_write_items", {"TransactItems": [*parts]}


PUT: Final = {"Put": {"TableName": TABLE, "Item": ITEM}}
UNUSED: Final = {":a": {"S": "a"}, ":c": {"S": "c"}}
# Both refuse these.
INVALID: Final[dict[str, Call]] = {
    "a second SET": update("SET #text = :a SET #count = :one"),
    "a path twice": update("SET #text = :a, #text = :b"),
    "a path and a part of it": update("SET #map = :map, #map.#inner = :a"),
    "the key": update("SET #number = :one"),
    "no sign of equality": update("SET #text :a"),
    "an unknown clause": update("PUT #text :a"),
    "a reserved word": update("SET count = :one"),
    "a name that is not used": update("SET #text = :a", ExpressionAttributeNames={"#text": "text", "#b": "b"}),
    "a value that is not used": update("SET #text = :a", ExpressionAttributeValues=UNUSED),
    "a name that is not given": update("SET #text = :a", ExpressionAttributeNames={"#b": "b"}),
    "a part of an attribute that is not there": update("SET #none.#inner = :a"),
    "a sum with a text": update("SET #count = #text + :one"),
    "an attribute that is not there": update("SET #text = #none"),
    "an addition to a text": update("ADD #text :one"),
    "another kind of set": update("DELETE #text :tags"),
    "an append to a text": update("SET #list = list_append(#text, :list)"),
    "an empty set": put(tags={"SS": []}),
    "what is no number": put(count={"N": "one"}),
    "an empty key": put(day={"S": ""}),
    "an empty key of an index": put(state={"S": ""}),
    "a key of another type": put(number={"S": "1"}),
    "a key that is not whole": ("get_item", {"TableName": TABLE, "Key": {"day": {"S": "monday"}}}),
    "a long key": put(day={"S": "x" * 2_049}),
    "a large item": put(text={"S": "x" * 409_601}),
    "a query without its partition": query("#number = :one"),
    "a query of a range of partitions": query("#day > :monday"),
    "a query of other attributes": query("#day = :monday AND #text = :a"),
    "a consistent read of an index": with_more(query("#state = :a"), IndexName="by_state", ConsistentRead=True),
    "a count of some attributes": with_more(query("#day = :monday", ProjectionExpression="#text"), Select="COUNT"),
    "a segment of none": ("scan", {"TableName": TABLE, "Segment": 2, "TotalSegments": 2}),
    "an item twice in a transaction": transaction(PUT, {"Delete": HERE}),
    "two changes in one": transaction({**PUT, "Delete": HERE}),
    "a key twice": ("batch_get_item", {"RequestItems": {TABLE: {"Keys": [key("monday", 1)] * 2}}}),
    "redundant parentheses": put_if("((#text = :a))"),
    "a value that is not given": put_if("#text = :a", ExpressionAttributeValues={":b": {"S": "b"}}),
    "a condition that ends early": put_if("#text = :a AND"),
}  # fmt: skip
# Only DynamoDB refuses these, by its documentation.
STRICTER: Final[dict[str, Call]] = {
    "an unknown index": with_more(query("#day = :monday"), IndexName="none"),
    "a part of what is no map": update("SET #text.#inner = :a"),
    "a value that a condition does not use": put_if("#text = :a", ExpressionAttributeValues=UNUSED),
    "a member of a set twice": put(tags={"SS": ["a", "a"]}),
    "more digits than a number has": put(count={"N": "1" * 39}),
    "a key that is longer than any": ("get_item", {"TableName": TABLE, "Key": key("x" * 2_049, 1)}),
    "a key of another type in a read": ("get_item", {"TableName": TABLE, "Key": {**key("a", 1), "number": {"S": "1"}}}),
    "a query for another type": query("#day = :one"),
    "a batch of 26": batch(26),
    "an operand of a condition on a key that is no value": query("#day = #text"),
    "no condition that a key has": query("#day = :monday AND contains(#text, :a)"),
}  # fmt: skip


def test_invalid_calls_are_refused_and_change_nothing() -> None:
    calls = [put(), *INVALID.values(), *STRICTER.values()]
    first, *refused, items, _ = results(calls)

    accepted = [
        name
        for name, said in zip([*INVALID, *STRICTER], refused, strict=True)
        if said != {"code": "ValidationException"}
    ]
    assert accepted == []
    assert (first, items) == ([{}], [ITEM])  # fmt: skip


def test_moto_refuses_them_too_unless_they_are_stricter() -> None:
    # Items that moto has accepted do not disturb: no call here reads another one.
    _, *said, _, _ = in_moto([put(), *INVALID.values()])

    accepted = [
        name
        for name, one in zip(INVALID, said, strict=True)
        if one != {"code": "ValidationException"}
    ]
    assert accepted == []  # fmt: skip


def test_a_transaction_gives_a_reason_for_each_write_and_changes_nothing() -> None:
    failed, impossible, refused, items, _ = results(
        [
            put(),
            transaction({"Update": update("SET #none.#inner = :a")[1]}, _put_other("a")),
            transaction(
                {"Put": put_if("#text = :a", ReturnValuesOnConditionCheckFailure="ALL_OLD")[1]},
                _put_other("a"),
            ),
        ]
    )

    assert failed == [{}]
    assert impossible == {
        "code": "TransactionCanceledException",
        "CancellationReasons": [{"Code": "ValidationError"}, {"Code": "None"}],
    }
    assert refused["CancellationReasons"] == [
        {"Code": "ConditionalCheckFailed", "Item": ITEM},
        {"Code": "None"},
    ]
    assert items == [ITEM]


def _put_other(day: str) -> dict[str, Any]:
    return {"Put": {"TableName": TABLE, "Item": key(day, 1)}}


def test_an_update_that_creates_an_item_has_one_record_in_the_stream() -> None:
    assert results([update("SET #text = :a")])[-1] == [("INSERT", key("monday", 1))]


def test_a_comparison_with_what_is_not_there_or_of_another_type_does_not_hold() -> None:
    conditions = ["#none = #other", "#text > :one", "#text BETWEEN :one AND :two", "#text = :one"]
    _, *said, _, _ = results([put(), *map(put_if, conditions)])

    assert said == [{"code": "ConditionalCheckFailedException"}] * len(conditions)


def test_numbers_have_no_zeros_at_their_ends_and_are_compared_as_numbers() -> None:
    texts = ("1.50", "007", "-0", "1E+3", "0.10e-3", "12345678901234567890.123456789012345678")
    assert [*map(number, texts)] == [
        "1.5",
        "7",
        "0",
        "1000",
        "0.0001",
        "12345678901234567890.123456789012345678",
    ]
    stored, found, _, _ = results(
        [put(count={"N": "10.0"}), ("query", query("#day = :monday", FilterExpression="#count > :two")[1])]
    )  # fmt: skip
    assert stored == [{}]
    assert found[0]["Items"][0]["count"] == {"N": "10"}


def test_updated_attributes_are_returned_as_asked() -> None:
    old, new, _, _ = results(
        [
            update("SET #text = :a, #map = :map", ReturnValues="UPDATED_NEW"),
            update("SET #map.#inner = :b, #count = :one", ReturnValues="UPDATED_OLD"),
        ]
    )

    assert old[0]["Attributes"].keys() == {"text", "map"}
    assert new == [{"Attributes": {"map": {"M": {"inner": {"S": "new"}}}}}]


def test_parameters_of_a_wrong_shape_are_refused_by_the_sdk() -> None:
    wrong: list[tuple[str, Any]] = [
        ("get_item", {"TableName": TABLE}),
        ("get_item", {"TableName": TABLE, "Key": {"day": "monday"}}),
        ("put_item", {"TableName": TABLE, "Item": {"day": {"S": 1}}}),
        ("query", {"TableName": TABLE, "Limit": 0, "KeyConditionExpression": "a = :b"}),
        ("query", {"TableName": TABLE, "Unknown": 0}),
    ]
    with mock_aws():
        client = boto3.client("dynamodb")
        create(client)
        for operation, parameters in wrong:
            with pytest.raises(ParamValidationError):
                getattr(client, operation)(**parameters)


def test_what_a_caller_changes_in_an_answer_or_in_its_parameters_is_not_stored() -> None:
    with mock_aws():
        client: Any = boto3.client("dynamodb")
        create(client)
        item = {**key("monday", 1), "map": {"M": {"list": {"L": [{"S": "b"}]}}}}
        client.put_item(TableName=TABLE, Item=item)
        item["map"]["M"].clear()
        read = client.get_item(**HERE)["Item"]
        read["map"]["M"]["list"]["L"].clear()

        assert client.get_item(**HERE)["Item"]["map"] == {"M": {"list": {"L": [{"S": "b"}]}}}
