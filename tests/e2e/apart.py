"""
A table and a queue beside the stack's own, for functions that tests run by themselves.

The deployed worker does not read this queue, and other tests find none of its data.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer

from local.stack.functions import functions_of
from tests.template import create_table
from whatsapp.store.items import Phone, PhoneList

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.stack.cli import Stack
    from local.stack.functions import Function

# The processes of a test run share the emulator, and each may run some of these tests.
_NAME = f"apart{os.environ.get('PYTEST_XDIST_WORKER', '')}"
_QUEUE = f"parley-{_NAME}.fifo"
_deserialize = TypeDeserializer().deserialize


@dataclass(frozen=True)
class Apart:
    """
    The built functions, configured with this table and this queue. The company's numbers are registered there too.
    """

    stack: Stack
    table: str
    queue: str
    functions: dict[str, Function]

    def items(self) -> dict[str, dict[str, Any]]:
        """All items by key."""
        pages = self.stack.client("dynamodb").get_paginator("scan").paginate(TableName=self.table)
        found = [item for page in pages for item in page["Items"]]
        return {i["pk"]["S"]: {name: _deserialize(v) for name, v in i.items()} for i in found}

    def batches(self) -> Iterator[dict[str, Any]]:
        """
        Batches as Lambda's poller makes them, until the queue is empty; a batch is deleted when the next is requested.
        """
        sqs = self.stack.client("sqs")
        while messages := sqs.receive_message(
            QueueUrl=self.queue, MaxNumberOfMessages=10, AttributeNames=["All"]
        ).get("Messages"):
            yield {"Records": [_record(message) for message in messages]}
            for message in messages:
                sqs.delete_message(QueueUrl=self.queue, ReceiptHandle=message["ReceiptHandle"])


@contextmanager
def apart(stack: Stack) -> Iterator[Apart]:
    """Create the table and the queue for the duration of the block."""
    dynamodb, sqs = stack.client("dynamodb"), stack.client("sqs")
    with ExitStack() as undo:
        table = create_table(dynamodb, "WhatsAppTable", Stage=_NAME)
        undo.callback(dynamodb.delete_table, TableName=table)
        queue = sqs.create_queue(QueueName=_QUEUE, Attributes={"FifoQueue": "true"})["QueueUrl"]
        undo.callback(sqs.delete_queue, QueueUrl=queue)
        _register_numbers(stack, table)
        deployed = functions_of(stack)
        own = {"MESSAGES_TABLE_NAME": table, "WHATSAPP_QUEUE_URL": queue}
        functions = {
            name: replace(function, environment=function.environment | own)
            for name, function in deployed.items()
        }
        # It is sent by the public address, to the deployed function.
        functions["WhatsAppCanary"] = deployed["WhatsAppCanary"]
        yield Apart(stack, table, queue, functions)


def _register_numbers(stack: Stack, table: str) -> None:
    dynamodb = stack.client("dynamodb")
    for page in dynamodb.get_paginator("scan").paginate(TableName=stack.tables["whatsapp"]):
        for item in page["Items"]:
            if item["itemType"]["S"] in {Phone.item_type, PhoneList.item_type}:
                dynamodb.put_item(TableName=table, Item=item)


def _record(message: Any) -> dict[str, Any]:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
        "messageAttributes": {},
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": f"arn:aws:sqs:us-east-1:000000000000:{_QUEUE}",
        "awsRegion": "us-east-1",
    }
