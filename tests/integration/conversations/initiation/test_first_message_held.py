"""First messages that are blocked, deferred or held for agents, and their release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from events.conversations import sample_data
from tests.integration.conversations.steps import (
    HOUR_MS,
    MINUTE_MS,
    at,
    release,
    start_conversation,
    status_of,
    texts_by,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

LONDON = "+442079460123"
NEW_YORK = "+12125550123"


# Blocked


def test_without_consent_no_text_is_composed_or_sent(system: System) -> None:
    ref = start_conversation(system, comms_consent=False)

    assert status_of(system, ref) == ("blocked", "no_consent")
    assert (
        system.conversation(ref)["comms_consent"],
        system.conversation(ref)["task_complete"],
    ) == (
        False,
        0,
    )
    assert (system.log(ref), system.sent(), system.due_at()) == ([], [], [])
    assert system.row("log", f"OPEN#{sample_data.COMPANY}#{sample_data.PROJECT}", ref) is None


def test_a_customer_who_opted_out_on_one_channel_gets_no_first_message_on_another(
    system: System,
) -> None:
    start_conversation(system, "sms")
    system.text("s", "STOP")
    system.drain()
    before = len(system.sent())

    ref = start_conversation(system, "email", "req-2")

    assert status_of(system, ref) == ("blocked", "opted_out")
    assert len(system.sent()) == before


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"project_status": "inactive"}, "project_inactive"),
        ({"allowed_channels": ["email"]}, "channel_not_allowed"),
    ],
)
def test_a_switch_turned_off_while_a_request_waits_blocks_it(
    system: System, change: dict[str, Any], reason: str
) -> None:
    _, answer = system.ask(sample_data.request("sms"))
    system.set_up(sample_data.project(**change))

    system.drain()

    assert status_of(system, answer["conversation_ref"]) == ("blocked", reason)
    assert system.sent() == []


def test_a_blocked_first_message_is_released_once_the_reason_is_gone(system: System) -> None:
    _, answer = system.ask(sample_data.request("sms"))
    ref = answer["conversation_ref"]
    system.set_up(sample_data.project(project_status="inactive"))
    system.drain()
    release(system, ref, "too early")
    assert status_of(system, ref) == ("blocked", "project_inactive")

    system.set_up(sample_data.project())
    release(system, ref, "now")

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert len(system.sent()) == 1


# Deferred


def test_at_night_a_first_sms_waits_for_the_morning(system: System) -> None:
    system.clock.ms = at("22:30")

    ref = start_conversation(system, recipient_tel=LONDON)

    assert status_of(system, ref) == ("deferred", "quiet_hours")
    assert system.due_at() == ["2026-01-02T08:00:00.000Z"]
    assert (system.log(ref), system.sent()) == ([], [])


def test_a_deferred_sms_is_sent_in_the_morning_and_is_no_longer_due(system: System) -> None:
    system.clock.ms = at("22:30")
    ref = start_conversation(system, recipient_tel=LONDON)

    system.settle()

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert system.log(ref)[0]["message_timestamp"].startswith("2026-01-02T08:00:")
    assert system.due_at() == []
    assert system.changes(ref) == ["deferred", "processing", "initial_message_sent"]


def test_quiet_hours_follow_the_recipients_time_zone(system: System) -> None:
    ref = start_conversation(system, recipient_tel=NEW_YORK)

    assert status_of(system, ref) == ("deferred", "quiet_hours")
    assert system.due_at() == ["2026-01-01T13:00:00.000Z"]


def test_quiet_hours_follow_the_projects_time_zone_if_the_number_has_none(system: System) -> None:
    system.set_up(sample_data.project(timezone="Asia/Tokyo"))

    ref = start_conversation(system, recipient_tel=sample_data.CANDIDATE)

    assert status_of(system, ref) == ("deferred", "quiet_hours")
    assert system.due_at() == ["2026-01-01T23:00:00.000Z"]


def test_email_ignores_quiet_hours(system: System) -> None:
    system.clock.ms = at("22:30")

    assert status_of(system, start_conversation(system, "email"))[0] == "initial_message_sent"


def test_a_project_may_have_other_quiet_hours_or_none(system: System) -> None:
    system.set_up(sample_data.project(policy={"quiet_hours": ["11:00", "12:30"]}))
    assert status_of(system, start_conversation(system, recipient_tel=LONDON)) == (
        "deferred",
        "quiet_hours",
    )

    system.set_up(sample_data.project(policy={"quiet_hours": None}))
    system.clock.ms = at("23:00")
    assert (
        status_of(system, start_conversation(system, request_id="req-2", recipient_tel=LONDON))[0]
        == "initial_message_sent"
    )


def test_a_third_conversation_of_a_day_with_the_same_person_is_deferred_to_the_next_day(
    system: System,
) -> None:
    start_conversation(system)
    system.clock.ms += HOUR_MS
    start_conversation(system, request_id="req-2")
    system.clock.ms += HOUR_MS

    ref = start_conversation(system, request_id="req-3")
    assert status_of(system, ref) == ("deferred", "frequency_cap")
    assert system.due_at()[0].startswith("2026-01-02T12:00:")

    system.settle()
    assert status_of(system, ref)[0] == "initial_message_sent"
    assert len(system.sent()) == 3


def test_a_project_may_set_a_lower_limit_of_conversations(system: System) -> None:
    system.set_up(sample_data.project(policy={"initiated_per_day": 1}))
    start_conversation(system)

    assert status_of(system, start_conversation(system, request_id="req-2")) == (
        "deferred",
        "frequency_cap",
    )


@pytest.mark.parametrize("limit", ["initiated_per_day", "initiated_per_week"])
def test_a_limit_of_zero_conversations_sends_none_until_it_is_raised(
    system: System, limit: str
) -> None:
    system.set_up(sample_data.project(policy={limit: 0, "quiet_hours": None}))
    ref = start_conversation(system)

    assert status_of(system, ref) == ("blocked", "frequency_cap")
    assert (system.log(ref), system.sent(), system.due_at()) == ([], [], [])

    system.change(policy={limit: 1, "quiet_hours": None})
    release(system, ref)
    assert status_of(system, ref)[0] == "initial_message_sent"


def test_in_safe_mode_first_messages_wait_and_are_sent_when_it_ends(system: System) -> None:
    system.switch(safe_mode="true")
    ref = start_conversation(system)
    assert status_of(system, ref) == ("deferred", "safe_mode")

    system.advance(20 * MINUTE_MS)
    system.sweep()
    system.drain()
    assert status_of(system, ref) == ("deferred", "safe_mode")

    system.switch(safe_mode="false")
    system.settle()
    assert status_of(system, ref)[0] == "initial_message_sent"


def test_a_day_of_safe_mode_blocks_deferred_messages(system: System) -> None:
    system.switch(safe_mode="true")
    ref = start_conversation(system)

    system.clock.ms += 24 * HOUR_MS
    system.sweep()
    system.drain()
    system.switch(safe_mode="false")

    assert status_of(system, ref) == ("blocked", "safe_mode")
    assert system.sent() == []


def test_a_switch_with_an_unknown_value_is_off(system: System) -> None:
    system.switch(safe_mode="no")

    assert status_of(system, start_conversation(system)) == ("deferred", "safe_mode")


def test_without_automation_a_first_message_waits_for_an_agent(system: System) -> None:
    system.switch(automation_enabled="false")

    ref = start_conversation(system)

    assert status_of(system, ref) == ("handoff_pending", "automation_off")
    assert (system.log(ref), system.sent()) == ([], [])


# Review by an agent


@pytest.mark.parametrize(
    ("listed", "is_held"),
    [
        ([], True),
        ([sample_data.CANDIDATE], True),
        (["07700 900123"], True),  # of the project's region
        (["+447700900999"], False),
        (["no number"], False),
    ],
)
def test_the_flag_holds_all_first_messages_or_those_on_its_list(
    system: System, listed: list[str], is_held: bool
) -> None:
    rule = {"auto_queue_initial_message": True, "auto_queue_initial_message_from_number": listed}
    system.set_up(sample_data.project(**rule))

    ref = start_conversation(system)

    held = ("handoff_pending", "initial_review")
    assert (status_of(system, ref) == held) == is_held
    assert (system.sent() == []) == is_held


def test_a_review_list_without_its_flag_has_no_effect(system: System) -> None:
    system.set_up(
        sample_data.project(auto_queue_initial_message_from_number=[sample_data.CANDIDATE])
    )

    assert status_of(system, start_conversation(system))[0] == "initial_message_sent"


def test_the_list_of_addresses_applies_to_mail_in_any_letter_case(system: System) -> None:
    rule = {
        "auto_queue_initial_message": True,
        "auto_queue_initial_message_from_number": [sample_data.CANDIDATE],
        "auto_queue_initial_message_from_email": ["Other@Example.com"],
    }
    system.set_up(sample_data.project(**rule))
    assert status_of(system, start_conversation(system, "email"))[0] == "initial_message_sent"

    rule["auto_queue_initial_message_from_email"] = ["ANN.DOE@example.com"]
    system.set_up(sample_data.project(**rule))
    assert status_of(system, start_conversation(system, "email", "req-2"))[0] == "handoff_pending"


def test_a_first_message_under_review_is_shown_to_agents(system: System) -> None:
    system.set_up(sample_data.project(auto_queue_initial_message=True))

    item = system.conversation(start_conversation(system))

    assert item["hand_off_to_human"] is True
    assert item["hand_off_to_human_reason"] == "initial_review"
    assert item["task_complete"] == 0


def test_a_reviewed_first_message_is_released_once(system: System) -> None:
    system.set_up(sample_data.project(auto_queue_initial_message=True))
    ref = start_conversation(system)

    release(system, ref)
    system.clock.ms += HOUR_MS
    release(system, ref)

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert len(system.sent()) == len(system.log(ref)) == 1
    assert system.changes(ref) == ["handoff_pending", "processing", "initial_message_sent"]


def test_a_release_evaluates_the_policy_again(system: System) -> None:
    system.set_up(sample_data.project(auto_queue_initial_message=True))
    ref = start_conversation(system, comms_consent=False)

    release(system, ref)

    assert status_of(system, ref) == ("blocked", "no_consent")
    assert system.sent() == []


def test_a_deferred_message_is_held_for_agents_when_automation_is_switched_off(
    system: System,
) -> None:
    system.clock.ms = at("22:30")
    ref = start_conversation(system, recipient_tel=LONDON)

    system.switch(automation_enabled="false")
    system.settle()

    assert status_of(system, ref) == ("handoff_pending", "automation_off")
    assert system.due_at() == []


# An agent's text


# A placeholder, a link, a number and an address of others, another language, and text that resembles a secret.
ODD = (
    "Hallo [Ihr Name], wir haben die Stelle noch und freuen uns, wenn Sie sich melden: https://elsewhere.example/x"
    " oder +44 7700 900999, eve@other.example, TODO, sk-abcdefghijklmnopqrstuvwxyz0123456789"
)


@pytest.mark.parametrize("channel", ["sms", "email"])
def test_an_agents_text_is_sent_unchanged_without_the_models_guardrails(
    system: System, channel: str
) -> None:
    channels = sample_data.project()["channel_config"]
    sms = channels["sms"] | {"max_segments": 4}
    system.change(auto_queue_initial_message=True, channel_config=channels | {"sms": sms})
    ref = start_conversation(system, channel)

    release(system, ref, text=ODD)

    assert texts_by(system, ref, "human:eve") == [ODD]
    assert len(system.sent()) == 1


def test_an_agents_first_message_respects_quiet_hours(system: System) -> None:
    system.change(auto_queue_initial_message=True)
    system.clock.ms = at("22:30")
    ref = start_conversation(system, recipient_tel=LONDON)

    release(system, ref, text="Hello Ann, it is me, Eve.")

    (message,) = system.log(ref)
    assert (message["delivery_status"], message["error_code"]) == ("blocked", "quiet_hours")
    assert status_of(system, ref) == ("handoff_pending", "initial_review")

    system.clock.ms += 10 * HOUR_MS
    release(system, ref, "in the morning", text="Hello Ann, it is me, Eve.")
    assert len(system.sent()) == 1


def test_an_agent_may_answer_a_customer_in_quiet_hours(system: System) -> None:
    system.change(auto_queue_initial_message=True)
    system.clock.ms = at("22:30")
    ref = start_conversation(system, recipient_tel=LONDON)
    system.text("m", "Are you there?", From=LONDON)
    system.drain()
    system.clock.ms += HOUR_MS

    release(system, ref, text="Yes, it is me, Eve.")

    assert len(system.sent()) == 1


def test_conversations_that_agents_begin_count_toward_the_same_limit(system: System) -> None:
    system.change(auto_queue_initial_message=True)
    for number in range(3):
        system.clock.ms += HOUR_MS
        ref = start_conversation(system, request_id=f"req-{number}")
        release(system, ref, text="Hello Ann, it is me, Eve.")

    (message,) = system.log(ref)
    assert (message["delivery_status"], message["error_code"]) == ("blocked", "frequency_cap")
    assert len(system.sent()) == 2
