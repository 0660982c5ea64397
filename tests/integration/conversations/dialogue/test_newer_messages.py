"""A customer writes while the model composes: an outdated answer is not sent, and each message is answered."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.integration.conversations.booking import THANKS, start_booking
from tests.integration.conversations.steps import (
    before_call,
    function_call,
    model_answer,
    model_says,
    status_of,
    take_over,
    texts_by,
    with_model,
)
from tests.simulation.conversations.invocations import PERSON, Refused
from tests.simulation.interceptor import When

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System

MODEL = "HTTP.POST /v1/responses"
FENCE = "dynamodb.PutItem CONV#"  # the draft, just before the fence
CORRECTIONS = [
    "Stop, I meant Wednesday",
    "And at which address?",
    "?",
    "Nein, doch lieber am Mittwoch",
]


def start(system: System, *answers: str, **changes: Any) -> str:
    with_model(system, model_answer("Hello Ann, can you start in May?"), **changes)
    ref = system.begin("sms")
    model_says(system, *answers)
    return ref


def writes(system: System, *texts: str) -> Callable[[str], None]:
    """The customer writes these messages, and each is stored."""

    def arrive(call: str) -> None:
        for text in texts:
            system.text(f"{call}{len(system.interceptor.calls)}{text}", text)
        system.run_intake()

    return arrive


def at_each_call(system: System, call: str, *texts: str) -> None:
    """The customer writes one of the texts just before each call of this name, until none is left."""
    left = list(texts)

    def arrive(name: str) -> bool:
        if left and name.startswith(call):
            text = left.pop(0)
            system.text(f"{len(left)}{text}", text)
            system.run_intake()
        return False

    system.interceptor.fails_if = arrive


def drafts(system: System, ref: str) -> list[dict[str, Any]]:
    return [m for m in system.log(ref) if m.get("delivery_status") == "discarded"]


def model_requests(system: System) -> list[str]:
    return [json.dumps(e.body) for e in system.sandbox.sent if e.operation == "create_response"]


@pytest.mark.parametrize("text", CORRECTIONS)
@pytest.mark.parametrize("call", [MODEL, FENCE])
def test_a_draft_is_discarded_if_the_customer_has_written_meanwhile(
    system: System, call: str, text: str
) -> None:
    ref = start(system, model_answer("Tuesday it is."), model_answer("Both are answered."))
    system.text("a", "Is Tuesday fine?")
    system.run_intake()
    before_call(system, call, writes(system, text))

    system.drain()

    assert texts_by(system, ref)[1:] == ["Both are answered."]
    assert text in system.log(ref)[-3]["content"] + system.log(ref)[-2]["content"]
    (draft,) = drafts(system, ref)
    assert draft["content"] == "Tuesday it is."
    assert draft["error_code"] == "newer_message"
    assert text in model_requests(system)[-1].encode().decode("unicode_escape")


def test_a_discarded_draft_keeps_its_cost_and_agents_see_it(system: System) -> None:
    ref = start(system, model_answer("Tuesday it is."), model_answer("Both are answered."))
    system.text("a", "Is Tuesday fine?")
    system.run_intake()
    before_call(system, MODEL, writes(system, "I meant Wednesday"))

    system.drain()

    shown = system.call_admin_api("GET /conversations/{ref}/messages", ref=ref)["messages"]
    (draft,) = [m for m in shown if m.get("delivery_status") == "discarded"]
    assert draft["error_code"] == "newer_message"
    assert drafts(system, ref)[0]["ai_total_tokens"] > 0
    assert drafts(system, ref)[0]["calls"] == 1


def test_at_most_two_drafts_in_a_row_are_discarded(system: System) -> None:
    ref = start(system, *[model_answer(f"Answer {n}.") for n in range(1, 6)])
    system.text("a", "Is Tuesday fine?")
    system.run_intake()
    at_each_call(system, MODEL, "or Wednesday", "or Thursday", "or Friday")

    system.drain()

    assert [m["content"] for m in drafts(system, ref)] == ["Answer 1.", "Answer 2."]
    assert texts_by(system, ref)[1:] == ["Answer 3.", "Answer 4."]
    assert "turn" not in system.state(ref)


def test_drafts_may_be_discarded_again_after_an_answer_was_sent(system: System) -> None:
    ref = start(system, *[model_answer(f"Answer {n}.") for n in range(1, 7)])
    system.text("a", "Is Tuesday fine?")
    system.run_intake()
    at_each_call(system, MODEL, "or Wednesday", "or Thursday")
    system.drain()
    system.text("b", "And what is the rate?")
    system.run_intake()
    at_each_call(system, MODEL, "per hour")

    system.drain()

    assert texts_by(system, ref)[1:] == ["Answer 3.", "Answer 5."]
    assert len(drafts(system, ref)) == 3


@pytest.mark.parametrize("text", ["HELP", "START"])
def test_a_keyword_during_a_turn_discards_no_draft(system: System, text: str) -> None:
    ref = start(system, model_answer("Tuesday it is."))
    system.text("a", "Is Tuesday fine?")
    system.run_intake()
    before_call(system, MODEL, writes(system, text))

    system.drain()

    assert texts_by(system, ref)[1:] == ["Tuesday it is."]
    assert drafts(system, ref) == []


@pytest.mark.parametrize("text", ["HELP", "START"])
def test_a_message_followed_by_a_keyword_is_answered(system: System, text: str) -> None:
    ref = start(system, model_answer("Tuesday it is."))
    system.text("a", "Is Tuesday fine?")
    system.advance(1_000)
    system.text("b", text)

    system.drain()

    assert texts_by(system, ref)[1:] == ["Tuesday it is."]


def test_a_stop_during_a_turn_still_prevents_its_message(system: System) -> None:
    ref = start(system, model_answer("Tuesday it is."))
    system.text("a", "Is Tuesday fine?")
    system.run_intake()
    before_call(system, MODEL, writes(system, "STOP"))

    system.drain()

    assert texts_by(system, ref)[1:] == []
    assert status_of(system, ref)[0] == "opted_out"


def test_a_function_is_not_executed_for_outdated_messages(
    system: System, booking_service: Receiver
) -> None:
    ref = start_booking(
        system,
        booking_service,
        function_call("book_slot", day="Tuesday"),
        function_call("book_slot", day="Wednesday"),
        THANKS,
    )
    system.text("a", "Tuesday is fine")
    system.run_intake()
    before_call(system, MODEL, writes(system, "No, Wednesday please"))

    system.drain()

    (draft,) = drafts(system, ref)
    assert (draft["error_code"], draft["calls"]) == ("newer_message", 1)
    body = {PERSON: "eve", "draft_entry_id": draft["entry_id"]}
    with pytest.raises(Refused, match="this function call was discarded"):
        system.call_admin_api("POST /conversations/{ref}/release", body, ref=ref)
    assert json.loads(booking_service.next().body)["arguments"] == {"day": "Wednesday"}
    assert booking_service.requests.empty()
    assert texts_by(system, ref)[-1] == "It is booked, thank you."


def test_a_function_is_not_executed_after_an_agent_has_taken_over(
    system: System, booking_service: Receiver
) -> None:
    ref = start_booking(system, booking_service, function_call("book_slot", day="Tuesday"), THANKS)
    system.text("a", "Tuesday is fine")
    system.run_intake()
    before_call(system, MODEL, lambda _: take_over(system, ref))

    system.drain()

    assert booking_service.requests.empty()
    assert status_of(system, ref)[0] == "handoff_active"
    assert "turn" not in system.state(ref)


def test_the_answer_about_an_executed_function_is_sent(
    system: System, booking_service: Receiver
) -> None:
    """What was done must be reported: the next turn does not know the calls of a discarded one."""
    ref = start_booking(
        system,
        booking_service,
        function_call("book_slot", day="Monday"),
        THANKS,
        model_answer("I will ask a colleague about Wednesday."),
    )
    system.text("a", "Monday is fine")
    system.run_intake()
    before_call(system, "HTTP.POST /book", writes(system, "No, Wednesday please"))

    system.drain()

    assert texts_by(system, ref)[1:] == [
        "It is booked, thank you.",
        "I will ask a colleague about Wednesday.",
    ]
    assert booking_service.requests.qsize() == 1


def test_a_crash_and_a_newer_message_do_not_repeat_a_function(
    system: System, booking_service: Receiver
) -> None:
    call = function_call("book_slot", day="Monday")
    ref = start_booking(system, booking_service, call, call, THANKS)
    system.text("a", "Monday is fine")
    system.run_intake()

    def dies(_: str) -> None:
        system.interceptor.die_at = (len(system.interceptor.calls) + 1, When.BEFORE)

    before_call(system, "HTTP.POST /book", dies)
    system.advance(15_000)
    system.text("b", "Is it done?")

    system.settle()

    assert booking_service.requests.qsize() == 1
    assert texts_by(system, ref)[-1] == "It is booked, thank you."
