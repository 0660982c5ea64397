"""Compares the result of a load run with the sent events."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.types import TypeDeserializer

from local.load.traffic import NUMBER

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


def verdict(stack: Stack, made: Traffic, parked_before: Counter[str]) -> Verdict:
    """Read the table and the dead letters, and compare. *parked_before*: events parked by earlier runs."""
    wanted = {sent.message_id: sent for sent in made.messages}
    items = list(_items(stack))
    messages = {
        item["pk"].removeprefix("MSG#"): item for item in items if item["itemType"] == "MESSAGE"
    }
    mine = {key: item for key, item in messages.items() if key in wanted}
    kept_aside = _parked(items) - parked_before
    found = Verdict(len(mine), kept_aside, _dead_letters(stack))
    if missing := wanted.keys() - mine.keys():
        found.faults.append(f"{len(missing)} messages are lost")
    if strange := [k for k in messages if k.startswith(made.run) and k not in wanted]:
        found.faults.append(f"{len(strange)} messages were never sent")
    found.faults += _wrong_texts(mine, wanted)
    found.faults += _wrong_conversations(items, made.messages)
    if kept_aside != made.poison:
        found.faults.append(f"parked {dict(kept_aside)}, not {dict(made.poison)}")
    if found.dead_letters:
        found.faults.append(f"{found.dead_letters} dead letters")
    if found.stored + made.repeats + kept_aside.total() != made.events:
        found.faults.append("stored + repeated + parked is not what was sent")
    return found


def parked(stack: Stack) -> Counter[str]:
    """Count the parked events of the load's account by reason."""
    return _parked(_items(stack))


def _parked(items: Iterable[dict[str, Any]]) -> Counter[str]:
    return Counter(
        str(item["reason"])
        for item in items
        if item.get("webhookEventType") == "parked" and item.get("wabaMetaId") == NUMBER.waba
    )


def _wrong_texts(messages: dict[str, Any], wanted: dict[str, Sent]) -> Iterable[str]:
    wrong = [key for key, item in messages.items() if item["textBody"] != wanted[key].text]
    if wrong:
        yield f"{len(wrong)} messages have other texts"


def _wrong_conversations(items: list[dict[str, Any]], messages: list[Sent]) -> Iterable[str]:
    """Yield conversations with a wrong counter or newest message, and timelines not in the order of sending."""
    heads = {item["pk"]: item for item in items if item["itemType"] == "CONVERSATION"}
    timelines: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        if item["itemType"] == "MESSAGE":
            timelines.setdefault(item["conversationPk"], []).append(item)
    said: dict[str, list[Sent]] = {}
    for sent in messages:
        said.setdefault(f"CONV#{NUMBER.phone}#{sent.customer.wa_id}", []).append(sent)
    for key, sent_there in said.items():
        newest = sent_there[-1]
        head = heads.get(key, {})
        if head.get("unreadCount") != len(sent_there):
            yield f"conversation {newest.conversation}: {head.get('unreadCount')} unread, not {len(sent_there)}"
        if head.get("lastMessagePk") != f"MSG#{newest.message_id}":
            yield f"conversation {newest.conversation}: shows another message than its newest"
        in_time = sorted(timelines.get(key, []), key=lambda item: str(item["receivedAt"]))
        if [i["textBody"] for i in in_time] != [sent.text for sent in sent_there]:
            yield f"conversation {newest.conversation}: is in another order than it was written"


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
