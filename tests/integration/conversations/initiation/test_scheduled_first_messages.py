"""First messages with a time: accepted at once, sent when they are due, and not if anything has ended them before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from events.conversations import sample_data
from shared.runtime import clock
from tests.integration.conversations.steps import DAY_MS, HOUR_MS, release, status_of, texts_by

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def schedule(system: System, after_ms: int) -> str:
    """Request a first message that is due later; returns the `ref`."""
    payload: dict[str, Any] = sample_data.request("sms")
    payload["request_data"]["send_at"] = clock.to_text(system.clock.ms + after_ms)
    ref = str(system.request(payload)["conversation_ref"])
    system.drain()
    return ref


def sweep(system: System, after_ms: int) -> None:
    system.advance(after_ms)
    system.sweep()
    system.drain()


def test_a_scheduled_first_message_is_sent_at_its_time(system: System) -> None:
    ref = schedule(system, 2 * HOUR_MS)
    assert status_of(system, ref) == ("deferred", "scheduled")

    sweep(system, 2 * HOUR_MS - 1_000)
    assert texts_by(system, ref) == []
    sweep(system, 2_000)

    assert len(texts_by(system, ref)) == 1
    assert status_of(system, ref) == ("initial_message_sent", None)


def test_it_waits_for_the_end_of_quiet_hours_at_its_time(system: System) -> None:
    ref = schedule(system, 10 * HOUR_MS)

    sweep(system, 10 * HOUR_MS + 1_000)

    assert status_of(system, ref) == ("deferred", "quiet_hours")


def test_a_closed_conversation_sends_nothing_at_its_time(system: System) -> None:
    ref = schedule(system, 2 * HOUR_MS)
    system.call_admin_api("POST /conversations/{ref}/close", {}, ref=ref)

    sweep(system, 2 * HOUR_MS + 1_000)

    assert texts_by(system, ref) == []


def test_an_agent_may_release_it_before_its_time(system: System) -> None:
    ref = schedule(system, 2 * HOUR_MS)

    release(system, ref)
    sweep(system, 3 * HOUR_MS)

    assert len(texts_by(system, ref)) == 1


def test_safe_mode_at_its_time_delays_it_as_long_as_any_first_message(system: System) -> None:
    ref = schedule(system, 2 * DAY_MS)
    system.switch(safe_mode="true")
    sweep(system, 2 * DAY_MS + 1_000)
    assert status_of(system, ref) == ("deferred", "safe_mode")

    system.switch(safe_mode="false")
    sweep(system, HOUR_MS)

    assert len(texts_by(system, ref)) == 1


def test_its_items_live_until_the_retention_after_its_time(system: System) -> None:
    ref = schedule(system, 80 * DAY_MS)

    days = (system.state(ref)["ttl"] * 1_000 - system.clock.ms) / DAY_MS
    assert round(days) == 80 + 365
