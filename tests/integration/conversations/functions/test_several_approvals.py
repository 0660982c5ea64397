"""Several functions that need approval within a short time: none is lost, and the model gets each result."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from conversations.store import states
from tests.integration.conversations.booking import THANKS
from tests.integration.conversations.functions.approvals import (
    approve,
    clear_requests,
    enqueue_release,
    hand_back,
    last_model_input,
    pending_function,
    propose_booking,
    return_to_model,
)
from tests.integration.conversations.steps import (
    MINUTE_MS,
    before_call,
    direct_resources,
    function_call,
    model_answer,
    model_says,
    queue_name,
    status_of,
    take_over,
    texts_by,
    write,
)
from tests.simulation.interceptor import READS, When

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System

pytestmark = pytest.mark.long

TUESDAY = function_call("book_slot", day="Tuesday")
# Enough outputs that the model may repeat a request that agents have just decided.
QUESTIONS = ("Is Tuesday free?", "The afternoon?", "Can you book it too?")


def last_results(system: System) -> dict[str, str]:
    """The function results of the last model call: day of the call -> result."""
    shown = last_model_input(system)
    made = {item["call_id"]: item for item in shown if item["type"] == "function_call"}
    outputs = [item for item in shown if item["type"] == "function_call_output"]
    assert len(made) == len(outputs)
    return {
        json.loads(made[item["call_id"]]["arguments"])["day"]: item["output"] for item in outputs
    }


def was_reported(system: System, day: str) -> bool:
    """Whether any model call contained the result of the function call for *day*."""
    bodies = [e.body for e in system.sandbox.sent if e.operation == "create_response"]
    shown = [item for body in bodies if isinstance(body, dict) for item in body["input"]]
    made = [item for item in shown if item["type"] == "function_call"]
    ids = {item["call_id"] for item in made if json.loads(item["arguments"])["day"] == day}
    return any(item["type"] == "function_call_output" and item["call_id"] in ids for item in shown)


def asks_for_tuesday(system: System) -> None:
    """A second later the customer writes and the model requests Tuesday; other queued records are processed later."""
    system.clock.ms += 1_000
    for number, text in enumerate(QUESTIONS):
        system.text(f"q{number}", text)
    system.run_intake()
    system.advance(10_000)


def run_release_worker(system: System) -> None:
    """One worker processes the release, and may crash."""
    name = queue_name(system, "sms")
    (message,) = system.fifo_queues.queues[name].receive(1)
    system.run_worker(name, message)


def act_during_execution(system: System, act: Callable[[str], None]) -> None:
    """An agent acts while the released function is being executed."""
    before_call(system, "HTTP.POST /book", act)
    run_release_worker(system)
    system.drain()


def days_booked(booking_service: Receiver) -> list[str]:
    found = []
    while not booking_service.requests.empty():
        found.append(json.loads(booking_service.requests.get().body)["arguments"]["day"])
    return found


def test_a_function_executed_before_a_crash_is_reported_with_the_later_one(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service)
    enqueue_release(system, ref)
    start = system.snapshot()
    model_says(system, THANKS)
    system.new_process()
    system.interceptor.rewind()
    run_release_worker(system)
    made = list(system.interceptor.calls)
    answered, *_ = [n for n, call in enumerate(made, 1) if call.startswith("HTTP.POST /v1/")]
    expected = [n for n, call in enumerate(made[:answered], 1) if call.split(" ")[0] not in READS]

    for number in expected:
        what = f"died after {number} {made[number - 1]}"
        system.restore(start)
        clear_requests(booking_service)
        system.interceptor.die_at = (number, When.AFTER)
        run_release_worker(system)
        model_says(system, TUESDAY, *[model_answer("Both are decided.")] * 3)
        return_to_model(system, ref)
        asks_for_tuesday(system)
        system.settle()

        if "waits_for_approval" in system.state(ref):
            assert pending_function(system, ref)["sk"] == system.state(ref)["waits_for_approval"], (
                what
            )
            assert status_of(system, ref) == ("handoff_pending", "function_approval"), what
            approve(system, ref, cause="key-2")
        system.settle()
        days = days_booked(booking_service)
        assert days.count("Monday") <= 1, what
        assert days.count("Tuesday") == 1, what
        assert was_reported(system, "Monday"), what
        assert was_reported(system, "Tuesday"), what
        assert system.state(ref)["mode"] == "ai", what
        assert status_of(system, ref)[0] == "reply_sent", what
        left = {"waits_for_approval", "being_done", "to_tell", "turn"} & system.state(ref).keys()
        assert not left, (what, left)
        assert system.fifo_queues.dead_letters == [], what


def test_a_deferred_report_contains_the_results_of_all_functions(
    system: System, booking_service: Receiver
) -> None:
    """Monday is executed while a colleague owns the conversation and refuses Tuesday: Monday is not reported yet."""
    ref = propose_booking(system, booking_service)
    enqueue_release(system, ref)

    def return_to_model_now(_: str) -> None:
        return_to_model(system, ref)
        asks_for_tuesday(system)

    model_says(system, TUESDAY, model_answer("Monday is booked, Tuesday is not possible."))
    act_during_execution(system, return_to_model_now)
    assert status_of(system, ref) == ("handoff_pending", "function_approval")

    hand_back(system, ref, answer_pending=True)
    if len(texts_by(system, ref)) == 1:
        system.clock.ms += MINUTE_MS
        write(system, "Is it booked?", "last")

    results = last_results(system)
    assert results["Monday"] == '{"slot": "Monday"}'
    assert "decided against" in results["Tuesday"]
    assert texts_by(system, ref)[-1] == "Monday is booked, Tuesday is not possible."
    assert days_booked(booking_service) == ["Monday"]


def test_a_function_requested_while_another_is_executed_waits_for_an_agent(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service)
    enqueue_release(system, ref)

    def return_and_take_over(_: str) -> None:
        return_to_model(system, ref)
        asks_for_tuesday(system)
        take_over(system, ref, "dan")

    model_says(system, TUESDAY, model_answer("Both are booked."))
    act_during_execution(system, return_and_take_over)

    assert system.state(ref)["waits_for_approval"] == pending_function(system, ref)["sk"]
    assert json.loads(pending_function(system, ref)["proposal"]["arguments"]) == {"day": "Tuesday"}
    assert days_booked(booking_service) == ["Monday"]

    approve(system, ref, cause="key-2")
    system.settle()

    assert days_booked(booking_service) == ["Tuesday"]
    assert last_results(system).keys() == {"Monday", "Tuesday"}
    assert texts_by(system, ref)[-1] == "Both are booked."


def test_a_function_requested_while_another_is_executed_under_a_colleague_is_not_lost(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service)
    enqueue_release(system, ref)
    take_over(system, ref, "dan")
    states.note(direct_resources(system).log, ref, owner="dan")

    def return_to_model_now(_: str) -> None:
        return_to_model(system, ref, "dan")
        asks_for_tuesday(system)

    model_says(system, TUESDAY, model_answer("Both are booked."))
    act_during_execution(system, return_to_model_now)

    assert status_of(system, ref) == ("handoff_pending", "function_approval")
    assert system.state(ref)["waits_for_approval"] == pending_function(system, ref)["sk"]

    approve(system, ref, cause="key-2")

    assert days_booked(booking_service) == ["Monday", "Tuesday"]
    assert last_results(system).keys() == {"Monday", "Tuesday"}
    assert texts_by(system, ref)[-1] == "Both are booked."
