"""
Follow-ups with workers that die at any call, and customers who write at any call: no step is sent twice, and an answer
that arrives before a step is in flight wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from events.conversations import sample_data
from tests.integration.conversations.steps import HOUR_MS, texts_by
from tests.simulation.conversations.dialogue.test_newer_messages import Writes
from tests.simulation.crashes.disturbances import deaths
from tests.simulation.effort import EFFORT, long_except
from tests.simulation.interceptor import Died

if TYPE_CHECKING:
    from tests.simulation.conversations.system import Snapshot, System

STEPS = [{"after_hours": 1, "text": "Still there?"}, {"after_hours": 2, "text": "Shall we close?"}]
TEXTS = ["Still there?", "Shall we close?"]
PERMITS = {"initiated_per_day": 9, "initiated_per_week": 9}


def _requested(system: System) -> tuple[str, Snapshot]:
    """A request waits for its worker: the conversation and the snapshot."""
    system.change(follow_ups=STEPS, policy=PERMITS)
    ref = str(system.request(sample_data.request("sms"))["conversation_ref"])
    start = system.snapshot()
    system.new_process()
    system.interceptor.rewind()
    return ref, start


def _settle(system: System) -> None:
    """As `System.settle`; a schedule that dies runs again a minute later."""
    try:
        system.settle()
    except Died:
        system.new_process()
        system.clock.ms += 60_000
        system.settle()


@pytest.mark.long
def test_a_worker_may_die_at_any_call_of_a_first_message_and_its_follow_ups(
    system: System,
) -> None:
    ref, start = _requested(system)
    system.settle()
    calls, starts = list(system.interceptor.calls), list(system.interceptor.first_of_runs)
    assert [sent["Body"] for sent in system.sent()][1:] == TEXTS

    every = 1 if EFFORT > 1 else 8
    for number, when in deaths(calls, starts)[::every]:
        system.restore(start)
        system.interceptor.die_at = (number, when)
        _settle(system)
        what = f"died {when} {number} {calls[number - 1]}"
        bodies = [sent["Body"] for sent in system.sent()]
        assert len(bodies) == len(set(bodies)), what
        assert system.fifo_queues.dead_letters == [], what
        assert "turn" not in system.state(ref), what
        states = {message["delivery_status"] for message in system.log(ref)}
        # An unknown send ends the steps; anything else is made good.
        if "unknown" not in states:
            assert bodies[1:] == TEXTS, what


@pytest.mark.parametrize("text", long_except(["Which shift is it?", "STOP"], ["STOP"]))
def test_a_message_of_the_customer_that_comes_before_a_step_is_in_flight_wins(
    system: System, text: str
) -> None:
    system.change(follow_ups=STEPS[:1], policy=PERMITS)
    ref = system.begin("sms")
    system.clock.ms += HOUR_MS + 1_000
    system.sweep()
    start = system.snapshot()
    system.new_process()
    system.interceptor.rewind()
    system.drain()
    calls = list(system.interceptor.calls)
    assert texts_by(system, ref, "system") == TEXTS[:1]

    seen = set()
    for number in range(1, len(calls) + 1, 1 if EFFORT > 1 else 2):
        system.restore(start)
        customer = Writes(system, ref, [number], [text])
        system.interceptor.fails_if = customer
        system.drain()
        sent = [sent["Body"] for sent in system.sent()].count(TEXTS[0])
        is_in_flight = customer.stages == ["sending"]
        what = f"{number} {calls[number - 1]} {customer.stages}"
        assert not sent or is_in_flight or customer.stages == [None], what
        assert "turn" not in system.state(ref), what
        assert sent <= 1, what
        seen.add((customer.stages[0], sent))
    assert {("claimed", 0), ("sending", 1), (None, 0)} <= seen
