"""Hand-offs by rules instead of the model: reviews, and the window of WhatsApp."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from conversations.outbound.policy import review
from events.conversations import sample_data
from tests.integration.conversations.dialogue.handoffs.handoff_notices import NOTICE, notices_sent
from tests.integration.conversations.steps import (
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    at,
    status_of,
    texts_by,
    write,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


# By the rules


@pytest.mark.parametrize(
    ("listed", "is_held"), [([], True), (["07700 900123"], True), (["+447700900999"], False)]
)
def test_the_rule_for_replies_holds_all_or_those_on_its_list(
    system: System, listed: list[str], is_held: bool
) -> None:
    rule = {"auto_queue_reply_message": True, "auto_queue_reply_message_from_number": listed}
    system.set_up(sample_data.project(**rule))
    ref = system.begin("sms")

    write(system)

    held = ("handoff_pending", "reply_review")
    assert (status_of(system, ref) == held) == is_held
    assert len(texts_by(system, ref)) == (1 if is_held else 2)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("+5531987654321", "+553187654321"),
        ("+525512345678", "+5215512345678"),
        ("+5491123456789", "+541123456789"),
    ],
)
def test_a_number_on_the_list_of_the_rule_is_meant_in_each_spelling(one: str, other: str) -> None:
    for listed, customer in ((one, other), (other, one)):
        rule = {"auto_queue_reply_message": True, "auto_queue_reply_message_from_number": [listed]}
        opened = SimpleNamespace(
            conversation=SimpleNamespace(**rule, channel_method="sms"),
            company=SimpleNamespace(default_region="GB"),
            customer=customer,
        )
        opened.conversation.auto_queue_reply_message_from_email = None

        assert review.must_be_reviewed(opened, is_reply=True)  # type: ignore[arg-type] # its fields


def test_the_rule_is_fixed_when_the_conversation_begins(system: System) -> None:
    ref = system.begin("sms")
    system.change(auto_queue_reply_message=True)

    write(system)

    assert status_of(system, ref)[0] == "reply_sent"


def test_without_automation_an_agent_answers_and_the_customer_gets_the_notice(
    system: System,
) -> None:
    ref = system.begin("sms")
    system.switch(automation_enabled="false")

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "automation_off")
    assert notices_sent(system, ref) == [NOTICE]


def test_in_safe_mode_no_message_is_sent_not_even_the_notice(system: System) -> None:
    ref = system.begin("sms")
    system.switch(safe_mode="true")

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "safe_mode")
    assert len(system.sent()) == 1


def test_an_inactive_project_sends_no_answers(system: System) -> None:
    ref = system.begin("sms")
    system.change(project_status="inactive")
    system.clock.ms += MINUTE_MS

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "project_inactive")
    assert len(system.sent()) == 1


def test_the_model_of_a_project_that_is_turned_off_answers_nothing_and_people_do(
    system: System,
) -> None:
    ref = system.begin("sms")
    system.change(automation_enabled=False)
    system.clock.ms += MINUTE_MS

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "automation_off")
    assert notices_sent(system, ref) == [NOTICE]


def test_two_machines_that_answer_each_other_are_stopped(system: System) -> None:
    system.change(policy={"answers_per_hour": 3})
    ref = system.begin("sms")

    for number in range(5):
        write(system, f"Which shift is it, number {number}?", f"m{number}")

    assert status_of(system, ref) == ("handoff_pending", "loop_cap")
    assert len(texts_by(system, ref)) == 1 + 3


def test_the_cap_on_answers_is_lifted_an_hour_later(system: System) -> None:
    system.change(policy={"answers_per_hour": 2})
    ref = system.begin("sms")
    for number in range(2):
        write(system, "Which shift is it?", f"m{number}")
    system.clock.ms += HOUR_MS

    write(system, "And now?", "n")

    assert status_of(system, ref)[0] == "reply_sent"


def start_yesterday(system: System) -> str:
    """A candidate has written over WhatsApp more than a day ago and got no answer."""
    ref = system.begin("whatsapp")
    system.whatsapp("w", "Which shift is it?")
    system.run_intake()
    system.clock.ms += DAY_MS
    return ref


# The window


def test_after_a_day_only_the_template_that_reopens_the_window_may_be_sent(system: System) -> None:
    ref = start_yesterday(system)

    system.drain()

    assert status_of(system, ref)[0] == "reply_sent"
    newest = system.log(ref)[-1]
    assert (newest["template"], newest["author"]) == ("still_there", "system")
    assert system.sent()[-1]["ContentSid"] == sample_data.STILL_THERE["content_sid"]
    assert system.state(ref)["answered_up_to"] == system.log(ref)[-2]["sk"]


def test_without_such_a_template_the_conversation_is_handed_off(system: System) -> None:
    config: dict[str, Any] = sample_data.project()["channel_config"]
    whatsapp = {n: v for n, v in config["whatsapp"].items() if n != "reengagement_template"}
    system.change(channel_config=config | {"whatsapp": whatsapp})
    ref = start_yesterday(system)

    system.drain()

    assert status_of(system, ref) == ("handoff_pending", "window_closed")
    assert len(system.sent()) == 1


def test_a_minute_before_the_window_closes_the_model_still_answers(system: System) -> None:
    ref = system.begin("whatsapp")
    system.whatsapp("w", "Which shift is it?")
    system.run_intake()
    system.clock.ms += DAY_MS - 2 * MINUTE_MS

    system.drain()

    assert "nights" in texts_by(system, ref)[-1]


def test_the_template_that_reopens_the_window_is_deferred_to_the_morning(system: System) -> None:
    system.change(timezone="Europe/London")
    system.clock.ms = at("22:30") - 13 * HOUR_MS
    ref = system.begin("whatsapp")
    system.whatsapp("w", "Which shift is it?")
    system.run_intake()
    system.clock.ms = at("22:30") + DAY_MS

    system.drain()
    assert len(system.sent()) == 1
    assert system.due_at() == ["2026-01-03T08:00:00.000Z"]

    system.settle()
    assert system.log(ref)[-1]["template"] == "still_there"
    assert len(system.sent()) == 2
