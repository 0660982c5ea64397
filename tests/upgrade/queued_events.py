"""
The events on Parley's queues: made by the code that enqueues them, for the record, and handled by today's workers.

A record is `{"queue", "type", "body", "is_handled"}`; *is_handled* is false for an event that was parked when it was
recorded. The records of a context are one story, and are handled in their order in a new world.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from conversations import commands
from events.conversations import cast, twilio
from events.whatsapp.cast import APP_ID, COUNTER
from events.whatsapp.samples import samples
from richpanel.channels import Channel
from richpanel.event import SOURCES
from richpanel.inbound.wakeups import WakeupEvent
from shared.aws.sqs_fifo import Entry, digest
from shared.event_queues import file_entry, inbound_entry
from shared.events import File, FileStored, InboundMessage
from tests.integration.isolation import surfaces, whatsapp_events
from tests.simulation.conversations import stage as conversations_stage
from tests.simulation.conversations.world import World as Conversations
from tests.simulation.richpanel import stage as richpanel_stage
from tests.simulation.richpanel.scenarios import DISPUTE, TICKET, opens
from tests.simulation.richpanel.world import World as HelpDesk
from tests.simulation.stage import running_world
from tests.simulation.whatsapp.evening import announced
from tests.simulation.world import World as Inbox
from whatsapp.event import ANNOUNCED
from whatsapp.store.items.phones import CONVERSATIONS
from whatsapp.worker.media import downloads
from whatsapp.worker.messages import read_receipts

type Record = dict[str, Any]

CHANNELS = ("whatsapp", "sms", "email")
FOLLOW_UPS = frozenset({downloads.KIND, read_receipts.KIND})


@dataclass(frozen=True, kw_only=True)
class Context[W]:
    """
    How the events of a context are made and handled. *types* are those that today's code enqueues.

    *put* enqueues a record, *try_once* lets the workers try each visible event once. *handle* handles one record
    completely, and returns whether it was neither parked nor became a dead letter. *rows* are all stored items.
    """

    running: Callable[[], AbstractContextManager[W]]
    begin: Callable[[W], object]
    make: Callable[[W], Iterator[Record]]
    put: Callable[[W, Record], None]
    try_once: Callable[[W], object]
    handle: Callable[[W, Record], bool]
    rows: Callable[[W], list[dict[str, Any]]]
    types: Callable[[], frozenset[str]]

    def recorded(self, world: W) -> list[Record]:
        """All records, with their outcomes."""
        self.begin(world)
        made = list(self.make(world))
        outcomes = self.handled(world, made)
        return [
            record | {"is_handled": is_handled}
            for record, is_handled in zip(made, outcomes, strict=True)
        ]

    def handled(self, world: W, records: list[Record]) -> list[bool]:
        """Handle the records in a new world."""
        self.begin(world)
        return [self.handle(world, record) for record in records]


def entry_of(record: Record, number: int) -> Entry:
    """The record as a queue entry."""
    return Entry(json.dumps(record["body"]), digest("recorded"), digest("recorded", str(number)))


# WhatsApp


def _begin_inbox(world: Inbox) -> None:
    world.reset(auto_mark_read=True, automation=CONVERSATIONS)


def _make_inbox(world: Inbox) -> Iterator[Record]:
    """The day of the samples, with one of each kind of the worker's own events at its end."""
    for sample in samples():
        world.deliver(sample.event)
        world.work_off()
    world.deliver(announced("wamid.sent-by-parley"))
    made = whatsapp_events.made("identity", whatsapp_events.IDENTITY, "user_id_update")
    number = {"waba": COUNTER.waba, "phone": COUNTER.phone, "displayPhone": COUNTER.display}
    identity = made | number | {"app": APP_ID}
    bodies = [*map(json.loads, world.queue.accepted.values()), identity]
    follow_ups = {body["kind"]: body for body in bodies if body.get("kind") in FOLLOW_UPS}
    for body in (
        *(body for body in bodies if body.get("kind") not in FOLLOW_UPS),
        *follow_ups.values(),
    ):
        yield {"queue": "whatsapp", "type": whatsapp_events.kind_of(body), "body": body}


def _put_inbox(world: Inbox, record: Record) -> None:
    world.deliver(entry_of(record, len(world.queue.accepted)))


def _handle_inbox(world: Inbox, record: Record) -> bool:
    _put_inbox(world, record)
    message_id = list(world.queue.accepted)[-1]
    world.work_off()
    return world.outcomes.get(message_id, "dead") in {"persisted", "duplicate"}


def _types_of_inbox() -> frozenset[str]:
    messages = {f"message/{kind}" for kind in whatsapp_events.message_types()}
    # A message's kind is recorded with its type.
    return whatsapp_events.kinds() - {"message"} | messages


# Conversations


def _make_conversations(world: Conversations) -> Iterator[Record]:
    """First messages on each channel, a talk over SMS, and commands about its conversation."""
    for channel in CHANNELS:
        world.ask(cast.request(channel, f"req-{channel}"))
    contexts = {record["queue"]: record for record in _enqueued(world, "context")}
    yield from contexts.values()
    world.work_off()
    ref = contexts["conversations-sms"]["body"]["conversation_data"]["conversation_ref"]
    (first,) = world.log(ref)
    sid = first["provider_message_id"]
    link = world.row("log", f"OUT#twilio#{sid}", "#") or {}
    world.status(sid, "delivered", link["action_id"])
    world.text("question", "Which shift is it?")
    world.work_off()
    for type_ in ("delivery_status", "inbound_message", "reply_trigger"):
        yield from _enqueued(world, type_)
    for entry in _forwarded(world):
        yield _record("conversations-inbound", entry)
    for command in _commands(ref, first["sk"]):
        yield _record("conversations-sms", commands.entry(command, ref, command.type))


def _enqueued(world: Conversations, type_: str) -> Iterator[Record]:
    for name, queue in world.lanes.queues.items():
        for body in map(json.loads, queue.accepted.values()):
            if body.get("type") == type_:
                yield {"queue": _short(name), "type": type_, "body": body}


def _record(queue: str, entry: Entry) -> Record:
    body = json.loads(entry.body)
    return {"queue": queue, "type": body["type"], "body": body}


def _forwarded(world: Conversations) -> Iterator[Entry]:
    """A reply that the business wrote elsewhere, and a stored file."""
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
    file = File(url=f"s3://{world.bucket}/media/{cast.COMPANY}/1/77/file.jpg", provider_id="77")
    yield file_entry(
        FileStored(
            provider="twilio", provider_message_id=twilio.sid_of("question"), file=file, **known
        )
    )


def _commands(ref: str, message_sk: str) -> Iterator[Any]:
    """One of each command that names a conversation."""
    agent = {"cause": "a-hash", "agent_id": "carol", "principal": "api-key:1"}
    yield commands.Resume(ref=ref)
    yield commands.Resolve(ref=ref)
    yield commands.Notice(ref=ref, notice="help", cause="a-hash")
    yield commands.FetchFiles(ref=ref, message_sk=message_sk)
    yield commands.Lengthen(ref=ref, ttl=1_900_000_000, after=message_sk)
    yield commands.HumanMessage(ref=ref, text="It is the night shift.", **agent)
    yield commands.Release(ref=ref, text="Hello", **agent)


def _handle_conversations(world: Conversations, record: Record) -> bool:
    before = len(world.parked()) + len(world.lanes.dead_letters)
    _put_on_lane(world, record)
    world.work_off()
    return len(world.parked()) + len(world.lanes.dead_letters) == before


def _types_of_conversations() -> frozenset[str]:
    # Announced on the queue of the inbox.
    return (surfaces.shared_events() | surfaces.channel_records()) - {ANNOUNCED}


# Help desk


def _begin_help_desk(world: HelpDesk) -> None:
    world.reset()
    opens(world, DISPUTE)


def _make_help_desk(world: HelpDesk) -> Iterator[Record]:
    """A webhook, and events that Parley queues itself."""
    world.call({"ticket_id": TICKET, "message_id": "m-1"})
    for queue in world.lanes.queues.values():
        for body in queue.accepted.values():
            yield _of_help_desk(json.loads(body))
    for source in ("sweep", "replay"):
        wakeup = WakeupEvent(
            conversation_id=TICKET,
            channel=Channel.EMAIL,
            source=source,
            deduplication="0",
        )
        yield _of_help_desk(json.loads(wakeup.as_entry().body))


def _of_help_desk(body: dict[str, Any]) -> Record:
    return {"queue": "richpanel", "type": body["source"], "body": body}


def _handle_help_desk(world: HelpDesk, record: Record) -> bool:
    _put_on_lane(world, record)
    world.work_off()
    statuses = {row.get("status") for row in world.rows().values()}
    return "parked" not in statuses and not world.lanes.dead_letters


def _types_of_help_desk() -> frozenset[str]:
    return SOURCES


# Several queues


def _put_on_lane(world: Conversations | HelpDesk, record: Record) -> None:
    lane = next(name for name in world.lanes.queues if _short(name) == record["queue"])
    world.lanes.put(lane, entry_of(record, len(world.lanes.queues[lane].accepted)))


def _try_lanes_once(world: Conversations | HelpDesk) -> None:
    for lane, message in world.lanes.receive():
        world.run_worker(lane, message)


def _short(queue: str) -> str:
    """`conversations-sms` of `parley-local-conversations-sms.fifo`."""
    return queue.removeprefix("parley-local-").removesuffix(".fifo")


CONTEXTS: dict[str, Context[Any]] = {
    "whatsapp": Context(
        running=running_world,
        begin=_begin_inbox,
        make=_make_inbox,
        put=_put_inbox,
        try_once=lambda world: world.run_worker(),
        handle=_handle_inbox,
        rows=lambda world: list(world.items().values()),
        types=_types_of_inbox,
    ),
    "conversations": Context(
        running=conversations_stage.running_world,
        begin=lambda world: world.reset(),
        make=_make_conversations,
        put=_put_on_lane,
        try_once=_try_lanes_once,
        handle=_handle_conversations,
        rows=lambda world: list(world.rows().values()),
        types=_types_of_conversations,
    ),
    "richpanel": Context(
        running=richpanel_stage.running_world,
        begin=_begin_help_desk,
        make=_make_help_desk,
        put=_put_on_lane,
        try_once=_try_lanes_once,
        handle=_handle_help_desk,
        rows=lambda world: list(world.rows().values()),
        types=_types_of_help_desk,
    ),
}
