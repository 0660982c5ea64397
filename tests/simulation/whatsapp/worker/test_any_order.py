"""Random days of a shop: repeated, late or regrouped events and crashing workers result in the same inbox."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from events.whatsapp import payloads
from events.whatsapp.payloads import Json, content, status, text
from events.whatsapp.sample_data import ADA, COUNTER, JUERGEN, PRIYA, Customer
from tests.simulation.effort import EFFORT
from tests.simulation.interceptor import When
from tests.simulation.whatsapp.event_builders import TIMELINE, post
from tests.simulation.whatsapp.final_state import (
    check_at_any_time,
    check_at_rest,
    differences,
    final_state_of,
    in_any_order,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.whatsapp.system import System

CUSTOMERS = (ADA, JUERGEN, PRIYA)
WORDS = ("sent", "delivered", "read")
MOST_DEATHS = 3  # of one plan: a message that is received five times is a dead letter


@dataclass(frozen=True)
class Plan:
    """
    *happened*: changes in chronological order; *deliveries*: positions in it, one list per webhook.

    *done* after each webhook: nothing, a worker runs, or a worker crashes at a call.
    """

    happened: list[Json] = field(repr=False)
    deliveries: list[list[int]]
    done: list[tuple[int, When] | bool]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    happened = draw(st.lists(exchanges(), min_size=1, max_size=4))
    changes = [change for number, make in enumerate(happened) for change in make(number)]
    positions = range(len(changes))
    repeated = draw(st.lists(st.sampled_from(positions), max_size=3))
    order = draw(st.permutations([*positions, *repeated]))
    cuts = sorted(draw(st.sets(st.integers(1, max(1, len(order) - 1)), max_size=5)))
    groups = [order[a:b] for a, b in zip([0, *cuts], [*cuts, len(order)], strict=True)]
    deaths = st.tuples(st.integers(1, 12), st.sampled_from(When))
    done: list[Any] = [
        draw(st.one_of(st.booleans(), deaths) if n < MOST_DEATHS else st.booleans())
        for n in range(len(groups))
    ]
    return Plan(changes, [group for group in groups if group], done)


@st.composite
def exchanges(draw: st.DrawFn) -> Callable[[int], list[Json]]:
    """A customer's message and its changes, or an answer of the shop and its statuses."""
    customer = draw(st.sampled_from(CUSTOMERS))
    minute = draw(st.integers(600, 603))  # few, so that some times are the same
    if draw(st.booleans()):
        words = draw(st.lists(st.sampled_from(WORDS), unique=True))
        return lambda number: _answer(customer, minute, number, words)
    becomes = draw(st.lists(st.sampled_from(["edit", "edit", "reaction", "revoke"]), max_size=2))
    return lambda number: _message(customer, minute, number, becomes)


@settings(
    max_examples=14 * EFFORT,
    derandomize=EFFORT == 1,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(plan=plans())
@pytest.mark.long
def test_any_order_any_repetition_and_any_crash_result_in_the_same_inbox(
    system: System, plan: Plan
) -> None:
    for change in plan.happened:
        note(f"{change}")
    system.reset()
    system.deliver_until_accepted(post(*plan.happened))
    system.drain()
    canonical = final_state_of(system)
    check_at_rest(system, canonical.items)

    system.reset()
    items = system.items()
    for group, done in zip(plan.deliveries, plan.done, strict=False):
        system.interceptor.rewind()
        system.deliver_until_accepted(post(*(plan.happened[position] for position in group)))
        system.interceptor.rewind()
        if isinstance(done, tuple):
            system.interceptor.die_at = done
        if done:
            system.run_worker()
        items = check_at_any_time(system, items)
        system.clock.sleep(200)
    system.interceptor.rewind()
    system.drain()
    final = final_state_of(system)
    assert differences(in_any_order(canonical), in_any_order(final)) == []
    check_at_any_time(system, items)
    check_at_rest(system, final.items)


def _message(customer: Customer, minute: int, number: int, becomes: list[str]) -> list[Json]:
    """A message and its changes, minutes apart."""
    wamid = f"wamid.in.{number}"
    parts = {
        "edit": {"original_message_id": wamid, "message": text(f"message {number}, corrected")},
        "reaction": {"message_id": wamid, "emoji": "👍"},
        "revoke": {"original_message_id": wamid},
    }
    said = [payloads.message(customer, wamid, TIMELINE.at(minute), text(f"message {number}"))]
    said += [
        payloads.message(
            customer, f"{wamid}.{n}", TIMELINE.at(minute + 10 + n), content(kind, parts[kind])
        )
        for n, kind in enumerate(becomes)
    ]
    # Each in a change of its own: its place among others would be part of its time.
    return [payloads.messages_change(COUNTER, [message], [customer]) for message in said]


def _answer(customer: Customer, minute: int, number: int, words: list[str]) -> list[Json]:
    """An answer of the shop in its own app, then its statuses."""
    wamid = f"wamid.out.{number}"
    echo = payloads.echo(COUNTER, customer, wamid, TIMELINE.at(minute), text(f"answer {number}"))
    at = TIMELINE.at(minute)
    statuses = [status(customer, wamid, word, at + 1 + WORDS.index(word)) for word in words]
    return [
        payloads.change("smb_message_echoes", COUNTER, message_echoes=[echo]),
        *(payloads.statuses_change(COUNTER, [one]) for one in statuses),
    ]
