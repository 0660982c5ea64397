"""First messages that are blocked, deferred or held for agents, and their release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from events.conversations import cast
from tests.integration.conversations.acts import (
    HOUR_MS,
    MINUTE_MS,
    at,
    release,
    stands,
    start_conversation,
    texts_by,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

LONDON = "+442079460123"
NEW_YORK = "+12125550123"


# Blocked


def test_without_consent_no_text_is_composed_or_sent(world: World) -> None:
    ref = start_conversation(world, comms_consent=False)

    assert stands(world, ref) == ("blocked", "no_consent")
    assert (world.conversation(ref)["comms_consent"], world.conversation(ref)["task_complete"]) == (
        False,
        0,
    )
    assert (world.log(ref), world.sent(), world.due_at()) == ([], [], [])
    assert world.row("log", f"OPEN#{cast.COMPANY}#{cast.PROJECT}", ref) is None


def test_a_customer_who_opted_out_on_one_channel_gets_no_first_message_on_another(
    world: World,
) -> None:
    start_conversation(world, "sms")
    world.text("s", "STOP")
    world.work_off()
    before = len(world.sent())

    ref = start_conversation(world, "email", "req-2")

    assert stands(world, ref) == ("blocked", "opted_out")
    assert len(world.sent()) == before


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"project_status": "inactive"}, "project_inactive"),
        ({"allowed_channels": ["email"]}, "channel_not_allowed"),
    ],
)
def test_a_switch_turned_off_while_a_request_waits_blocks_it(
    world: World, change: dict[str, Any], reason: str
) -> None:
    _, answer = world.ask(cast.request("sms"))
    world.set_up(cast.project(**change))

    world.work_off()

    assert stands(world, answer["conversation_ref"]) == ("blocked", reason)
    assert world.sent() == []


def test_a_blocked_first_message_is_released_once_the_reason_is_gone(world: World) -> None:
    _, answer = world.ask(cast.request("sms"))
    ref = answer["conversation_ref"]
    world.set_up(cast.project(project_status="inactive"))
    world.work_off()
    release(world, ref, "too early")
    assert stands(world, ref) == ("blocked", "project_inactive")

    world.set_up(cast.project())
    release(world, ref, "now")

    assert stands(world, ref)[0] == "initial_message_sent"
    assert len(world.sent()) == 1


# Deferred


def test_at_night_a_first_sms_waits_for_the_morning(world: World) -> None:
    world.clock.ms = at("22:30")

    ref = start_conversation(world, recipient_tel=LONDON)

    assert stands(world, ref) == ("deferred", "quiet_hours")
    assert world.due_at() == ["2026-01-02T08:00:00.000Z"]
    assert (world.log(ref), world.sent()) == ([], [])


def test_a_deferred_sms_is_sent_in_the_morning_and_is_no_longer_due(world: World) -> None:
    world.clock.ms = at("22:30")
    ref = start_conversation(world, recipient_tel=LONDON)

    world.settle()

    assert stands(world, ref)[0] == "initial_message_sent"
    assert world.log(ref)[0]["message_timestamp"].startswith("2026-01-02T08:00:")
    assert world.due_at() == []
    assert world.changes(ref) == ["deferred", "processing", "initial_message_sent"]


def test_quiet_hours_follow_the_recipients_time_zone(world: World) -> None:
    ref = start_conversation(world, recipient_tel=NEW_YORK)

    assert stands(world, ref) == ("deferred", "quiet_hours")
    assert world.due_at() == ["2026-01-01T13:00:00.000Z"]


def test_quiet_hours_follow_the_projects_time_zone_if_the_number_has_none(world: World) -> None:
    world.set_up(cast.project(timezone="Asia/Tokyo"))

    ref = start_conversation(world, recipient_tel=cast.CANDIDATE)

    assert stands(world, ref) == ("deferred", "quiet_hours")
    assert world.due_at() == ["2026-01-01T23:00:00.000Z"]


def test_email_ignores_quiet_hours(world: World) -> None:
    world.clock.ms = at("22:30")

    assert stands(world, start_conversation(world, "email"))[0] == "initial_message_sent"


def test_a_project_may_have_other_quiet_hours_or_none(world: World) -> None:
    world.set_up(cast.project(policy={"quiet_hours": ["11:00", "12:30"]}))
    assert stands(world, start_conversation(world, recipient_tel=LONDON)) == (
        "deferred",
        "quiet_hours",
    )

    world.set_up(cast.project(policy={"quiet_hours": None}))
    world.clock.ms = at("23:00")
    assert (
        stands(world, start_conversation(world, request_id="req-2", recipient_tel=LONDON))[0]
        == "initial_message_sent"
    )


def test_a_third_conversation_of_a_day_with_the_same_person_is_deferred_to_the_next_day(
    world: World,
) -> None:
    start_conversation(world)
    world.clock.ms += HOUR_MS
    start_conversation(world, request_id="req-2")
    world.clock.ms += HOUR_MS

    ref = start_conversation(world, request_id="req-3")
    assert stands(world, ref) == ("deferred", "frequency_cap")
    assert world.due_at()[0].startswith("2026-01-02T12:00:")

    world.settle()
    assert stands(world, ref)[0] == "initial_message_sent"
    assert len(world.sent()) == 3


def test_a_project_may_set_a_lower_limit_of_conversations(world: World) -> None:
    world.set_up(cast.project(policy={"initiated_per_day": 1}))
    start_conversation(world)

    assert stands(world, start_conversation(world, request_id="req-2")) == (
        "deferred",
        "frequency_cap",
    )


def test_in_safe_mode_first_messages_wait_and_are_sent_when_it_ends(world: World) -> None:
    world.switch(safe_mode="true")
    ref = start_conversation(world)
    assert stands(world, ref) == ("deferred", "safe_mode")

    world.let_pass(20 * MINUTE_MS)
    world.sweep()
    world.work_off()
    assert stands(world, ref) == ("deferred", "safe_mode")

    world.switch(safe_mode="false")
    world.settle()
    assert stands(world, ref)[0] == "initial_message_sent"


def test_a_day_of_safe_mode_blocks_deferred_messages(world: World) -> None:
    world.switch(safe_mode="true")
    ref = start_conversation(world)

    world.clock.ms += 24 * HOUR_MS
    world.sweep()
    world.work_off()
    world.switch(safe_mode="false")

    assert stands(world, ref) == ("blocked", "safe_mode")
    assert world.sent() == []


def test_a_switch_with_an_unknown_value_is_off(world: World) -> None:
    world.switch(safe_mode="no")

    assert stands(world, start_conversation(world)) == ("deferred", "safe_mode")


def test_without_automation_a_first_message_waits_for_an_agent(world: World) -> None:
    world.switch(automation_enabled="false")

    ref = start_conversation(world)

    assert stands(world, ref) == ("handoff_pending", "automation_off")
    assert (world.log(ref), world.sent()) == ([], [])


# Review by an agent


@pytest.mark.parametrize(
    ("listed", "is_held"),
    [
        ([], True),
        ([cast.CANDIDATE], True),
        (["07700 900123"], True),  # of the project's region
        (["+447700900999"], False),
        (["no number"], False),
    ],
)
def test_the_flag_holds_all_first_messages_or_those_on_its_list(
    world: World, listed: list[str], is_held: bool
) -> None:
    rule = {"auto_queue_initial_message": True, "auto_queue_initial_message_from_number": listed}
    world.set_up(cast.project(**rule))

    ref = start_conversation(world)

    held = ("handoff_pending", "initial_review")
    assert (stands(world, ref) == held) == is_held
    assert (world.sent() == []) == is_held


def test_a_review_list_without_its_flag_has_no_effect(world: World) -> None:
    world.set_up(cast.project(auto_queue_initial_message_from_number=[cast.CANDIDATE]))

    assert stands(world, start_conversation(world))[0] == "initial_message_sent"


def test_the_list_of_addresses_applies_to_mail_in_any_letter_case(world: World) -> None:
    rule = {
        "auto_queue_initial_message": True,
        "auto_queue_initial_message_from_number": [cast.CANDIDATE],
        "auto_queue_initial_message_from_email": ["Other@Example.com"],
    }
    world.set_up(cast.project(**rule))
    assert stands(world, start_conversation(world, "email"))[0] == "initial_message_sent"

    rule["auto_queue_initial_message_from_email"] = ["ANN.DOE@example.com"]
    world.set_up(cast.project(**rule))
    assert stands(world, start_conversation(world, "email", "req-2"))[0] == "handoff_pending"


def test_a_first_message_under_review_is_shown_to_agents(world: World) -> None:
    world.set_up(cast.project(auto_queue_initial_message=True))

    item = world.conversation(start_conversation(world))

    assert item["hand_off_to_human"] is True
    assert item["hand_off_to_human_reason"] == "initial_review"
    assert item["task_complete"] == 0


def test_a_reviewed_first_message_is_released_once(world: World) -> None:
    world.set_up(cast.project(auto_queue_initial_message=True))
    ref = start_conversation(world)

    release(world, ref)
    world.clock.ms += HOUR_MS
    release(world, ref)

    assert stands(world, ref)[0] == "initial_message_sent"
    assert len(world.sent()) == len(world.log(ref)) == 1
    assert world.changes(ref) == ["handoff_pending", "processing", "initial_message_sent"]


def test_a_release_evaluates_the_policy_again(world: World) -> None:
    world.set_up(cast.project(auto_queue_initial_message=True))
    ref = start_conversation(world, comms_consent=False)

    release(world, ref)

    assert stands(world, ref) == ("blocked", "no_consent")
    assert world.sent() == []


def test_a_deferred_message_is_held_for_agents_when_automation_is_switched_off(
    world: World,
) -> None:
    world.clock.ms = at("22:30")
    ref = start_conversation(world, recipient_tel=LONDON)

    world.switch(automation_enabled="false")
    world.settle()

    assert stands(world, ref) == ("handoff_pending", "automation_off")
    assert world.due_at() == []


# An agent's text


# A placeholder, a link, a number and an address of others, another language, and text that resembles a secret.
ODD = (
    "Hallo [Ihr Name], wir haben die Stelle noch und freuen uns, wenn Sie sich melden: https://elsewhere.example/x"
    " oder +44 7700 900999, eve@other.example, TODO, sk-abcdefghijklmnopqrstuvwxyz0123456789"
)


@pytest.mark.parametrize("channel", ["sms", "email"])
def test_an_agents_text_is_sent_unchanged_without_the_models_guardrails(
    world: World, channel: str
) -> None:
    channels = cast.project()["channel_config"]
    sms = channels["sms"] | {"max_segments": 4}
    world.change(auto_queue_initial_message=True, channel_config=channels | {"sms": sms})
    ref = start_conversation(world, channel)

    release(world, ref, text=ODD)

    assert texts_by(world, ref, "human:eve") == [ODD]
    assert len(world.sent()) == 1


def test_an_agents_first_message_respects_quiet_hours(world: World) -> None:
    world.change(auto_queue_initial_message=True)
    world.clock.ms = at("22:30")
    ref = start_conversation(world, recipient_tel=LONDON)

    release(world, ref, text="Hello Ann, it is me, Eve.")

    (message,) = world.log(ref)
    assert (message["delivery_status"], message["error_code"]) == ("blocked", "quiet_hours")
    assert stands(world, ref) == ("handoff_pending", "initial_review")

    world.clock.ms += 10 * HOUR_MS
    release(world, ref, "in the morning", text="Hello Ann, it is me, Eve.")
    assert len(world.sent()) == 1


def test_an_agent_may_answer_a_customer_in_quiet_hours(world: World) -> None:
    world.change(auto_queue_initial_message=True)
    world.clock.ms = at("22:30")
    ref = start_conversation(world, recipient_tel=LONDON)
    world.text("m", "Are you there?", From=LONDON)
    world.work_off()
    world.clock.ms += HOUR_MS

    release(world, ref, text="Yes, it is me, Eve.")

    assert len(world.sent()) == 1


def test_conversations_that_agents_begin_count_toward_the_same_limit(world: World) -> None:
    world.change(auto_queue_initial_message=True)
    for number in range(3):
        world.clock.ms += HOUR_MS
        ref = start_conversation(world, request_id=f"req-{number}")
        release(world, ref, text="Hello Ann, it is me, Eve.")

    (message,) = world.log(ref)
    assert (message["delivery_status"], message["error_code"]) == ("blocked", "frequency_cap")
    assert len(world.sent()) == 2
