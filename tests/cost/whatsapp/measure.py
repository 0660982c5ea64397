"""Measures every kind of event in conversations of several lengths."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING
from unittest import mock

from events.whatsapp.sample_data import COUNTER
from local.sandbox.accounts.media import BUILT_IN, JPEG_IMAGE, OGG_VOICE
from tests.cost.units.meter import Bill, Meter, unlogged
from tests.cost.whatsapp.kinds import (
    EVENTS,
    KINDS,
    Figures,
    Kind,
    Request,
    a_warm_up,
    media_id,
    older,
    voice_id,
)
from tests.simulation import stored
from tests.simulation.interceptor import READS
from tests.simulation.queues.fifo import DEDUPLICATION_MS
from tests.simulation.whatsapp.system import registered
from tests.simulation.whatsapp.voice_scenarios import with_a_transcriber
from whatsapp import store
from whatsapp.inbound.event import TRANSCRIPTION
from whatsapp.store.analytics import changed_hours
from whatsapp.store.items import Phone
from whatsapp.store.items.accounts.phones import CONVERSATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.simulation.simulated_system import Key
    from tests.simulation.whatsapp.system import Snapshot, System

WRITES = frozenset({"dynamodb.PutItem", "dynamodb.UpdateItem", "dynamodb.DeleteItem"})
# By length of the conversation, then by name of the kind, or of its follow-up.
type Measured = dict[int, dict[str, Figures]]


def measure(system: System, lengths: Sequence[int]) -> Measured:
    """The figures of every kind at each length: so many messages of the customer exist before the measured ones."""
    meter = Meter(system.reset())
    for n in range(EVENTS + 1):
        file = replace(BUILT_IN[JPEG_IMAGE], media_id=media_id(n))
        system.sandbox.media[file.media_id] = file
        voice = replace(BUILT_IN[OGG_VOICE], media_id=voice_id(n))
        system.sandbox.media[voice.media_id] = voice
    found: Measured = {}
    # The samples are of an earlier hour than the clock. Real events arrive in the hour of their message, except a few
    # statuses: each is a read unit more.
    on_time = mock.patch.object(changed_hours, "note", return_value=None)
    with unlogged(), on_time:
        for length, snapshot in growing(system, lengths):
            found[length] = {}
            for kind in KINDS:
                if kind.is_automated:
                    store.phones.register(
                        system.table, registered(COUNTER, automation=CONVERSATIONS)
                    )
                if kind.words is not None:
                    with_a_transcriber(system)
                found[length] |= _figures(system, meter, kind)
                system.restore(snapshot, _written(system))
    return found


def growing(system: System, lengths: Sequence[int]) -> Iterator[tuple[int, Snapshot]]:
    """The system with a conversation of each length, every message of it handled by the worker."""
    there = 0
    for length in sorted(lengths):
        for first in range(there, length, EVENTS):
            assert system.deliver(older(first, min(first + EVENTS, length)))
            system.run_worker()
        assert not system.queue.messages
        there = length
        snapshot = system.snapshot()
        system.restore(snapshot, written=())
        yield length, snapshot


def _written(system: System) -> set[Key]:
    """The keys of all items written since the system's last reset."""
    calls = [
        call.partition(" ") for call in system.interceptor.calls if call.startswith("dynamodb.")
    ]
    assert {name for name, _, _ in calls} <= WRITES | READS, "a call with unknown keys"
    keys = {key for name, _, key in calls if name in WRITES} | {Phone.key(COUNTER.phone)}
    spent = stored.items_by_key(
        system.tables["spending"]
    )  # few, and their keys are not in the names of calls
    return {("messages", key) for key in keys} | {("spending", *key) for key, _ in spent}


def _figures(system: System, meter: Meter, kind: Kind) -> dict[str, Figures]:
    """The costs of an event of this kind, and of the follow-up that it causes."""
    for make in kind.after:
        _bring_in(system, [make(n) for n in range(EVENTS)])
    # The queue's deduplication interval has passed, so a repetition reaches the worker; and the functions are warm:
    # secrets and the number are in their caches, for five minutes and one.
    system.clock.sleep(DEDUPLICATION_MS / 1_000)
    _bring_in(system, [a_warm_up()])

    bills: dict[str, Bill] = {kind.name: Bill()}
    for n in range(EVENTS):
        bills[kind.name] += meter.deliver(kind.make(n))
    while batch := system.queue.receive(EVENTS):
        assert len(batch) == (1 if batch[0].standard else EVENTS)
        sources = {json.loads(message.body).get("source") for message in batch}
        assert len(sources) == 1, (
            "follow-ups in one batch with the events that cause them cannot be told apart"
        )
        is_follow_up = sources == {"parley"}
        name = kind.name
        if is_follow_up:
            is_of_words = json.loads(batch[0].body)["kind"] == TRANSCRIPTION
            follow_up = kind.words if is_of_words else kind.follow_up
            assert follow_up, f"{kind.name} has a follow-up that is not declared"
            name = follow_up.name
        bills[name] = bills.get(name, Bill()) + meter.work(batch)
        outcomes = {system.outcomes[message.message_id] for message in batch}
        assert outcomes == {"persisted" if is_follow_up else kind.outcome}, kind.name
    return {name: _per_event(bill) for name, bill in bills.items()}


def _bring_in(system: System, requests: list[Request]) -> None:
    for request in requests:
        assert system.deliver(request)
    system.drain()


def _per_event(bill: Bill) -> Figures:
    """The usual event, with its share of the batch's common costs; and the most expensive one."""
    usual, _ = Counter(bill.events).most_common(1)[0]
    writes = [[units.write for units in event.units if units.write] for event in bill.events]
    count = len(bill.events)
    shared = Counter({name: calls / count for name, calls in Counter(bill.shared).items()})
    calls = {
        name: usual.calls.count(name) + shared[name]
        for name in {*usual.calls, *shared}
        if not name.startswith("HTTP.")
    }
    lines = bill.log.splitlines()
    metrics = [line for line in lines if line.startswith('{"_aws":')]
    return Figures(
        write_units=sum(units.write for units in usual.units),
        most_expensive=max(map(sum, writes)),
        most_writes=max(map(len, writes)),
        read_units=sum(units.read for units in usual.units),
        requests=round(sum(calls.values()), 2),
        sqs=round(sum(n for name, n in calls.items() if name.startswith("sqs.")), 2),
        log_lines=(len(lines) - len(metrics)) / count,
        metric_lines=len(metrics) / count,
        log_bytes=ceil(len(bill.log.encode()) / count),
    )
