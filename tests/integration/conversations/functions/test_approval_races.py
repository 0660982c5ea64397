"""Crashes, customers' messages and agents' actions while a function waits for approval or is executed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conversations.lifecycle.records.commands import HumanMessage
from conversations.store import states
from conversations.store.items import identifiers
from conversations.store.items.log import Mode
from tests.integration.conversations.booking import THANKS, start_booking, write
from tests.integration.conversations.functions.approvals import (
    MONDAY,
    approve,
    clear_requests,
    enqueue_release,
    hand_back,
    pending_function,
    propose_booking,
    return_to_model,
)
from tests.integration.conversations.steps import (
    before_call,
    direct_resources,
    enqueue,
    model_answer,
    model_says,
    status_of,
    take_over,
    texts_by,
)
from tests.simulation.interceptor import READS, When

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System

pytestmark = pytest.mark.long

NOTICE = "A colleague will answer you soon."


def deaths(system: System) -> list[tuple[int, When, str]]:
    """Where a worker may crash in the calls just made: before each run's first call, and after each write."""
    calls_made, starts = list(system.interceptor.calls), list(system.interceptor.first_of_runs)
    before = [(number, When.BEFORE) for number in starts]
    after = [
        (number, When.AFTER)
        for number, call in enumerate(calls_made, 1)
        if call.split(" ")[0] not in READS
    ]
    return [(number, when, calls_made[number - 1]) for number, when in before + after]


def test_two_releases_and_a_late_record_of_one_function_execute_it_once(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service, THANKS, model_answer("Again?"))
    sk = str(system.state(ref)["waits_for_approval"])

    for cause in ("key-1", "key-2"):
        approve(system, ref, sk, cause)
    system.clock.ms += 3_600_000
    approve(system, ref, sk, "key-3")

    assert booking_service.requests.qsize() == 1
    assert texts_by(system, ref)[1:] == ["It is booked, thank you."]


def test_a_release_survives_a_crash_at_any_call(system: System, booking_service: Receiver) -> None:
    ref = propose_booking(system, booking_service)
    enqueue_release(system, ref)
    start = system.snapshot()
    model_says(system, THANKS)
    system.new_process()
    system.interceptor.rewind()
    system.settle()
    crash_points = deaths(system)
    assert texts_by(system, ref)[1:] == ["It is booked, thank you."]

    for number, when, name in crash_points:
        system.restore(start)
        clear_requests(booking_service)
        model_says(system, *[THANKS] * 3)
        system.interceptor.die_at = (number, when)
        system.settle()
        what = f"died {when} {number} {name}"
        assert booking_service.requests.qsize() <= 1, what
        verdict = pending_function(system, ref)["proposal"]["verdict"]
        assert booking_service.requests.qsize() == 1 or verdict == "unknown", what
        assert len(texts_by(system, ref)) <= 2, what
        newest = system.log(ref)[-1]
        is_in_doubt = newest["delivery_status"] == "unknown"
        assert status_of(system, ref)[0] == ("handoff_pending" if is_in_doubt else "reply_sent"), (
            what
        )
        assert is_in_doubt or texts_by(system, ref)[1:] == ["It is booked, thank you."], what
        assert system.fifo_queues.dead_letters == [], what
        assert not {"waits_for_approval", "being_done", "turn"} & system.state(ref).keys(), what


def test_a_crash_at_any_call_of_a_proposal_never_executes_the_function(
    system: System, booking_service: Receiver
) -> None:
    ref = start_booking(system, booking_service, approval=True)
    system.text("m", "Monday is fine")
    start = system.snapshot()
    model_says(system, MONDAY)
    system.new_process()
    system.interceptor.rewind()
    system.settle()
    crash_points = deaths(system)

    for number, when, name in crash_points:
        system.restore(start)
        model_says(system, *[MONDAY] * 3)
        system.interceptor.die_at = (number, when)
        system.settle()
        what = f"died {when} {number} {name}"
        assert status_of(system, ref) == ("handoff_pending", "function_approval"), what
        assert system.state(ref)["waits_for_approval"] == pending_function(system, ref)["sk"], what
        assert len(texts_by(system, ref)) == 1, what
        assert texts_by(system, ref, "system") in ([NOTICE], []), (
            what
        )  # In doubt, it may be neither.
        assert booking_service.requests.empty(), what


def test_a_hand_back_after_the_release_refuses_nothing(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service, THANKS)
    sk = str(system.state(ref)["waits_for_approval"])
    resources = direct_resources(system)
    # The state after the release's worker crashed behind its first step.
    seen = states.read(resources.log, ref)
    assert seen is not None
    states.set_mode(
        resources.log,
        ref,
        seen.mode,
        seen=seen,
        drop=("waits_for_approval",),
        into={"being_done": [sk]},
    )
    hand_back(system, ref, answer_pending=False)
    assert "verdict" not in pending_function(system, ref)["proposal"]

    approve(system, ref, sk)

    assert booking_service.requests.qsize() == 1
    assert texts_by(system, ref)[-1] == "It is booked, thank you."
    assert status_of(system, ref)[0] == "reply_sent"


def test_a_release_processed_after_a_colleagues_take_over_executes_and_changes_no_owner(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service, THANKS)
    sk = str(system.state(ref)["waits_for_approval"])
    take_over(system, ref, "dan")
    resources = direct_resources(system)
    states.note(resources.log, ref, owner="dan")

    approve(system, ref, sk)

    assert booking_service.requests.qsize() == 1
    assert status_of(system, ref)[0] == "handoff_active"
    assert len(texts_by(system, ref)) == 1
    assert pending_function(system, ref)["proposal"]["verdict"] == "done"


def test_a_released_function_is_not_executed_after_an_opt_out(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service)
    write(system, "STOP", "s")

    approve(system, ref)

    assert booking_service.requests.empty()
    assert status_of(system, ref)[0] == "opted_out"


def test_a_function_released_during_a_send_in_doubt_is_reported_once_that_is_settled(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service, THANKS)
    system.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=500
    )
    enqueue(
        system, HumanMessage(ref=ref, cause="c", agent_id="eve", text="One moment"), ref, "human"
    )
    assert "turn" in system.state(ref)

    approve(system, ref)
    assert booking_service.requests.qsize() == 1
    action = identifiers.action_id(ref, "human:c")
    system.status("SM" + "f" * 32, "delivered", action)
    system.settle()

    assert texts_by(system, ref)[-1] == "It is booked, thank you."
    assert "to_tell" not in system.state(ref)


def test_a_released_function_is_not_executed_during_an_opt_out(
    system: System, booking_service: Receiver
) -> None:
    ref = propose_booking(system, booking_service)
    sk = str(system.state(ref)["waits_for_approval"])
    resources = direct_resources(system)
    # The state after intake's worker crashed behind the fence: the item does not show the opt-out yet.
    seen = states.read(resources.log, ref)
    assert seen is not None
    states.set_mode(resources.log, ref, Mode.CLOSED, seen=seen, moves_to="opted_out")

    approve(system, ref, sk)

    assert booking_service.requests.empty()
    assert system.state(ref)["mode"] == "closed"


def test_a_call_requested_before_the_hand_back_does_not_count(
    system: System, booking_service: Receiver
) -> None:
    ref = start_booking(
        system, booking_service, MONDAY, model_answer("Which day suits you?"), approval=True
    )

    def take_over_and_back(_: str) -> None:
        """Take over during the call of the model, and hand back."""
        take_over(system, ref)
        return_to_model(system, ref, answer_pending=True)

    before_call(system, "HTTP.POST /v1/responses", take_over_and_back)
    write(system)

    assert texts_by(system, ref)[-1] == "Which day suits you?"
    assert status_of(system, ref)[0] == "reply_sent"
    assert system.state(ref)["mode"] == "ai"
    assert "waits_for_approval" not in system.state(ref)
