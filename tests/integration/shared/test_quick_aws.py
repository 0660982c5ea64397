"""The shortcuts of `tests.quick_aws` behave like botocore and moto: same responses, same errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from tests.quick_aws import not_hastened
from tests.template import create_queue, create_table

if TYPE_CHECKING:
    from collections.abc import Callable

KEY = {"pk": {"S": "MSG#1"}}
EVERY_TYPE: dict[str, Any] = {
    "text": {"S": "a wörd, an emoji 🚲 and \"B\": 1"},
    "empty": {"S": ""},
    "number": {"N": "12345678901234567890.5"},
    "yes": {"BOOL": True},
    "nothing": {"NULL": True},
    "texts": {"SS": ["a", "b"]},
    "numbers": {"NS": ["1", "2.5"]},
    "bytes": {"B": b"\x00\xff"},
    "several bytes": {"BS": [b"1", b"2"]},
    "list": {"L": [{"S": "a"}, {"L": []}, {"M": {"deep": {"N": "1"}}}, {"B": b"in a list"}]},
    "map": {"M": {"S": {"S": "named like a type"}, "none": {"M": {}}, "B": {"B": b"in a map"}}},
}  # fmt: skip
# Without bytes, which use moto's own path: everything else must use the shortcut.
PLAIN = {name: value for name, value in EVERY_TYPE.items() if "B" not in repr(value)}

type Session = Callable[[str, dict[str, Any]], Any]


def update(expression: str, condition: str | None = None, **more: Any) -> dict[str, Any]:
    """An update of the item, with values and names for its placeholders."""
    values = {
        ":one": {"N": "1"},
        ":text": {"S": "new"},
        ":texts": {"SS": ["b", "c"]},
        ":list": {"L": [{"S": "z"}]},
    }
    names = {
        "#number": "number",
        "#text": "text",
        "#map": "map",
        "#new": "new",
        "#texts": "texts",
        "#list": "list",
    }
    said = f"{expression} {condition or ''}"
    return {
        "Key": KEY,
        "UpdateExpression": expression,
        "ReturnValues": "ALL_NEW",
        **({"ConditionExpression": condition} if condition else {}),
        "ExpressionAttributeNames": {n: v for n, v in names.items() if n in said},
        "ExpressionAttributeValues": {n: v for n, v in values.items() if n in said},
    } | more  # fmt: skip


UPDATES = {
    "several sets": update("SET #text = :text, #new = :one, #list = list_append(#list, :list)"),
    "arithmetic": update("SET #number = #number + :one, #new = if_not_exists(#new, :text)"),
    "all clauses": update("SET #new = :one REMOVE #text ADD #number :one DELETE #texts :texts"),
    "inside of a map": update("SET #map.#new = :text REMOVE #map.none"),
    "parts of a list": update("REMOVE #list[0], #list[1]"),
    "a condition that holds": update("SET #new = :one", "#text <> :text AND attribute_exists(pk)"),
    "a condition that fails": update(
        "SET #new = :one",
        "attribute_not_exists(pk)",
        ReturnValuesOnConditionCheckFailure="ALL_OLD",
    ),
    "a second SET": update("SET #text = :text SET #new = :one"),
    "a path twice": update("SET #text = :text, #text = :one"),
    "a path and a part of it": update("SET #map = :one, #map.#new = :text"),
    "the key": update("SET pk = :text"),
    "no expression": update("SET #text :text"),
    "a name that is not used": update(
        "SET #text = :text", ExpressionAttributeNames={"#text": "text", "#b": "b"}
    ),
    "a value that is not given": update("SET #text = :text", ExpressionAttributeValues={}),
    "a part of what is no map": update("SET #text.#new = :one"),
    "an item that is not there": update(
        "SET #text = if_not_exists(#text, :text) ADD #number :one", Key={"pk": {"S": "new"}}
    ),
    "text that is added to": update("SET #new = #text + :one"),
}


ITEM = {"pk": {"S": "MSG#2"}, "itemType": {"S": "MESSAGE"}, "phone": {"S": "1"}}
OTHERS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "a put that is refused": [
        ("put_item", {"Item": KEY, "ConditionExpression": "attribute_not_exists(pk)"}),
    ],
    "a delete of what is there, and again": [
        ("delete_item", {"Key": KEY, "ReturnValues": "ALL_OLD"}),
        ("delete_item", {"Key": KEY, "ConditionExpression": "attribute_exists(pk)"}),
    ],
    "queries": [
        ("put_item", {"Item": ITEM}),
        ("query", {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": ITEM["pk"]}}),
        ("query", {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": KEY["pk"]}, "Limit": 1}),
        ("query", {"KeyConditionExpression": "nothing like it"}),
        ("query", {"IndexName": "no such", "KeyConditionExpression": "pk = :p"}),
    ],
    "what the table is": [("describe_table", {}), ("describe_time_to_live", {})],
    "a key of another type": [("get_item", {"Key": {"pk": {"N": "1"}}})],
    "no key at all": [("get_item", {"Key": {"sk": {"S": "1"}}}), ("put_item", {"Item": PLAIN})],
    "an empty key": [("put_item", {"Item": {"pk": {"S": ""}}})],
}  # fmt: skip


@pytest.fixture
def both() -> Callable[[Callable[[Session], Any]], None]:
    """Runs calls of a table with and without the shortcut, and compares responses and stored items."""

    def compare(calls: Callable[[Session], Any]) -> None:
        with not_hastened():
            own = results_of(calls)
        quick = results_of(calls)

        assert own == quick
        assert own

    return compare


def results_of(calls: Callable[[Session], Any]) -> list[Any]:
    """All responses or errors, and all items in the table at the end."""
    answers: list[Any] = []
    with mock_aws():
        client = boto3.client("dynamodb")
        table = create_table(client, "WhatsAppTable")
        client.put_item(TableName=table, Item=KEY | EVERY_TYPE)

        def ask(operation: str, arguments: dict[str, Any]) -> None:
            try:
                answer: Any = getattr(client, operation)(TableName=table, **arguments)
            except ClientError as refused:
                answer = refused.response
            answers.append(without_chance(answer))

        calls(ask)
        ask("scan", {})
    return answers


def without_chance(answer: dict[str, Any]) -> dict[str, Any]:
    """A response without generated ids and times."""
    about = answer.pop("ResponseMetadata")
    for name in ("CreationDateTime", "TableId"):
        answer.get("Table", {}).pop(name, None)
    said = about["HTTPHeaders"].get("content-type")
    return {"status": about["HTTPStatusCode"], "type": said, "answer": answer}


def test_every_attribute_type_is_read_unchanged(both: Any) -> None:
    def calls(ask: Session) -> None:
        ask("put_item", {"Item": {"pk": {"S": "plain"}} | PLAIN})
        ask("get_item", {"Key": {"pk": {"S": "plain"}}})
        ask("get_item", {"Key": KEY, "ConsistentRead": True})
        ask("get_item", {"Key": {"pk": {"S": "not there"}}, "ReturnConsumedCapacity": "TOTAL"})

    both(calls)


@pytest.mark.parametrize("arguments", UPDATES.values(), ids=UPDATES)
def test_an_update_has_the_same_answer_and_effect(both: Any, arguments: dict[str, Any]) -> None:
    both(lambda ask: [ask("update_item", arguments) for _ in range(2)])


@pytest.mark.parametrize("asked", OTHERS.values(), ids=OTHERS)
def test_other_calls_have_the_same_answer_and_effect(
    both: Any, asked: list[tuple[str, dict[str, Any]]]
) -> None:
    both(lambda ask: [ask(operation, arguments) for operation, arguments in asked])


def test_a_missing_table_raises_the_same_error() -> None:
    def missed() -> tuple[Any, Any]:
        with mock_aws(), pytest.raises(ClientError) as refused:
            boto3.client("dynamodb").get_item(TableName="nowhere", Key=KEY)
        said = refused.value.response
        return said["Error"], said["ResponseMetadata"]["HTTPStatusCode"]

    with not_hastened():
        own = missed()

    assert missed() == own
    assert own[1] == 400


def test_a_queue_counts_and_returns_its_messages_in_the_same_way() -> None:
    def counted() -> list[Any]:
        seen: list[Any] = []
        with mock_aws():
            sqs = boto3.client("sqs")
            url = create_queue(sqs, "WhatsAppQueue")

            def look() -> None:
                said = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
                seen.append({name: n for name, n in said.items() if name.startswith("Approx")})

            for n in range(4):
                sqs.send_message(
                    QueueUrl=url,
                    MessageBody=str(n),
                    MessageGroupId=str(n % 3),
                    MessageDeduplicationId=str(n),
                )
            look()
            batch = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=2)["Messages"]
            seen += [message["Body"] for message in batch]
            look()
            sqs.delete_message(QueueUrl=url, ReceiptHandle=batch[0]["ReceiptHandle"])
            seen += [m["Body"] for m in sqs.receive_message(QueueUrl=url)["Messages"]]
            look()
        return seen

    with not_hastened():
        own = counted()

    assert counted() == own
    assert own[0]["ApproximateNumberOfMessages"] == "4"


def test_objects_are_found_under_their_urls() -> None:
    def kept() -> Any:
        with mock_aws():
            s3 = boto3.client("s3")
            for bucket in ("bucket-1", "bucket-2"):
                s3.create_bucket(Bucket=bucket)
            s3.put_object(Bucket="bucket-1", Key="a folder/ä?b", Body=b"1", ContentType="a/b")
            got = s3.get_object(Bucket="bucket-1", Key="a folder/ä?b")
            listed = s3.list_objects_v2(Bucket="bucket-1", Prefix="a folder/")["Contents"]
            others = s3.list_objects_v2(Bucket="bucket-2").get("Contents")
            with pytest.raises(ClientError) as refused:
                s3.get_object(Bucket="bucket-2", Key="a folder/ä?b")
            error = refused.value.response["Error"]["Code"]
            return got["Body"].read(), got["ContentType"], listed[0]["Key"], others, error

    with not_hastened():
        own = kept()

    assert kept() == own == (b"1", "a/b", "a folder/ä?b", None, "NoSuchKey")
