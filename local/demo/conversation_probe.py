"""Conversations on the local stack, looked at from outside: the tables, what the providers took, what it cost."""

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

    from events.conversations.morning import Candidate
    from local.stack.cli import Stack

FUNCTIONS = (
    *("router", "twilio", "aws-sms", "intake", "processor-whatsapp", "processor-sms"),
    *("processor-email", "replies", "statuses", "sweeper", "admin"),
)
PATIENCE_SECONDS = 180
_LOOK_AGAIN_SECONDS = 0.3

type Json = dict[str, Any]

_http = urllib3.PoolManager(retries=False, timeout=60)
_deserialize = TypeDeserializer().deserialize


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a conversation's log; *provider_id* is the provider's name for it."""

    at: str
    author: str
    text: str
    delivery: str | None
    provider_id: str | None

    @property
    def is_ours(self) -> bool:
        """Whether the company said it."""
        return self.author != "customer"


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as it stands: the contract's item, and from the log what was said and which way it took."""

    ref: str
    item: Json
    state: Json
    said: tuple[Said, ...]
    changes: tuple[str, ...]

    @property
    def status(self) -> str:
        """`conversation_status`."""
        return str(self.item["conversation_status"])

    @property
    def ours(self) -> list[Said]:
        """What the company said."""
        return [said for said in self.said if said.is_ours]

    @property
    def theirs(self) -> list[Said]:
        """What the candidate said."""
        return [said for said in self.said if not said.is_ours]


@dataclass(frozen=True, slots=True)
class Received:
    """A message that a provider took for a candidate."""

    provider_id: str
    to: str
    text: str


def talk(stack: Stack, ref: str) -> Talk | None:
    """A conversation by its `ref`; None while there is none."""
    rows = list(log_rows(stack, ref))
    state = next((row for row in rows if row["sk"] == "STATE"), None)
    if state is None:
        return None
    found = stack.client("dynamodb").get_item(
        TableName=stack.tables["conversations"],
        Key={name: {"S": state[name]} for name in ("primary_channel", "conversation_id")},
        ConsistentRead=True,
    )
    return Talk(
        ref=ref,
        item=_plain(found["Item"]),
        state=state,
        said=tuple(_said(row) for row in rows if row["sk"].startswith("MSG#")),
        changes=tuple(row["to_status"] for row in rows if row["sk"].startswith("EVT#")),
    )


def wait_for(stack: Stack, ref: str, fits: Callable[[Talk], bool]) -> Talk:
    """Wait until a conversation is as it is wanted; as it is then. Raises StackError after three minutes."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        found = talk(stack, ref)
        if found is not None and fits(found):
            return found
        if time.monotonic() > deadline:
            stands = f"stays {found.status}" if found else "does not begin"
            raise StackError(f"The conversation {ref} {stands}.")
        time.sleep(_LOOK_AGAIN_SECONDS)


def log_rows(stack: Stack, ref: str) -> Iterator[Json]:
    """All that the log has under a conversation, in the order of its keys."""
    pages = stack.client("dynamodb").get_paginator("query")
    for page in pages.paginate(
        TableName=stack.tables["conversation_log"],
        KeyConditionExpression="pk = :pk",
        ExpressionAttributeValues={":pk": {"S": f"CONV#{ref}"}},
        ConsistentRead=True,
    ):
        yield from map(_plain, page["Items"])


def received(stack: Stack, candidate: Candidate) -> list[Received]:
    """What the providers took for somebody, oldest first."""
    sent = _http.request("GET", f"{stack.sandbox_url}/_sent").json()
    taken = [_taken(entry) for entry in sent if entry["operation"] in _TAKEN]
    own = {candidate.tel, f"whatsapp:{candidate.tel}", candidate.email}
    return [message for message in taken if message.to in own]


def dead_letters(stack: Stack) -> int:
    """Records that failed five times."""
    answer = stack.client("sqs").get_queue_attributes(
        QueueUrl=stack.queues["conversations_dead_letters"],
        AttributeNames=["ApproximateNumberOfMessages"],
    )
    return int(answer["Attributes"]["ApproximateNumberOfMessages"])


def costs(stack: Stack, since_ms: int) -> dict[str, Cost]:
    """What the records of each function cost since a moment, in milliseconds since 1970."""
    found: dict[str, Cost] = {}
    for name in FUNCTIONS:
        for line in lines(stack.client("logs"), log_group(name), since_ms):
            if line.get("message") == "record handled":
                before = found.get(name, Cost(0, 0.0))
                found[name] = Cost(before.events + 1, before.write_units + float(line["wru"]))
    return found


def log_group(function: str) -> str:
    """Where one of FUNCTIONS logs."""
    return f"/aws/lambda/parley-local-conversations-{function}"


def _of_twilio(body: Json, answer: Json) -> Received:
    return Received(answer["sid"], body["To"], body.get("Body") or body["ContentVariables"])


def _of_aws_sms(body: Json, answer: Json) -> Received:
    return Received(answer["MessageId"], body["DestinationPhoneNumber"], body["MessageBody"])


def _of_ses(body: Json, answer: Json) -> Received:
    (to,) = body["Destination"]["ToAddresses"]
    return Received(answer["MessageId"], to, body["Content"]["Simple"]["Body"]["Text"]["Data"])


_TAKEN: Mapping[str, Callable[[Json, Json], Received]] = {
    "create_message": _of_twilio,
    "SendTextMessage": _of_aws_sms,
    "SendEmail": _of_ses,
}


def _taken(sent: Json) -> Received:
    return _TAKEN[sent["operation"]](sent["body"], sent["answer"])


def _plain(item: Mapping[str, Any]) -> Json:
    return {name: _deserialize(value) for name, value in item.items()}


def _said(row: Json) -> Said:
    provider_id = row.get("provider_message_id")
    return Said(
        at=row["message_timestamp"],
        author=row["author"],
        text=row["content"],
        delivery=row.get("delivery_status"),
        # SES's id is what stands before the host of a Message-ID.
        provider_id=provider_id and provider_id.partition("@")[0],
    )
