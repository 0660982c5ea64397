"""Random days of a help desk: with repeated, late and reordered events and crashing workers, no message is lost."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.simulation.effort import EFFORT
from tests.simulation.interceptor import When
from tests.simulation.richpanel.final_state import check_at_any_time, check_at_rest, final_state_of
from tests.simulation.richpanel.scenarios import (
    DISPUTE,
    TICKET,
    WHERE,
    WHERE_1001,
    buys,
    minimal,
    named,
    opens,
    writes,
)
from tests.simulation.richpanel.system import System

TEXTS = (WHERE, WHERE_1001, "It was a present, and I am sorry to bother you.", DISPUTE)
MOST_DEATHS = 3  # of one plan: a message that is received five times is a dead letter


@dataclass(frozen=True)
class Plan:
    """
    Jane's messages, and after each one webhook calls about any of them and a worker action.

    A call is the number of a message (None: it names none) and its channel. *seconds* pass after each message.
    *visible* is the order in which messages become visible. *done*: a worker runs or not, or crashes at a call.
    """

    texts: list[str]
    visible: list[int]
    calls: list[list[tuple[int | None, str]]]
    done: list[tuple[int, When] | bool]
    seconds: list[int]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    texts = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=4))
    count = len(texts)
    numbers = st.sampled_from([None, *range(count)])
    call = st.tuples(numbers, st.sampled_from(["email", "livechat"]))
    deaths = st.tuples(st.integers(1, 30), st.sampled_from(When))
    done = st.one_of(st.booleans(), deaths)
    steps = range(count)
    return Plan(
        texts,
        draw(st.permutations(range(count))),
        [draw(st.lists(call, max_size=3)) for _ in steps],
        [draw(done if n < MOST_DEATHS else st.booleans()) for n in steps],
        [draw(st.sampled_from([0, 1, 40, 200])) for _ in steps],
    )


@settings(
    max_examples=4 * EFFORT,
    derandomize=EFFORT == 1,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(plan=plans())
@pytest.mark.long
def test_any_order_any_repetition_and_any_crash_lose_no_message(system: System, plan: Plan) -> None:
    system.reset()
    buys(system)
    opens(system)
    began = system.clock.ms
    steps = zip(plan.visible, plan.calls, plan.done, plan.seconds, strict=True)
    for message, calls, done, seconds in steps:
        system.interceptor.rewind()
        # Written a second apart, and visible in another order.
        after_ms = began + 1_000 * message - system.clock.ms
        writes(system, plan.texts[message], f"m-{message}", after_ms=after_ms)
        for number, channel in calls:
            known = number is not None and number in plan.visible[: plan.visible.index(message) + 1]
            system.call(
                named(f"m-{number}", channel=channel) if known else minimal(channel=channel)
            )
        system.interceptor.rewind()
        if isinstance(done, tuple):
            system.interceptor.die_at = done
        for queue_name, queued in system.fifo_queues.receive() if done else []:
            system.run_worker(queue_name, queued)
            check_at_any_time(system)
        system.clock.sleep(seconds)
    system.interceptor.rewind()
    system.call(minimal())  # like the sweep after a change of the ticket
    system.drain(between=lambda: check_at_any_time(system))
    final = final_state_of(system)
    check_at_rest(system, final)
    assert final.dead_letters == 0
    if DISPUTE in plan.texts:
        assert final.states[TICKET]["risk_flags"] == {"chargeback"}
        assert "route-chargebacks-disputes" in final.tickets[TICKET]["tags"]
