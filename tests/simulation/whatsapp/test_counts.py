"""A count that crashes or fails at any call is corrected by the next ones: the same hours, the same days."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
from botocore.exceptions import ClientError

from events.whatsapp.sample_data import COUNTER
from shared.runtime.clock import from_text, to_text
from tests.simulation.crashes.disturbances import deaths, failures
from tests.simulation.whatsapp.system import Invocation, Snapshot, System
from whatsapp.store.analytics import changed_hours
from whatsapp.store.items import Message

FIVE_MINUTES_MS = 300_000
INBOX = f"arn:parley:whatsapp:::phone-number-id/{COUNTER.phone}"


@pytest.fixture
def begun(system: System) -> Snapshot:
    """Messages of two hours that were counted before, some of which have moved since; and new ones."""
    system.clock.ms = from_text("2026-01-01T12:00:00.000Z")
    for number, status in enumerate(("sent", "delivered", "read", "failed")):
        write(system, number, status, "2026-01-01T11:59:59.999Z")
    count(system)
    write(system, 0, "read", "2026-01-01T11:59:59.999Z")
    write(system, 5, "sent", "2026-01-01T12:00:00.000Z")
    system.clock.ms = from_text("2026-01-01T13:00:00.000Z")
    return system.snapshot()


def write(system: System, number: int, status: str, at: str) -> None:
    message = Message(
        pk=f"MSG#{number}", company="acme", phone=COUNTER.phone, direction="OUTBOUND", sent_at=at, received_at=at,
        delivery_status=status, from_="1", from_pk="1", conversation_pk="CONV#1#2", inbox_pk=INBOX, type="text",
        payload_hash="x", template="hello", campaign_id="spring",
    )  # fmt: skip
    changed_hours.note(system.table, at)  # as the worker does
    system.table.put(message.attributes())


def count(system: System) -> bool:
    """The next run."""
    system.clock.ms = (system.clock.ms // FIVE_MINUTES_MS + 1) * FIVE_MINUTES_MS
    return system.run_schedule()


def counts(system: System) -> dict[str, Any]:
    """All counts without their times."""
    return {
        key: {name: value for name, value in item.items() if name != "countedAt"}
        for key, item in system.items().items()
        if item["itemType"] in {"HOUR", "ANALYTICS"}
    }


def test_undisturbed_runs_have_these_counts(system: System, begun: Snapshot) -> None:
    assert count(system)
    assert count(system)

    day = counts(system)[f"ANALYTICS#{COUNTER.waba}#2026-01-01"]
    names = ("messagesSent", "messagesDelivered", "messagesRead", "messagesFailed")
    assert [day[name] for name in names] == [5, 3, 2, 1]
    assert day["templatesUsed"] == {"hello": 5}
    hours = {key: item["counts"] for key, item in counts(system).items() if "counts" in item}
    assert hours == {
        f"HOUR#{COUNTER.waba}#2026010111": {"sent": 4, "delivered": 3, "read": 2, "failed": 1},
        f"HOUR#{COUNTER.waba}#2026010112": {"sent": 1},
        "HOUR#spring#2026010111": {"sent": 4, "delivered": 3, "read": 2, "failed": 1},
        "HOUR#spring#2026010112": {"sent": 1},
    }


@pytest.mark.long
def test_a_crash_at_any_call_does_not_change_the_final_state(
    system: System, begun: Snapshot
) -> None:
    clean, calls = undisturbed(system, begun)
    for number, when in deaths(calls):
        system.restore(begun)
        system.interceptor.die_at = (number, when)
        assert not count(system)
        where = f"died {when} call {number}, {system.interceptor.calls[number - 1]}"
        # The retry of the same event, and the next ones: with the stopped clock all counts have the same age.
        system.run_schedule()
        count(system)
        count(system)

        assert counts(system) == clean, where


@pytest.mark.long
def test_a_failing_call_does_not_change_the_final_state(system: System, begun: Snapshot) -> None:
    clean, calls = undisturbed(system, begun)
    for number, fault in failures(calls):
        system.restore(begun)
        system.interceptor.fault_at = (number, fault)
        with suppress(ClientError):  # Lambda runs the event again.
            count(system)
        where = f"{fault} at call {number}, {system.interceptor.calls[number - 1]}"
        system.interceptor.rewind()
        count(system)
        count(system)

        assert counts(system) == clean, where


@dataclass
class ShortRun(Invocation):
    """A run that has time for a few messages only."""

    looks: int = 16  # twelve of them before the counts, in a minute in which payments are looked up

    def get_remaining_time_in_millis(self) -> int:
        self.looks -= 1
        return 60_000 if self.looks >= 0 else 0


@pytest.mark.long
def test_a_crash_in_an_hour_that_needs_several_runs_does_not_change_the_final_counts(
    system: System, begun: Snapshot
) -> None:
    for number in range(10, 14):
        write(system, number, "read", f"2026-01-01T12:00:{number}.000Z")
    begun = system.snapshot()
    clean, _ = undisturbed(system, begun)
    calls = run_with_little_time(system)
    assert counts(system) == clean

    moments = deaths(calls)
    assert len(moments) > 8
    for number, when in moments:
        system.restore(begun)
        system.interceptor.die_at = (number, when)
        run_with_little_time(system)

        assert counts(system) == clean, f"died {when} call {number}, {calls[number - 1]}"


def run_with_little_time(system: System) -> list[str]:
    """Runs with little time, every ten minutes, then two with enough; return the calls of the first ones."""
    system.clock.ms = from_text("2026-01-01T13:05:00.000Z")
    for _ in range(3):
        if not system.run_schedule(ShortRun()):
            system.run_schedule(ShortRun())  # EventBridge's event again
        system.clock.ms += 2 * FIVE_MINUTES_MS
    calls = list(system.interceptor.calls)
    count(system)
    count(system)
    return calls


def undisturbed(system: System, begun: Snapshot) -> tuple[dict[str, Any], list[str]]:
    """The counts of undisturbed runs, and the calls of the first one."""
    system.restore(begun)
    assert count(system)
    calls = list(system.interceptor.calls)
    count(system)
    assert to_text(system.clock.ms) == "2026-01-01T13:10:00.000Z"
    clean = counts(system)
    system.restore(begun)
    return clean, calls
