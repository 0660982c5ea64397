"""Follow-ups, scheduled first messages and opening hours in nights in which clocks are changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from events.conversations import sample_data
from shared.runtime import clock
from tests.integration.conversations.steps import HOUR_MS, start_conversation, texts_by, write

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

BERLIN, NEW_YORK, SYDNEY, KOLKATA = "+4930901820", "+12127365000", "+61293744000", "+912223456789"
STEP = "Are you still there?"
MINUTE_MS = 60_000


def ms(text: str) -> int:
    return clock.from_text(f"{text}:00.000Z")


def begin(system: System, at: str, number: str, after_hours: int, **changes: Any) -> str:
    """A first message at a time in UTC, and one follow-up after so many hours."""
    system.clock.ms = ms(at)
    system.change(
        follow_ups=[{"after_hours": after_hours, "text": STEP}],
        policy={"initiated_per_day": 9, "initiated_per_week": 9} | changes,
    )
    return start_conversation(system, recipient_tel=number)


def wait_until(system: System, at_ms: int) -> None:
    """Let the time pass, with runs of the schedule each two hours and at the end."""
    while (left := at_ms - system.clock.ms) > 0:
        system.advance(min(left, 2 * HOUR_MS))
        system.sweep()
        system.drain()


@pytest.mark.parametrize(
    ("number", "begun", "free"),
    [
        # In the evening at 20:00; two hours later it is quiet until 8:00 by the new time.
        pytest.param(BERLIN, "2026-03-28T19:00", "2026-03-29T06:00", id="Berlin in spring"),
        pytest.param(BERLIN, "2026-10-24T18:00", "2026-10-25T07:00", id="Berlin in autumn"),
        pytest.param(NEW_YORK, "2026-03-08T01:00", "2026-03-08T12:00", id="New York in spring"),
        pytest.param(NEW_YORK, "2026-11-01T00:00", "2026-11-01T13:00", id="New York in autumn"),
        pytest.param(SYDNEY, "2026-10-03T10:00", "2026-10-03T21:00", id="Sydney in spring"),
        pytest.param(SYDNEY, "2026-04-04T09:00", "2026-04-04T22:00", id="Sydney in autumn"),
        pytest.param(KOLKATA, "2026-03-28T14:30", "2026-03-29T02:30", id="no change in India"),
    ],
)
def test_a_follow_up_waits_for_the_morning_by_the_new_time(
    system: System, number: str, begun: str, free: str
) -> None:
    ref = begin(system, begun, number, 2)

    wait_until(system, ms(free) - MINUTE_MS)
    assert texts_by(system, ref, "system") == []
    wait_until(system, ms(free) + MINUTE_MS)
    assert texts_by(system, ref, "system") == [STEP]


@pytest.mark.parametrize("begun", ["2026-03-28T12:00", "2026-10-24T12:00", "2026-11-14T12:00"])
def test_the_hours_of_a_silence_are_real_ones_on_days_of_23_and_25_hours(
    system: System, begun: str
) -> None:
    ref = begin(system, begun, BERLIN, 24)

    wait_until(system, ms(begun) + 24 * HOUR_MS - MINUTE_MS)
    assert texts_by(system, ref, "system") == []
    wait_until(system, ms(begun) + 24 * HOUR_MS + MINUTE_MS)
    assert texts_by(system, ref, "system") == [STEP]


@pytest.mark.parametrize(
    ("start", "end"), [("21:00", "02:30"), ("21:00", "03:00"), ("02:00", "03:00")]
)
@pytest.mark.parametrize("night", ["2026-03-28T20:30", "2026-10-24T19:30"])
def test_quiet_hours_that_end_in_the_changed_hour_end_once(
    system: System, night: str, start: str, end: str
) -> None:
    ref = begin(system, night, BERLIN, 4, quiet_hours=[start, end])

    wait_until(system, ms(night) + 12 * HOUR_MS)

    assert texts_by(system, ref, "system") == [STEP]


@pytest.mark.parametrize(
    ("at", "free"),
    [
        ("2026-03-29T02:30:00+01:00", "2026-03-29T06:00"),
        ("2026-10-25T02:30:00+02:00", "2026-10-25T07:00"),
        ("2026-10-25T02:30:00+01:00", "2026-10-25T07:00"),
    ],
)
def test_a_first_message_that_is_scheduled_for_the_changed_hour_waits_for_the_morning(
    system: System, at: str, free: str
) -> None:
    system.clock.ms = ms(free) - 24 * HOUR_MS
    payload = sample_data.request()
    payload["recipient_data"]["recipient_tel"] = BERLIN
    payload["request_data"]["send_at"] = at
    status, answer = system.ask(payload)
    assert status == 200, answer
    ref = str(answer["conversation_ref"])
    system.drain()

    wait_until(system, ms(free) - MINUTE_MS)
    assert texts_by(system, ref) == []
    wait_until(system, ms(free) + MINUTE_MS)
    assert len(texts_by(system, ref)) == 1


@pytest.mark.parametrize(
    ("day", "zone", "before", "opened"),
    [
        ("2026-03-29", "Europe/Berlin", "06:59", "07:01"),
        ("2026-10-25", "Europe/Berlin", "07:59", "08:01"),
        ("2026-03-08", "America/New_York", "12:59", "13:01"),
        ("2026-11-01", "America/New_York", "13:59", "14:01"),
        ("2026-10-03", "Australia/Sydney", "21:59", "22:01"),
    ],
)
def test_opening_hours_begin_by_the_new_time(
    system: System, day: str, zone: str, before: str, opened: str
) -> None:
    every_day = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    hours = {
        "time_zone": zone,
        "periods": [{"days": every_day, "start": "09:00", "end": "17:00"}],
        "outside": "hand_off",
    }
    system.clock.ms = ms(f"{day}T12:00") - 24 * HOUR_MS
    ref = start_conversation(system)
    system.change(opening_hours=hours)

    system.clock.ms = ms(f"{day}T{opened}")
    write(system, "Which shift is it?", "open")
    assert system.conversation(ref)["conversation_status"] == "reply_sent"
    system.clock.ms = ms(f"{day}T{before}") + 24 * HOUR_MS
    write(system, "And where is it?", "closed")
    assert system.conversation(ref)["conversation_status"] == "handoff_pending"
