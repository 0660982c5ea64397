"""The cost of an agent's reply, which does not grow with the length of the conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.cost.units.meter import Meter
from tests.cost.whatsapp.kinds import older
from tests.simulation.kernel import running
from tests.simulation.whatsapp.agents.agent import agent_of
from tests.simulation.whatsapp.system import System

if TYPE_CHECKING:
    from tests.cost.units.meter import Spent
    from tests.simulation.whatsapp.agents.agent import Agent

MOST_WRITE_UNITS = 26  # with the entry in the audit log
MOST_CALLS = 22  # two of them read whose the number is
LENGTHS = (1, 10, 60)
LIMIT_SECONDS = 60  # between two messages to one customer, more than the rate limit asks for


def reply(meter: Meter, agent: Agent, key: str) -> Spent:
    def send() -> None:
        answer = agent.send(key)
        assert answer is not None
        assert answer[0] == 200, answer

    return meter.call(send)


@pytest.mark.long
def test_a_reply_costs_the_same_at_any_length_of_its_conversation() -> None:
    with running(System) as system, agent_of(system) as agent:
        meter = Meter(system.reset(), agent.module)
        found, there = [], 0
        for length in LENGTHS:
            assert system.deliver(older(there, length))
            system.drain()
            there = length
            reply(meter, agent, f"warm-up-{length}")
            system.clock.sleep(LIMIT_SECONDS)
            found.append(reply(meter, agent, f"measured-{length}"))
            system.clock.sleep(LIMIT_SECONDS)

    write_units = [sum(units.write for units in spent.units) for spent in found]
    # Secrets are read again after some minutes.
    calls = [[call for call in spent.calls if call.startswith("dynamodb.")] for spent in found]
    assert len(set(write_units)) == 1, write_units
    assert write_units[0] <= MOST_WRITE_UNITS
    assert calls == [calls[0]] * len(LENGTHS)
    assert len(calls[0]) <= MOST_CALLS
