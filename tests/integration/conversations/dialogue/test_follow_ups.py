"""Follow-ups: a customer who does not answer gets the project's steps, each once, until anything happens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle.records.commands import FollowUp
from events.conversations import sample_data
from tests.integration.conversations.steps import (
    DAY_MS,
    HOUR_MS,
    at,
    enqueue,
    status_of,
    take_over,
    texts_by,
    write,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

STEPS = [
    {"after_hours": 2, "text": {"en": "Are you still there?", "de": "Sind Sie noch da?"}},
    {"after_hours": 1, "text": "Shall we close this?", "template": "still_there"},
]
FIRST, SECOND = "Are you still there?", "Shall we close this?"


def begin(system: System, channel: str = "sms", **changes: Any) -> str:
    """A conversation whose first message is sent; the project has follow-ups."""
    system.change(
        follow_ups=STEPS, policy={"initiated_per_day": 9, "initiated_per_week": 9} | changes
    )
    return system.begin(channel)


def wait(system: System, milliseconds: int) -> None:
    """Let the time pass, with a run of the schedule at its end."""
    system.advance(milliseconds)
    system.sweep()
    system.drain()


def follow_ups(system: System, ref: str) -> list[str]:
    return texts_by(system, ref, "system")


def test_a_silent_customer_gets_each_step_once_after_its_hours(system: System) -> None:
    ref = begin(system)

    wait(system, 2 * HOUR_MS - 1_000)
    assert follow_ups(system, ref) == []
    wait(system, 2_000)
    assert follow_ups(system, ref) == [FIRST]
    wait(system, HOUR_MS)
    assert follow_ups(system, ref) == [FIRST, SECOND]
    wait(system, 2 * DAY_MS)
    assert follow_ups(system, ref) == [FIRST, SECOND]
    assert status_of(system, ref) == ("initial_message_sent", None)
    assert system.due_at() == []


def test_an_answer_ends_the_steps_and_the_next_silence_begins_with_the_first_one(
    system: System,
) -> None:
    ref = begin(system)
    wait(system, HOUR_MS)

    write(system, "Which shift is it?")
    answers = texts_by(system, ref)
    wait(system, HOUR_MS + 60_000)
    assert follow_ups(system, ref) == []

    wait(system, HOUR_MS)
    assert follow_ups(system, ref) == [FIRST]
    assert texts_by(system, ref) == answers


def test_a_customer_is_followed_up_in_the_language_that_they_write(system: System) -> None:
    ref = begin(system)
    write(system, "Guten Tag, welche Schicht ist es denn bitte?")

    wait(system, 2 * HOUR_MS + 60_000)

    assert follow_ups(system, ref) == ["Sind Sie noch da?"]


@pytest.mark.parametrize(
    "what", ["opt-out", "hand-off", "close", "setting", "failure", "automation"]
)
def test_nothing_is_sent_after_anything_that_ends_the_wait(system: System, what: str) -> None:
    ref = begin(system)
    match what:
        case "opt-out":  # recorded elsewhere: the conversation has not changed
            elsewhere = {"recipient": sample_data.CANDIDATE, "channels": ["*"], "evidence": "form"}
            system.call_admin_api("POST /opt-outs", elsewhere)
        case "hand-off":
            take_over(system, ref)
        case "close":
            system.call_admin_api("POST /conversations/{ref}/close", {}, ref=ref)
        case "setting":
            system.change(follow_ups=[])
        case "failure":
            sent = next(m for m in system.log(ref) if m["role"] == "assistant")
            system.status(sent["provider_message_id"], "undelivered", ErrorCode="30008")
        case "automation":
            system.switch(automation_enabled="false")

    wait(system, 3 * DAY_MS)

    assert follow_ups(system, ref) == []
    assert system.due_at() == []


def test_a_step_waits_for_the_end_of_quiet_hours_and_of_caps(system: System) -> None:
    system.clock.ms = at("20:00")
    ref = begin(system, initiated_per_day=2)

    wait(system, 2 * HOUR_MS + 60_000)
    assert follow_ups(system, ref) == []
    system.clock.ms = at("08:00") + DAY_MS + 60_000
    wait(system, 0)
    assert follow_ups(system, ref) == [FIRST]

    wait(system, HOUR_MS)  # the first message and this step are the two of a day
    assert follow_ups(system, ref) == [FIRST]
    wait(system, DAY_MS)
    assert follow_ups(system, ref) == [FIRST, SECOND]


def test_outside_the_window_of_whatsapp_a_step_sends_its_template_or_nothing(
    system: System,
) -> None:
    ref = begin(system, "whatsapp")  # the customer has not written: no window

    wait(system, 2 * HOUR_MS + 60_000)
    assert follow_ups(system, ref) == []  # the first step has no template

    system.change(follow_ups=STEPS[1:])
    write_whatsapp(system)
    wait(system, HOUR_MS + 60_000)
    assert follow_ups(system, ref) == [SECOND]  # within the window

    system.change(follow_ups=[{**STEPS[1], "after_hours": 48}])
    write_whatsapp(system, "again")
    wait(system, 2 * DAY_MS + 60_000)
    newest = system.log(ref)[-1]
    assert (newest["template"], newest["turn_kind"]) == ("still_there", "follow_up")


def write_whatsapp(system: System, name: str = "w") -> None:
    system.whatsapp(name, "Which shift is it?")
    system.drain()


def test_a_template_that_cannot_be_filled_is_shown_as_failed(system: System) -> None:
    system.change(follow_ups=[{"after_hours": 1, "template": "invitation"}])
    ref = system.begin("whatsapp")

    wait(system, HOUR_MS + 60_000)

    newest = system.log(ref)[-1]
    assert (newest["delivery_status"], newest["error_code"]) == ("failed", "template_incomplete")
    assert status_of(system, ref) == ("initial_message_sent", None)


def test_a_record_that_is_delivered_again_sends_no_step_twice(system: System) -> None:
    ref = begin(system)
    first = system.log(ref)[0]["sk"]
    wait(system, 2 * HOUR_MS + 60_000)

    enqueue(system, FollowUp(ref=ref, message_sk=first, step=0), ref, "again")

    assert follow_ups(system, ref) == [FIRST]
    assert len(system.due_at()) == 1  # the next step stays scheduled
