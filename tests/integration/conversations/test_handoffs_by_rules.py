"""Hand-offs by rules instead of the model: reviews, and the window of WhatsApp."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from events.conversations import cast
from tests.integration.conversations.acts import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    at,
    stands,
    texts_by,
    write,
)
from tests.integration.conversations.notices import NOTICE, notices_sent

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


# By the rules


@pytest.mark.parametrize(
    ("listed", "is_held"), [([], True), (["07700 900123"], True), (["+447700900999"], False)]
)
def test_the_rule_for_replies_holds_all_or_those_on_its_list(
    world: World, listed: list[str], is_held: bool
) -> None:
    rule = {"auto_queue_reply_message": True, "auto_queue_reply_message_from_number": listed}
    world.set_up(cast.project(**rule))
    ref = world.begin("sms")

    write(world)

    held = ("handoff_pending", "reply_review")
    assert (stands(world, ref) == held) == is_held
    assert len(texts_by(world, ref)) == (1 if is_held else 2)


def test_the_rule_is_fixed_when_the_conversation_begins(world: World) -> None:
    ref = world.begin("sms")
    world.change(auto_queue_reply_message=True)

    write(world)

    assert stands(world, ref)[0] == "reply_sent"


def test_without_automation_an_agent_answers_and_the_customer_gets_the_notice(world: World) -> None:
    ref = world.begin("sms")
    world.switch(automation_enabled="false")

    write(world)

    assert stands(world, ref) == ("handoff_pending", "automation_off")
    assert notices_sent(world, ref) == [NOTICE]


def test_in_safe_mode_no_message_is_sent_not_even_the_notice(world: World) -> None:
    ref = world.begin("sms")
    world.switch(safe_mode="true")

    write(world)

    assert stands(world, ref) == ("handoff_pending", "safe_mode")
    assert len(world.sent()) == 1


def test_an_inactive_project_sends_no_answers(world: World) -> None:
    ref = world.begin("sms")
    world.change(project_status="inactive")
    world.clock.ms += MINUTE_MS

    write(world)

    assert stands(world, ref) == ("handoff_pending", "project_inactive")
    assert len(world.sent()) == 1


def test_two_machines_that_answer_each_other_are_stopped(world: World) -> None:
    world.change(policy={"answers_per_hour": 3})
    ref = world.begin("sms")

    for number in range(5):
        write(world, "Which shift is it?", f"m{number}")

    assert stands(world, ref) == ("handoff_pending", "loop_cap")
    assert len(texts_by(world, ref)) == 1 + 3


def test_the_cap_on_answers_is_lifted_an_hour_later(world: World) -> None:
    world.change(policy={"answers_per_hour": 2})
    ref = world.begin("sms")
    for number in range(2):
        write(world, "Which shift is it?", f"m{number}")
    world.clock.ms += HOUR_MS

    write(world, "And now?", "n")

    assert stands(world, ref)[0] == "reply_sent"


def start_yesterday(world: World) -> str:
    """A candidate has written over WhatsApp more than a day ago and got no answer."""
    ref = world.begin("whatsapp")
    world.whatsapp("w", "Which shift is it?")
    world.take_in()
    world.clock.ms += DAY_MS
    return ref


# The window


def test_after_a_day_only_the_template_that_reopens_the_window_may_be_sent(world: World) -> None:
    ref = start_yesterday(world)

    world.work_off()

    assert stands(world, ref)[0] == "reply_sent"
    newest = world.log(ref)[-1]
    assert (newest["template"], newest["author"]) == ("still_there", "system")
    assert world.sent()[-1]["ContentSid"] == cast.STILL_THERE["content_sid"]
    assert world.state(ref)["answered_up_to"] == world.log(ref)[-2]["sk"]


def test_without_such_a_template_the_conversation_is_handed_off(world: World) -> None:
    config: dict[str, Any] = cast.project()["channel_config"]
    whatsapp = {n: v for n, v in config["whatsapp"].items() if n != "reengagement_template"}
    world.change(channel_config=config | {"whatsapp": whatsapp})
    ref = start_yesterday(world)

    world.work_off()

    assert stands(world, ref) == ("handoff_pending", "window_closed")
    assert len(world.sent()) == 1


def test_a_minute_before_the_window_closes_the_model_still_answers(world: World) -> None:
    ref = world.begin("whatsapp")
    world.whatsapp("w", "Which shift is it?")
    world.take_in()
    world.clock.ms += DAY_MS - 2 * MINUTE_MS

    world.work_off()

    assert "nights" in texts_by(world, ref)[-1]


def test_the_template_that_reopens_the_window_is_deferred_to_the_morning(world: World) -> None:
    world.change(timezone="Europe/London")
    world.clock.ms = at("22:30") - 13 * HOUR_MS
    ref = world.begin("whatsapp")
    world.whatsapp("w", "Which shift is it?")
    world.take_in()
    world.clock.ms = at("22:30") + DAY_MS

    world.work_off()
    assert len(world.sent()) == 1
    assert world.due_at() == ["2026-01-03T08:00:00.000Z"]

    world.settle()
    assert world.log(ref)[-1]["template"] == "still_there"
    assert len(world.sent()) == 2
