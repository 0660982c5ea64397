"""The model's turns in a conversation that an agent has handed back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conversations.api.access import Agent
from conversations.api.agents import agent_actions
from conversations.lifecycle import conversation
from tests.integration.conversations.steps import (
    MINUTE_MS,
    direct_resources,
    function_call,
    model_answer,
    model_says,
    status_of,
    texts_by,
    with_model,
    write,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

pytestmark = pytest.mark.long

HANDS_OVER = model_answer("One moment.", hand_off={"reason": "I do not know"})


def given_back(system: System, reason: str = "I do not know") -> str:
    """A conversation that the model has handed off and an agent has handed back."""
    with_model(system, model_answer("Hello Ann, can you start in May?"))
    ref = system.begin("sms")
    model_says(system, model_answer("One moment.", hand_off={"reason": reason}))
    write(system, "Which shift is it?")
    hand_back(system, ref)
    return ref


def hand_back(system: System, ref: str) -> None:
    assert status_of(system, ref)[0] == "handoff_pending"
    resources = direct_resources(system)
    agent = Agent(principal="eve", cause=f"back-{system.clock.ms}")
    agent_actions.hand_back(
        resources, conversation.load(resources, ref), agent, answer_pending=False
    )
    system.clock.ms += MINUTE_MS


# Repeated hand-offs


@pytest.mark.parametrize("messages", [1, 2])
def test_after_a_hand_back_the_model_does_not_hand_off_at_once_but_answers(
    system: System, messages: int
) -> None:
    ref = given_back(system)
    for number in range(messages - 1):
        model_says(system, model_answer("You start at nine."))
        write(system, "And when?", f"n{number}")
    model_says(system, HANDS_OVER, model_answer("I am afraid I do not know."))

    write(system, "Is there a canteen?", "last")

    assert status_of(system, ref)[0] == "reply_sent"
    assert texts_by(system, ref)[-1] == "I am afraid I do not know."


def test_the_reason_of_a_hand_off_is_cleared_by_the_models_next_answer(system: System) -> None:
    ref = given_back(system)
    model_says(system, model_answer("You start at nine."))

    write(system, "When do I start?", "n")

    assert status_of(system, ref) == ("reply_sent", None)


def test_at_the_third_message_the_model_may_hand_off_again(system: System) -> None:
    ref = given_back(system)
    model_says(system, model_answer("You start at nine."), model_answer("At the gate."), HANDS_OVER)

    for name in ("one", "two", "three"):
        write(system, "And then?", name)

    assert status_of(system, ref) == ("handoff_pending", "ai")


def test_each_message_of_a_burst_counts_toward_the_third(system: System) -> None:
    ref = given_back(system)
    model_says(system, HANDS_OVER)

    for name in ("one", "two", "three"):
        system.text(name, "And then?")
    system.drain()

    assert status_of(system, ref) == ("handoff_pending", "ai")


def test_a_customer_who_asks_for_a_person_is_handed_off_at_once(system: System) -> None:
    ref = given_back(system)
    model_says(system, HANDS_OVER)

    write(system, "Can I talk to a human please", "n")

    assert status_of(system, ref) == ("handoff_pending", "ai")


def test_a_model_that_repeats_its_hand_off_fails_with_invalid_output(system: System) -> None:
    ref = given_back(system)
    model_says(system, HANDS_OVER, HANDS_OVER)

    write(system, "Is there a canteen?", "n")

    assert status_of(system, ref) == ("handoff_pending", "ai_invalid_output")
    assert len(texts_by(system, ref)) == 2  # The text beside its hand-off was not sent.


def test_a_repeated_hand_off_by_function_is_refused_too(system: System) -> None:
    ref = given_back(system)
    model_says(
        system,
        function_call("hand_off_to_human", reason="I do not know"),
        model_answer("I do not know."),
    )

    write(system, "Is there a canteen?", "n")

    assert texts_by(system, ref)[-1] == "I do not know."


def test_a_hand_off_by_a_rule_is_not_limited(system: System) -> None:
    ref = given_back(system)
    system.switch(automation_enabled="false")

    write(system, "Is there a canteen?", "n")

    assert status_of(system, ref) == ("handoff_pending", "automation_off")


def test_a_hand_off_for_another_reason_is_not_limited(system: System) -> None:
    ref = given_back(system)
    model_says(system, "prose", "more prose")
    write(system, "Is there a canteen?", "n")
    hand_back(system, ref)
    model_says(system, HANDS_OVER)

    write(system, "Hello?", "o")

    assert status_of(system, ref) == ("handoff_pending", "ai")


def give_back(system: System, ref: str, cause: str) -> None:
    """An agent hands a conversation back and requests an answer to the pending messages."""
    resources = direct_resources(system)
    agent = Agent(principal="eve", cause=cause)
    agent_actions.hand_back(
        resources, conversation.load(resources, ref), agent, answer_pending=True
    )
    system.drain()


# Answers after a failed send


@pytest.mark.parametrize("status", [400, 500], ids=["refused", "in doubt"])
def test_a_hand_back_after_a_failed_send_composes_a_new_answer(system: System, status: int) -> None:
    ref = system.begin("sms")
    for cause in ("one", "two"):
        system.sandbox.faults.add(
            kind="status", provider="twilio", operation="create_message", status=status
        )
        if cause == "one":
            write(system)
        else:
            give_back(system, ref, cause)
        system.settle()
        assert status_of(system, ref)[0] == "handoff_pending"

    give_back(system, ref, "three")

    assert status_of(system, ref)[0] == "reply_sent"
    assert len(texts_by(system, ref)) == 2
    answers = [m for m in system.log(ref) if m.get("turn_kind") == "reply"]
    assert len({m["entry_id"] for m in answers}) == len(answers) == 3
    assert system.state(ref)["answered_up_to"] == answers[-1]["up_to"]
