"""Compares the result of a load run with the sent events."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer

from events.whatsapp.sample_data import LOAD_NUMBER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from local.load.traffic import Sent, Traffic
    from local.stack.cli import Stack

_deserialize = TypeDeserializer().deserialize


@dataclass
class Verdict:
    """The totals of a run; `faults` describes every deviation."""

    stored: int
    parked: Counter[str]
    dead_letters: int
    faults: list[str] = field(default_factory=list)


def verdict(stack: Stack, traffic: Traffic, parked_before: Counter[str]) -> Verdict:
    """Read the table and the dead letters, and compare. *parked_before*: events parked by earlier runs."""
    expected = {sent.message_id: sent for sent in traffic.messages}
    items = list(_items(stack))
    messages = {
        item["pk"].removeprefix("MSG#"): item for item in items if item["itemType"] == "MESSAGE"
    }
    stored = {key: item for key, item in messages.items() if key in expected}
    newly_parked = _parked(items) - parked_before
    result = Verdict(len(stored), newly_parked, _dead_letters(stack))
    if missing := expected.keys() - stored.keys():
        result.faults.append(f"{len(missing)} messages are lost")
    if unexpected := [k for k in messages if k.startswith(traffic.run) and k not in expected]:
        result.faults.append(f"{len(unexpected)} messages were never sent")
    result.faults += _wrong_texts(stored, expected)
    result.faults += _wrong_conversations(items, traffic.messages)
    if newly_parked != traffic.invalid:
        result.faults.append(f"parked {dict(newly_parked)}, not {dict(traffic.invalid)}")
    if result.dead_letters:
        result.faults.append(f"{result.dead_letters} dead letters")
    if result.stored + traffic.repeats + newly_parked.total() != traffic.events:
        result.faults.append("stored + repeated + parked is not what was sent")
    return result


def messages_stored(stack: Stack, run: str) -> int:
    """Return how many messages of a run are in the table; *run* begins their ids, and ends with a dot."""
    own = f"MSG#{run}"
    keys = (item["pk"] for item in _items(stack))
    return sum(key.startswith(own) and key.removeprefix(own).isdigit() for key in keys)


def parked(stack: Stack) -> Counter[str]:
    """Count the parked events of the load's account by reason."""
    return _parked(_items(stack))


def _parked(items: Iterable[dict[str, Any]]) -> Counter[str]:
    return Counter(
        str(item["reason"])
        for item in items
        if item.get("webhookEventType") == "parked" and item.get("wabaMetaId") == LOAD_NUMBER.waba
    )


def _wrong_texts(messages: dict[str, Any], expected: dict[str, Sent]) -> Iterable[str]:
    wrong = [key for key, item in messages.items() if item["textBody"] != expected[key].text]
    if wrong:
        yield f"{len(wrong)} messages have other texts"


def _wrong_conversations(items: list[dict[str, Any]], messages: list[Sent]) -> Iterable[str]:
    """Yield conversations with a wrong counter or newest message, and timelines not in the order of sending."""
    heads = {item["pk"]: item for item in items if item["itemType"] == "CONVERSATION"}
    timelines: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        if item["itemType"] == "MESSAGE":
            timelines.setdefault(item["conversationPk"], []).append(item)
    sent_by_conversation: dict[str, list[Sent]] = {}
    for sent in messages:
        sent_by_conversation.setdefault(
            f"CONV#{LOAD_NUMBER.phone}#{sent.customer.wa_id}", []
        ).append(sent)
    for key, sent_messages in sent_by_conversation.items():
        newest = sent_messages[-1]
        head = heads.get(key, {})
        if head.get("unreadCount") != len(sent_messages):
            yield f"conversation {newest.conversation}: {head.get('unreadCount')} unread, not {len(sent_messages)}"
        if head.get("lastMessagePk") != f"MSG#{newest.message_id}":
            yield f"conversation {newest.conversation}: shows another message than its newest"
        in_time = sorted(timelines.get(key, []), key=lambda item: str(item["receivedAt"]))
        if [i["textBody"] for i in in_time] != [sent.text for sent in sent_messages]:
            yield f"conversation {newest.conversation}: is not in the order of sending"


def _items(stack: Stack) -> Iterable[dict[str, Any]]:
    pages = (
        stack.client("dynamodb").get_paginator("scan").paginate(TableName=stack.tables["whatsapp"])
    )
    for page in pages:
        for item in page["Items"]:
            yield {name: _deserialize(value) for name, value in item.items()}


def _dead_letters(stack: Stack) -> int:
    url = stack.queues["whatsapp_dead_letters"]
    attributes = stack.client("sqs").get_queue_attributes(
        QueueUrl=url, AttributeNames=["ApproximateNumberOfMessages"]
    )["Attributes"]
    return int(attributes["ApproximateNumberOfMessages"])
