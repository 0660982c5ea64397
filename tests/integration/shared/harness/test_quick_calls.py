"""The calls that go to moto's handlers directly have the answers of moto: same results, same errors."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

import boto3
from botocore.exceptions import ClientError
from moto import mock_aws

from tests.aws.quick_aws import not_hastened
from tests.tables.operations import lock
from tests.template import create_table

if TYPE_CHECKING:
    import pytest

NAME = "/parley/local/a"
FIFO = {"FifoQueue": "true", "ContentBasedDeduplication": "true"}
CALLS: list[tuple[str, str, dict[str, Any]]] = [
    ("sqs", "create_queue", {"QueueName": "a", "Attributes": {"VisibilityTimeout": "7"}}),
    ("sqs", "create_queue", {"QueueName": "a.fifo", "Attributes": FIFO, "tags": {"of": "a"}}),
    ("sqs", "create_queue", {"QueueName": "a", "Attributes": {"VisibilityTimeout": "8"}}),
    ("sqs", "list_queues", {}),
    ("sqs", "get_queue_url", {"QueueName": "a"}),
    ("sqs", "get_queue_url", {"QueueName": "none"}),
    ("sqs", "get_queue_attributes", {"QueueUrl": "{queue}", "AttributeNames": ["All"]}),
    ("sqs", "send_message", {"QueueUrl": "{queue}", "MessageBody": "ä", "DelaySeconds": 900}),
    (
        "sqs",
        "send_message_batch",
        {
            "QueueUrl": "{queue}",
            "Entries": [
                {
                    "Id": str(n),
                    "MessageBody": "é" * n,
                    "MessageAttributes": {"n": {"DataType": "Binary", "BinaryValue": b"\x00\xff"}},
                }
                for n in (1, 2)
            ],
        },
    ),
    ("sqs", "send_message_batch", {"QueueUrl": "{queue}", "Entries": []}),
    (
        "sqs",
        "receive_message",
        {
            "QueueUrl": "{queue}",
            "MaxNumberOfMessages": 10,
            "AttributeNames": ["All"],
            "MessageAttributeNames": ["All"],
        },
    ),
    ("sqs", "delete_message", {"QueueUrl": "{queue}", "ReceiptHandle": "none"}),
    ("sqs", "purge_queue", {"QueueUrl": "{queue}"}),
    ("sqs", "purge_queue", {"QueueUrl": "https://sqs.us-east-1.amazonaws.com/1/none"}),
    ("ssm", "put_parameter", {"Name": NAME, "Value": "ä", "Type": "String"}),
    ("ssm", "put_parameter", {"Name": NAME, "Value": "2", "Type": "String"}),
    ("ssm", "put_parameter", {"Name": NAME, "Value": "3", "Type": "String", "Overwrite": True}),
    ("ssm", "get_parameter", {"Name": NAME, "WithDecryption": True}),
    ("ssm", "get_parameter", {"Name": "/none"}),
    ("ssm", "get_parameters_by_path", {"Path": "/parley/local", "Recursive": True}),
    ("secretsmanager", "create_secret", {"Name": "a", "SecretString": '{"key": "ä"}'}),
    ("secretsmanager", "create_secret", {"Name": "a", "SecretString": "{}"}),
    ("secretsmanager", "get_secret_value", {"SecretId": "a"}),
    ("secretsmanager", "get_secret_value", {"SecretId": "a", "VersionStage": "AWSPENDING"}),
    ("secretsmanager", "get_secret_value", {"SecretId": "none"}),
    ("secretsmanager", "put_secret_value", {"SecretId": "a", "SecretBinary": b"\x00\xff"}),
    ("secretsmanager", "describe_secret", {"SecretId": "a"}),
    ("secretsmanager", "delete_secret", {"SecretId": "a"}),
    ("dynamodb", "describe_table", {"TableName": "{table}"}),
    ("dynamodb", "describe_time_to_live", {"TableName": "{table}"}),
    ("dynamodb", "describe_continuous_backups", {"TableName": "{table}"}),
    ("dynamodb", "describe_table", {"TableName": "none"}),
    ("dynamodb", "list_tables", {}),
]


def test_a_call_has_the_answer_or_error_of_moto() -> None:
    with not_hastened():
        own = answers()

    assert list(zip(CALLS, answers(), strict=True)) == list(zip(CALLS, own, strict=True))
    assert sum(one[0] == "refused" for one in own) == 11


def answers() -> list[tuple[Any, ...]]:
    """The answer of each call, without what is made at random or of the clock."""
    found: list[tuple[Any, ...]] = []
    with mock_aws():
        make: Any = boto3.client  # its types know no service by a variable
        clients: dict[str, Any] = {name: make(name) for name, _, _ in CALLS}
        names = {
            "{queue}": clients["sqs"].create_queue(QueueName="b")["QueueUrl"],
            "{table}": create_table(clients["dynamodb"], "WhatsAppTable"),
        }
        for service, operation, given in CALLS:
            wanted = {name: names.get(str(value), value) for name, value in given.items()}
            try:
                said = getattr(clients[service], operation)(**wanted)
            except ClientError as error:
                found.append(("refused", operation, comparable(error.response)))
            else:
                found.append(("answered", operation, comparable(said)))
    return found


def test_no_call_changes_a_table_while_another_thread_describes_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = resolve_name("moto.dynamodb.models.table:Table")
    count, could_write = table.__len__, []

    def counted(self: Any) -> int:
        with ThreadPoolExecutor(1) as other:
            could_write.append(other.submit(lock.acquire, blocking=False).result())
        return int(count(self))

    monkeypatch.setattr(table, "__len__", counted)
    with mock_aws():
        client = boto3.client("dynamodb")
        client.describe_table(TableName=create_table(client, "WhatsAppTable"))

    assert could_write
    assert not any(could_write)


# Random, or of the clock: ids, handles, the hash in an ARN, dates.
CHANGING = re.compile(
    r"(MessageId|ReceiptHandle|VersionId|TableId|.*Date.*|.*Timestamp|.*Time|RequestId|HTTPHeaders|VersionIdsToStages)"
)


def comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return {n: type(v) if CHANGING.fullmatch(n) else comparable(v) for n, v in value.items()}
    if isinstance(value, list):
        return [comparable(one) for one in value]
    return re.sub(r"(:secret:\w+-)\w{6}", r"\1", value) if isinstance(value, str) else value
