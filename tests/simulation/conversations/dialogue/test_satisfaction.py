"""
The question how satisfied a customer is, with workers that die at any call, and customers who write at any call: it is
not sent twice, nor after a message that came before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.conversations.steps import HOUR_MS, texts_by, write
from tests.simulation.conversations.dialogue.test_newer_messages import Writes
from tests.simulation.crashes.disturbances import deaths
from tests.simulation.effort import EFFORT
from tests.simulation.interceptor import Died

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

QUESTION = "How satisfied are you with our help?"


def _answered(system: System) -> str:
    system.change(satisfaction={"after_minutes": 60})
    ref = system.begin("sms")
    system.advance(60_000)
    write(system)
    return ref


def _close(system: System, ref: str) -> None:
    system.call_admin_api("POST /conversations/{ref}/close", {}, ref=ref)


def _asked(system: System) -> int:
    return sum(QUESTION in str(sent["Body"]) for sent in system.sent())


@pytest.mark.long
def test_an_end_and_its_question_die_at_any_call_and_the_customer_is_asked_once(
    system: System,
) -> None:
    ref = _answered(system)
    start = system.snapshot()
    system.new_process()
    system.interceptor.rewind()
    _close(system, ref)
    system.settle()
    calls, starts = list(system.interceptor.calls), list(system.interceptor.first_of_runs)
    assert _asked(system) == 1

    every = 1 if EFFORT > 1 else 3
    for number, when in deaths(calls, starts)[::every]:
        system.restore(start)
        system.interceptor.die_at = (number, when)
        system.retry_until_accepted(lambda: _close(system, ref))
        try:
            system.settle()
        except Died:
            system.new_process()
            system.clock.ms += 60_000
            system.settle()
        what = f"died {when} {number} {calls[number - 1]}"
        assert system.fifo_queues.dead_letters == [], what
        assert "turn" not in system.state(ref), what
        assert system.due_at() == [], what
        states = {message.get("delivery_status") for message in system.log(ref)}
        # The send of a worker that died in it is in doubt.
        assert _asked(system) == 1 or (_asked(system) == 0 and "unknown" in states), what
        is_asked = "satisfaction_asked" in system.state(ref)
        assert is_asked or "unknown" in states, what


def test_a_message_of_the_customer_that_comes_before_the_question_is_in_flight_wins(
    system: System,
) -> None:
    ref = _answered(system)
    _close(system, ref)
    system.clock.ms += HOUR_MS + 1_000
    system.sweep()
    start = system.snapshot()
    system.new_process()
    system.interceptor.rewind()
    system.drain()
    calls = list(system.interceptor.calls)
    assert texts_by(system, ref, "system") == [QUESTION]

    seen = set()
    for number in range(1, len(calls) + 1, 1 if EFFORT > 1 else 2):
        system.restore(start)
        customer = Writes(system, ref, [number], ["Which shift is it?"])
        system.interceptor.fails_if = customer
        system.drain()
        what = f"{number} {calls[number - 1]} {customer.stages}"
        sent = _asked(system)
        assert not sent or customer.stages in ([None], ["sending"]), what
        assert "turn" not in system.state(ref), what
        assert sent <= 1, what
        seen.add((customer.stages[0], sent))
    assert {("claimed", 0), ("sending", 1)} <= seen
