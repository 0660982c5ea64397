"""The events of the queues of conversations: a talk over SMS, other first messages, and all commands."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from conversations.lifecycle.records import commands
from conversations.lifecycle.records.file_download import FileDownload
from events.conversations import sample_data, twilio
from shared.aws.sqs_fifo import Entry
from shared.events.exchange import (
    File,
    FileStored,
    InboundMessage,
    NumberReleased,
    file_entry,
    inbound_entry,
    release_entry,
)
from tests.integration.isolation import surfaces
from tests.simulation.conversations.system import System
from tests.upgrade.queues.context import Record
from tests.upgrade.queues.fifo_queues import FifoQueuesContext, short
from whatsapp.inbound.event import ANNOUNCED

CHANNELS = ("whatsapp", "sms", "email")


class Conversations(FifoQueuesContext[System]):
    """The AI conversations."""

    system = System

    def begin(self, system: System) -> None:
        system.reset()

    def make(self, system: System) -> Iterator[Record]:
        """First messages on each channel, a talk over SMS, and commands about its conversation."""
        for channel in CHANNELS:
            system.ask(sample_data.request(channel, f"req-{channel}"))
        contexts = {record["queue"]: record for record in _enqueued(system, "context")}
        yield from contexts.values()
        system.drain()
        ref = contexts["conversations-sms"]["body"]["conversation_data"]["conversation_ref"]
        (first,) = system.log(ref)
        sid = first["provider_message_id"]
        link = system.row("log", f"OUT#twilio#{sid}", "#") or {}
        system.status(sid, "delivered", link["action_id"])
        system.text("question", "Which shift is it?")
        system.drain()
        picture = {"MediaUrl0": "https://example.com/1", "MediaContentType0": "image/png"}
        system.text("picture", "", NumMedia="1", **picture)
        system.drain()
        types = ("delivery_status", "inbound_message", "reply_trigger", "file_download")
        for type_ in types:
            yield from _enqueued(system, type_)
        for entry in _forwarded(system):
            yield _record("conversations-inbound", entry)
        for command in _commands(ref, first["sk"]):
            yield _record("conversations-sms", commands.entry(command, ref, command.type))

    def types(self) -> frozenset[str]:
        # Announced on the queue of the inbox.
        ours = surfaces.channel_records() | surfaces.words_of(FileDownload)
        return (surfaces.shared_events() | ours) - {ANNOUNCED}

    def handle(self, system: System, record: Record) -> bool:
        before = len(system.parked()) + len(system.fifo_queues.dead_letters)
        self.put(system, record)
        system.drain()
        return len(system.parked()) + len(system.fifo_queues.dead_letters) == before


def _enqueued(system: System, type_: str) -> Iterator[Record]:
    for name, queue in system.fifo_queues.queues.items():
        for body in map(json.loads, queue.accepted.values()):
            if body.get("type") == type_:
                yield {"queue": short(name), "type": type_, "body": body}


def _record(queue: str, entry: Entry) -> Record:
    body = json.loads(entry.body)
    return {"queue": queue, "type": body["type"], "body": body}


def _forwarded(system: System) -> Iterator[Entry]:
    """A reply that the business wrote elsewhere, a stored file, and a number that its customer gave up."""
    known: dict[str, Any] = {
        "account": twilio.ACCOUNT,
        "channel_method": "sms",
        "business_address": twilio.SMS_NUMBER,
    }
    yield inbound_entry(
        InboundMessage(
            type="human_reply",
            provider="twilio",
            provider_message_id="SM-of-a-person",
            customer_address=twilio.CUSTOMER,
            received_at="2026-01-01T12:30:00.000Z",
            kind="text",
            text="One moment, please.",
            **known,
        )
    )
    file = File(
        url=f"s3://{system.bucket}/media/{sample_data.COMPANY}/1/77/file.jpg", provider_id="77"
    )
    yield file_entry(
        FileStored(
            provider="twilio", provider_message_id=twilio.sid_of("question"), file=file, **known
        )
    )
    yield release_entry(
        NumberReleased(
            provider="twilio",
            provider_message_id="SM-of-a-notice",
            customer_address=twilio.CUSTOMER,
            received_at="2026-01-01T12:30:00.000Z",
            **known,
        )
    )


def _commands(ref: str, message_sk: str) -> Iterator[Any]:
    """One of each command that names a conversation."""
    agent = {"cause": "a-hash", "agent_id": "carol", "principal": "api-key:1"}
    yield commands.Resume(ref=ref)
    yield commands.Resolve(ref=ref)
    yield commands.Notice(ref=ref, notice="help", cause="a-hash")
    yield commands.FollowUp(ref=ref, message_sk=message_sk, step=0)
    yield commands.AskSatisfaction(ref=ref)
    yield commands.Shadow(ref=ref, trial_id="1767268800000-00000000", asked=message_sk, once_in="x")
    yield commands.FetchFiles(ref=ref, message_sk=message_sk)
    yield commands.Close(ref=ref)
    yield commands.Lengthen(ref=ref, ttl=1_900_000_000, after=message_sk)
    yield commands.HumanMessage(ref=ref, text="It is the night shift.", **agent)
    yield commands.Release(ref=ref, text="Hello", **agent)
