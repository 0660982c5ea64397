"""Hand-offs by the model, through its text or a function, and the notice to the customer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from events.conversations import sample_data
from local.sandbox.accounts.openai import OpenAiAnswer
from tests.integration.conversations.dialogue.handoffs.handoff_notices import NOTICE, notices_sent
from tests.integration.conversations.steps import (
    MINUTE_MS,
    OPENAI_SECRET_ID,
    function_call,
    model_answer,
    model_says,
    status_of,
    texts_by,
    with_model,
    write,
)
from tests.integration.logs import conditions

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


# By the model


def test_a_customer_who_asks_for_a_person_gets_a_promise_and_no_further_answer_of_the_model(
    system: System,
) -> None:
    ref = system.begin("sms")

    write(system, "Can I talk to a human please")

    item = system.conversation(ref)
    assert status_of(system, ref) == ("handoff_pending", "ai")
    assert item["hand_off_to_human"] is True
    assert item["hand_off_to_human_reason"] == "User requested agent"
    assert system.state(ref)["mode"] == "human"
    assert (
        len(texts_by(system, ref)) == 2
    )  # The promise was sent, then the conversation was handed off.

    write(system, "Hello?", "n")
    assert len(texts_by(system, ref)) == 2
    assert system.log(ref)[-1]["content"] == "Hello?"


def test_a_hand_off_by_the_model_is_logged_with_its_reason_and_listed_in_the_open_list(
    system: System,
) -> None:
    ref = system.begin("sms")

    write(system, "Can I talk to a human please")

    rows = system.rows()
    (change,) = (row for row in rows.values() if row.get("to_status") == "handoff_pending")
    assert change["reason"] == "ai"
    (opening,) = (row for key, row in rows.items() if key[1].startswith("OPEN#"))
    assert (opening["ref"], opening["conversation_status"]) == (ref, "handoff_pending")


def test_after_the_models_own_promise_no_notice_is_sent(system: System) -> None:
    ref = system.begin("sms")

    write(system, "Can I talk to a human please")

    assert notices_sent(system, ref) == []


def test_a_hand_off_without_a_message_sends_the_notice(system: System) -> None:
    with_model(system, model_answer("Hello Ann, can you start in May?"))
    ref = system.begin("sms")
    model_says(system, model_answer("", hand_off={"reason": "They want to know their salary"}))

    write(system, "How much do I get?")

    assert status_of(system, ref) == ("handoff_pending", "ai")
    assert system.conversation(ref)["hand_off_to_human_reason"] == "They want to know their salary"
    assert notices_sent(system, ref) == [NOTICE]


def test_a_project_without_a_notice_sends_none(system: System) -> None:
    system.set_up(sample_data.project(policy={}))
    system.switch(automation_enabled="true")
    ref = system.begin("sms")
    system.switch(automation_enabled="false")

    write(system)

    assert status_of(system, ref)[0] == "handoff_pending"
    assert notices_sent(system, ref) == []


def test_a_text_that_only_promises_a_person_causes_no_hand_off(system: System) -> None:
    with_model(system, model_answer("Hello Ann, can you start in May?"))
    ref = system.begin("sms")
    model_says(system, model_answer("I will hand you over to a human agent, one moment please."))

    write(system)

    assert status_of(system, ref)[0] == "reply_sent"


@pytest.mark.parametrize(
    "answers",
    [
        ("prose", "more prose"),
        (model_answer(""), model_answer("")),
        (model_answer("See https://evil.example"), "prose"),
    ],
    ids=["no form", "nothing said", "a foreign link"],
)
def test_a_second_answer_that_cannot_be_sent_hands_off(
    system: System, answers: tuple[str, str]
) -> None:
    with_model(system, model_answer("Hello Ann, can you start in May?"))
    ref = system.begin("sms")
    model_says(system, *answers)

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "ai_invalid_output")
    assert notices_sent(system, ref) == [NOTICE]
    assert len(texts_by(system, ref)) == 1


def test_a_refusal_of_the_model_hands_off_at_once(system: System) -> None:
    with_model(system, model_answer("Hello Ann, can you start in May?"))
    ref = system.begin("sms")
    system.sandbox.openai.answers.append(OpenAiAnswer(refusal="I cannot help with that."))

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "ai_refused")


def test_a_model_that_stays_down_causes_a_hand_off_with_a_notice(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    with_model(system, model_answer("Hello Ann, can you start in May?"))
    ref = system.begin("sms")
    system.sandbox.faults.add(kind="status", provider="openai", status=503, times=100)

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "ai_failed")
    assert conditions(capsys)["ModelFailed"] > 0
    assert notices_sent(system, ref) == [NOTICE]
    assert system.fifo_queues.dead_letters == []


def test_a_missing_model_key_causes_a_hand_off_with_a_notice(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    with_model(system, model_answer("Hello Ann, can you start in May?"))
    ref = system.begin("sms")
    system.put_secret(OPENAI_SECRET_ID, None)
    system.clock.ms += 10 * MINUTE_MS

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "secrets_missing")
    assert conditions(capsys)["ConfigurationInvalid"] > 0


def test_any_other_record_that_fails_five_times_causes_a_hand_off(system: System) -> None:
    ref = system.begin("sms")
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.PutItem ACTION#")

    write(system)

    assert status_of(system, ref) == ("handoff_pending", "PutItem: InternalServerError")
    assert len(system.fifo_queues.dead_letters) == 1


def test_a_set_up_that_becomes_invalid_hands_off(system: System) -> None:
    ref = system.begin("sms")
    system.text("m", "Which shift is it?")
    system.run_intake()
    system.set_up(sample_data.project(policy={"in_doubt": "perhaps"}))

    system.drain()

    assert status_of(system, ref) == ("handoff_pending", "configuration_invalid")


# By functions


def test_a_function_that_needs_approval_is_not_executed(system: System) -> None:
    with_model(
        system,
        model_answer("Hello Ann, can you start in May?"),
        function_call("sign_contract", start="May"),
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
    ref = system.begin("sms")

    write(system, "I take the job")

    item = system.conversation(ref)
    assert status_of(system, ref) == ("handoff_pending", "function_approval")
    assert (item["function_call"], item["function_call_type"]) == (True, "sign_contract")
    assert [call for call in system.interceptor.calls if call.startswith("HTTP.POST /sign")] == []
    assert notices_sent(system, ref) == [NOTICE]
