"""Functions that need approval: shown to agents, executed once after their release, and reported to the model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from conversations.lifecycle.records.commands import HumanMessage
from tests.integration.conversations.booking import THANKS, start_booking, write
from tests.integration.conversations.functions.approvals import (
    MONDAY,
    approve,
    give,
    hand_back,
    last_model_input,
    pending_function,
    propose_booking,
)
from tests.integration.conversations.steps import (
    at,
    enqueue,
    function_call,
    model_answer,
    model_says,
    status_of,
    texts_by,
)

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System

NOTICE = "A colleague will answer you soon."


def test_the_function_and_its_arguments_are_shown_and_not_executed(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service)

    row = pending_function(system, ref)
    assert (row["sk"], row["delivery_status"], row["error_code"]) == (
        system.state(ref)["waits_for_approval"],
        "blocked",
        "function_approval",
    )
    assert row["proposal"]["name"] == "book_slot"
    assert json.loads(row["proposal"]["arguments"]) == {"day": "Monday"}
    assert booking_service.requests.empty()
    assert texts_by(system, ref, "system") == [NOTICE]
    assert len(texts_by(system, ref)) == 1  # The mark of the function is no message.


def test_a_released_function_is_executed_and_the_model_continues_with_the_result(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service, THANKS)

    approve(system, ref)

    function_request = json.loads(booking_service.next().body)
    assert (function_request["function"], function_request["arguments"]) == (
        "book_slot",
        {"day": "Monday"},
    )
    assert function_request["conversation_ref"] == ref
    assert booking_service.requests.empty()
    call, output = last_model_input(system)[-2:]
    assert (call["type"], call["name"]) == ("function_call", "book_slot")
    assert output["output"] == '{"slot": "Monday"}'
    assert texts_by(system, ref)[-1] == "It is booked, thank you."
    assert status_of(system, ref) == ("reply_sent", None)
    item, state = system.conversation(ref), system.state(ref)
    assert (item["hand_off_to_human"], item["function_call_type"]) == (False, "book_slot")
    assert pending_function(system, ref)["proposal"]["verdict"] == "done"
    assert not {"waits_for_approval", "being_done", "to_tell", "turn"} & state.keys()
    contents = [entry["content"] for entry in item["messages"]]
    assert contents[1:] == ["Monday is fine", NOTICE, "It is booked, thank you."]


def test_an_approved_function_of_a_conversation_of_a_team_returns_to_the_model(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service, THANKS)
    give(system, ref, "team:sales")
    assert system.state(ref)["owner"] == "team:sales"

    approve(system, ref)

    assert texts_by(system, ref)[-1] == "It is booked, thank you."
    assert status_of(system, ref) == ("reply_sent", None)
    assert "owner" not in system.state(ref)


def test_the_result_is_reported_to_the_model_once(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service, THANKS, model_answer("At nine."))
    approve(system, ref)

    write(system, "When exactly?", "n")

    assert texts_by(system, ref)[-1] == "At nine."
    assert {item["type"] for item in last_model_input(system)} == {"message"}


@pytest.mark.parametrize(
    ("status", "verdict", "reported"),
    [(400, "failed", "could not be done"), (503, "unknown", "Unknown whether this was done")],
)
def test_a_failed_released_function_is_reported_to_the_model_as_failed(
    system: System, booking_service: Receiver, status: int, verdict: str, reported: str
) -> None:
    ref = propose_booking(system, booking_service, model_answer("I am sorry, that did not work."))
    booking_service.statuses.append(status)

    approve(system, ref)

    assert pending_function(system, ref)["proposal"]["verdict"] == verdict
    assert reported in last_model_input(system)[-1]["output"]
    assert texts_by(system, ref)[-1] == "I am sorry, that did not work."


def test_a_hand_back_refuses_the_function_and_reports_it_to_the_model(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(
        system, booking_service, model_answer("I am sorry, Monday is not possible.")
    )
    sk = str(system.state(ref)["waits_for_approval"])

    hand_back(system, ref)

    assert pending_function(system, ref)["proposal"]["verdict"] == "refused"
    assert "decided against" in last_model_input(system)[-1]["output"]
    assert texts_by(system, ref)[-1] == "I am sorry, Monday is not possible."
    assert status_of(system, ref)[0] == "reply_sent"

    approve(system, ref, sk)
    assert booking_service.requests.empty()


def test_a_refusal_that_ends_in_a_hand_off_is_reported_to_the_model_once(
    system: System, booking_service: Receiver
) -> None:
    tuesday = function_call("book_slot", day="Tuesday")
    ref = propose_booking(system, booking_service, tuesday, tuesday)

    hand_back(system, ref)

    assert status_of(system, ref) == ("handoff_pending", "function_failed")
    assert "to_tell" not in system.state(ref)


def test_a_function_that_agents_refused_is_not_requested_again_at_once(
    system: System, booking_service: Receiver
) -> None:
    tuesday = function_call("book_slot", day="Tuesday")
    ref = propose_booking(
        system, booking_service, tuesday, model_answer("Then I cannot book it."), tuesday, tuesday
    )

    hand_back(system, ref)
    assert texts_by(system, ref)[-1] == "Then I cannot book it."

    system.clock.ms += 60_000
    write(system, "And Tuesday?", "n")
    # Requested at the customer's first message after a refusal: it becomes a hand-off.
    assert status_of(system, ref) == ("handoff_pending", "function_failed")


def test_a_function_released_after_an_agents_answer_is_still_reported_to_the_model(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service, THANKS)
    said_by_eve = HumanMessage(ref=ref, cause="c", agent_id="eve", text="One moment please")
    enqueue(system, said_by_eve, ref, "human")

    approve(system, ref)

    assert texts_by(system, ref)[-1] == "It is booked, thank you."


def test_a_function_of_a_first_message_is_released_before_the_message_is_sent(
    system: System, booking_service: Receiver
) -> None:
    ref = start_booking(system, booking_service, approval=True)
    system.sandbox.openai.answers.clear()
    model_says(system, MONDAY, model_answer("Hello Ann, Monday is booked for you."))
    other = {"recipient_first_name": "Bob", "recipient_tel": "+447700900456", "comms_consent": True}
    ref = system.begin("sms", request_id="req-2", recipient_data=other)
    assert status_of(system, ref) == ("handoff_pending", "function_approval")

    approve(system, ref)

    assert booking_service.requests.qsize() == 1
    assert status_of(system, ref) == ("initial_message_sent", None)
    assert texts_by(system, ref)[0].startswith("Hello Ann, Monday is booked for you.")
    assert "to_tell" not in system.state(ref)


def test_a_result_in_quiet_hours_is_reported_in_the_morning(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service, THANKS)
    system.clock.ms = at("22:30")

    approve(system, ref)
    assert booking_service.requests.qsize() == 1
    assert len(texts_by(system, ref)) == 1
    assert system.due_at() == ["2026-01-02T08:00:00.000Z"]

    system.settle()
    assert texts_by(system, ref)[1:] == ["It is booked, thank you."]
    assert booking_service.requests.qsize() == 1


def test_a_second_function_needs_approval_as_well(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(
        system,
        booking_service,
        function_call("book_slot", day="Tuesday"),
        model_answer("Both are booked."),
    )
    approve(system, ref)
    assert status_of(system, ref) == ("handoff_pending", "function_approval")
    assert booking_service.requests.qsize() == 1

    approve(system, ref, cause="key-2")

    assert booking_service.requests.qsize() == 2
    assert texts_by(system, ref)[-1] == "Both are booked."


def test_a_model_that_repeats_an_approved_call_gets_its_result(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service, MONDAY, THANKS)

    approve(system, ref)

    assert booking_service.requests.qsize() == 1
    assert texts_by(system, ref)[-1] == "It is booked, thank you."


def test_a_function_removed_from_the_project_is_not_executed(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service, model_answer("I cannot book that any more."))
    ai = system.row("company", "ci-aaa-001", "pi-aaa-001")["ai_config"]  # type: ignore[index] # it is set up
    system.change(ai_config={**ai, "functions": []})

    approve(system, ref)

    assert booking_service.requests.empty()
    assert pending_function(system, ref)["proposal"]["verdict"] == "failed"
    assert texts_by(system, ref)[-1] == "I cannot book that any more."
