"""Hand-offs by the model, through its text or a function, and the notice to the customer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from events.conversations import cast
from local.sandbox.openai.api import OpenAiAnswer
from tests.integration.conversations.acts import (
    MINUTE_MS,
    OPENAI_SECRET_ID,
    calls,
    model_says,
    says,
    stands,
    texts_by,
    with_model,
    write,
)
from tests.integration.conversations.notices import NOTICE, notices_sent

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


# By the model


def test_a_customer_who_asks_for_a_person_gets_a_promise_and_no_further_answer_of_the_model(
    world: World,
) -> None:
    ref = world.begin("sms")

    write(world, "Can I talk to a human please")

    item = world.conversation(ref)
    assert stands(world, ref) == ("handoff_pending", "ai")
    assert item["hand_off_to_human"] is True
    assert item["hand_off_to_human_reason"] == "User requested agent"
    assert world.state(ref)["mode"] == "human"
    assert (
        len(texts_by(world, ref)) == 2
    )  # The promise was sent, then the conversation was handed off.

    write(world, "Hello?", "n")
    assert len(texts_by(world, ref)) == 2
    assert world.log(ref)[-1]["content"] == "Hello?"


def test_a_hand_off_by_the_model_is_logged_with_its_reason_and_listed_in_the_open_list(
    world: World,
) -> None:
    ref = world.begin("sms")

    write(world, "Can I talk to a human please")

    rows = world.rows()
    (change,) = (row for row in rows.values() if row.get("to_status") == "handoff_pending")
    assert change["reason"] == "ai"
    (opening,) = (row for key, row in rows.items() if key[1].startswith("OPEN#"))
    assert (opening["ref"], opening["conversation_status"]) == (ref, "handoff_pending")


def test_after_the_models_own_promise_no_notice_is_sent(world: World) -> None:
    ref = world.begin("sms")

    write(world, "Can I talk to a human please")

    assert notices_sent(world, ref) == []


def test_a_hand_off_without_a_message_sends_the_notice(world: World) -> None:
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    model_says(world, says("", hand_off={"reason": "They want to know their salary"}))

    write(world, "How much do I get?")

    assert stands(world, ref) == ("handoff_pending", "ai")
    assert world.conversation(ref)["hand_off_to_human_reason"] == "They want to know their salary"
    assert notices_sent(world, ref) == [NOTICE]


def test_a_project_without_a_notice_sends_none(world: World) -> None:
    world.set_up(cast.project(policy={}))
    world.switch(automation_enabled="true")
    ref = world.begin("sms")
    world.switch(automation_enabled="false")

    write(world)

    assert stands(world, ref)[0] == "handoff_pending"
    assert notices_sent(world, ref) == []


def test_a_text_that_only_promises_a_person_causes_no_hand_off(world: World) -> None:
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    model_says(world, says("I will hand you over to a human agent, one moment please."))

    write(world)

    assert stands(world, ref)[0] == "reply_sent"


@pytest.mark.parametrize(
    "answers",
    [("prose", "more prose"), (says(""), says("")), (says("See https://evil.example"), "prose")],
    ids=["no form", "nothing said", "a foreign link"],
)
def test_a_second_answer_that_cannot_be_sent_hands_off(
    world: World, answers: tuple[str, str]
) -> None:
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    model_says(world, *answers)

    write(world)

    assert stands(world, ref) == ("handoff_pending", "ai_invalid_output")
    assert notices_sent(world, ref) == [NOTICE]
    assert len(texts_by(world, ref)) == 1


def test_a_refusal_of_the_model_hands_off_at_once(world: World) -> None:
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    world.sandbox.openai.answers.append(OpenAiAnswer(refusal="I cannot help with that."))

    write(world)

    assert stands(world, ref) == ("handoff_pending", "ai_refused")


def test_a_model_that_stays_down_causes_a_hand_off_with_a_notice(world: World) -> None:
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    world.sandbox.faults.add(kind="status", provider="openai", status=503, times=100)

    write(world)

    assert stands(world, ref) == ("handoff_pending", "ai_failed")
    assert notices_sent(world, ref) == [NOTICE]
    assert world.lanes.dead_letters == []


def test_a_missing_model_key_causes_a_hand_off_with_a_notice(world: World) -> None:
    with_model(world, says("Hello Ann, can you start in May?"))
    ref = world.begin("sms")
    world.keep_secret(OPENAI_SECRET_ID, None)
    world.clock.ms += 10 * MINUTE_MS

    write(world)

    assert stands(world, ref) == ("handoff_pending", "secrets_missing")


def test_any_other_record_that_fails_five_times_causes_a_hand_off(world: World) -> None:
    ref = world.begin("sms")
    world.wire.fails_if = lambda call: call.startswith("dynamodb.PutItem ACTION#")

    write(world)

    assert stands(world, ref) == ("handoff_pending", "PutItem: InternalServerError")
    assert len(world.lanes.dead_letters) == 1


def test_a_set_up_that_becomes_invalid_hands_off(world: World) -> None:
    ref = world.begin("sms")
    world.text("m", "Which shift is it?")
    world.take_in()
    world.set_up(cast.project(policy={"in_doubt": "perhaps"}))

    world.work_off()

    assert stands(world, ref) == ("handoff_pending", "configuration_invalid")


# By functions


def test_a_function_that_needs_approval_is_not_executed(world: World) -> None:
    with_model(
        world,
        says("Hello Ann, can you start in May?"),
        calls("sign_contract", start="May"),
        functions=[
            {
                "name": "sign_contract",
                "description": "Signs the contract.",
                "parameters": {
                    "type": "object",
                    "properties": {"start": {"type": "string"}},
                    "required": ["start"],
                    "additionalProperties": False,
                },
                "approval": True,
                "target": "https://functions.example/sign",
            }
        ],
    )
    ref = world.begin("sms")

    write(world, "I take the job")

    item = world.conversation(ref)
    assert stands(world, ref) == ("handoff_pending", "function_approval")
    assert (item["function_call"], item["function_call_type"]) == (True, "sign_contract")
    assert [call for call in world.wire.calls if call.startswith("HTTP.POST /sign")] == []
    assert notices_sent(world, ref) == [NOTICE]
