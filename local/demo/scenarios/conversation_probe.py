"""Reads conversations of the local stack: their items and log, the requests that providers accepted, and costs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import urllib3
from boto3.dynamodb.types import TypeDeserializer

from local.demo.delivery_totals import Cost, lines
from local.stack.processes import StackError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from events.conversations.recruiting import Candidate
    from local.stack.cli import Stack

FUNCTIONS = (
    *("router", "twilio", "aws-sms", "intake", "processor-whatsapp", "processor-sms"),
    *("processor-email", "replies", "statuses", "sweeper", "admin"),
)
TIMEOUT_SECONDS = 180
_POLL_SECONDS = 0.3

type Json = dict[str, Any]

_http = urllib3.PoolManager(retries=False, timeout=180)
_deserialize = TypeDeserializer().deserialize


@dataclass(frozen=True, slots=True)
class LoggedMessage:
    """A message of a conversation's log; *provider_id* is the provider's message id."""

    at: str
    author: str
    text: str
    delivery: str | None
    provider_id: str | None

    @property
    def is_outbound(self) -> bool:
        """Whether the company sent it."""
        return self.author != "customer"


@dataclass(frozen=True, slots=True)
class LoggedConversation:
    """A conversation: its item, its STATE row, and from the log its messages and the statuses that it went through."""

    ref: str
    item: Json
    state: Json
    messages: tuple[LoggedMessage, ...]
    changes: tuple[str, ...]

    @property
    def status(self) -> str:
        """`conversation_status`."""
        return str(self.item["conversation_status"])

    @property
    def outbound(self) -> list[LoggedMessage]:
        """The company's messages."""
        return [message for message in self.messages if message.is_outbound]

    @property
    def inbound(self) -> list[LoggedMessage]:
        """The candidate's messages."""
        return [message for message in self.messages if not message.is_outbound]


@dataclass(frozen=True, slots=True)
class Received:
    """A message to a candidate that a provider accepted."""

    provider_id: str
    to: str
    text: str


def read_conversation(stack: Stack, ref: str) -> LoggedConversation | None:
    """Return a conversation by its `ref`; None if it does not exist yet."""
    rows = list(log_rows(stack, ref))
    state = next((row for row in rows if row["sk"] == "STATE"), None)
    if state is None:
        return None
    response = stack.client("dynamodb").get_item(
        TableName=stack.tables["conversations"],
        Key={name: {"S": state[name]} for name in ("primary_channel", "conversation_id")},
        ConsistentRead=True,
    )
    return LoggedConversation(
        ref=ref,
        item=_plain(response["Item"]),
        state=state,
        messages=tuple(_message_of(row) for row in rows if row["sk"].startswith("MSG#")),
        changes=tuple(row["to_status"] for row in rows if row["sk"].startswith("EVT#")),
    )


def wait_for(
    stack: Stack, ref: str, is_reached: Callable[[LoggedConversation], bool]
) -> LoggedConversation:
    """Wait until *is_reached* holds for a conversation and return it. Raises StackError after three minutes."""
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while True:
        conversation = read_conversation(stack, ref)
        if conversation is not None and is_reached(conversation):
            return conversation
        if time.monotonic() > deadline:
            problem = f"stays {conversation.status}" if conversation else "does not start"
            raise StackError(f"The conversation {ref} {problem}.")
        time.sleep(_POLL_SECONDS)


def log_rows(stack: Stack, ref: str) -> Iterator[Json]:
    """Yield all rows of a conversation's log, in key order."""
    pages = stack.client("dynamodb").get_paginator("query")
    for page in pages.paginate(
        TableName=stack.tables["conversation_log"],
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": f"CONV#{ref}"}},
        ConsistentRead=True,
    ):
        yield from map(_plain, page["Items"])


def received(stack: Stack, candidate: Candidate) -> list[Received]:
    """Return the messages to a candidate that providers accepted, oldest first."""
    sent = _http.request("GET", f"{stack.sandbox_url}/_sent").json()
    accepted = [_received(entry) for entry in sent if entry["operation"] in _ACCEPTED]
    own = {candidate.tel, f"whatsapp:{candidate.tel}", candidate.email}
    return [message for message in accepted if message.to in own]


def dead_letters(stack: Stack) -> int:
    """Return the number of records in the dead-letter queue."""
    answer = stack.client("sqs").get_queue_attributes(
        QueueUrl=stack.queues["conversations_dead_letters"],
        AttributeNames=["ApproximateNumberOfMessages"],
    )
    return int(answer["Attributes"]["ApproximateNumberOfMessages"])


def costs(stack: Stack, since_ms: int) -> dict[str, Cost]:
    """Return the costs of each function's records since *since_ms*, milliseconds since 1970."""
    costs_by_function: dict[str, Cost] = {}
    for name in FUNCTIONS:
        for line in lines(stack.client("logs"), log_group(name), since_ms):
            if line.get("message") == "record handled":
                previous = costs_by_function.get(name, Cost(0, 0.0))
                costs_by_function[name] = Cost(
                    previous.events + 1, previous.write_units + float(line["wru"])
                )
    return costs_by_function


def log_group(function: str) -> str:
    """Return the log group of one of FUNCTIONS."""
    return f"/aws/lambda/parley-local-conversations-{function}"


def _of_twilio(body: Json, answer: Json) -> Received:
    return Received(answer["sid"], body["To"], body.get("Body") or body["ContentVariables"])


def _of_aws_sms(body: Json, answer: Json) -> Received:
    return Received(answer["MessageId"], body["DestinationPhoneNumber"], body["MessageBody"])


def _of_ses(body: Json, answer: Json) -> Received:
    (to,) = body["Destination"]["ToAddresses"]
    return Received(answer["MessageId"], to, body["Content"]["Simple"]["Body"]["Text"]["Data"])


_ACCEPTED: Mapping[str, Callable[[Json, Json], Received]] = {
    "create_message": _of_twilio,
    "SendTextMessage": _of_aws_sms,
    "SendEmail": _of_ses,
}


def _received(sent: Json) -> Received:
    return _ACCEPTED[sent["operation"]](sent["body"], sent["answer"])


def _plain(item: Mapping[str, Any]) -> Json:
    return {name: _deserialize(value) for name, value in item.items()}


def _message_of(row: Json) -> LoggedMessage:
    provider_id = row.get("provider_message_id")
    return LoggedMessage(
        at=row["message_timestamp"],
        author=row["author"],
        text=row["content"],
        delivery=row.get("delivery_status"),
        # The log has the whole Message-ID; SES's id is the part before the host.
        provider_id=provider_id and provider_id.partition("@")[0],
    )
