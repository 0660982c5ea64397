"""
The function that sends may be killed while it asks the provider about a template and stores the answer: a repetition
of the request sends the template once, and all its items exist.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from events.whatsapp.payloads import text
from events.whatsapp.sample_data import COUNTER
from tests.simulation.interceptor import When
from tests.simulation.whatsapp.agents.agent import Agent, agent_of
from tests.simulation.whatsapp.event_builders import ada_message, webhook_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.whatsapp.system import Snapshot, System

OLDER: dict[str, object] = {"name": "older", "language": "en"}
AT_PROVIDER: dict[str, object] = {
    "status": "APPROVED",
    "category": "UTILITY",
    "id": "17",
    "components": [{"type": "BODY", "text": "Your bike is ready."}],
}


@pytest.fixture(scope="module")
def agent(_system: System) -> Iterator[Agent]:
    with agent_of(_system) as agent:
        yield agent


def begin(agent: Agent, start: Snapshot) -> None:
    agent.system.restore(start)
    agent.new_process()
    agent.system.sandbox.templates[:] = [OLDER | AT_PROVIDER | {"waba": COUNTER.waba}]
    agent.system.interceptor.rewind()


def stored(agent: Agent) -> dict[str, Any]:
    """The items of templates, without the time of the answer that described them."""
    return {
        key: {name: value for name, value in item.items() if name != "cachedAt"}
        for key, item in agent.system.items().items()
        if key.startswith("TEMPLATE_META#")
    }


@pytest.mark.long
def test_a_killed_send_of_an_unknown_template_stores_it_completely_and_sends_it_once(
    agent: Agent,
) -> None:
    agent.system.reset()
    agent.system.deliver_until_accepted(webhook_of(ada_message("hello", text("Ready?"))))
    agent.system.drain()
    start = agent.system.snapshot()
    begin(agent, start)
    answer = agent.send(template=OLDER)
    assert answer is not None
    assert answer[0] == 200
    calls, expected = list(agent.system.interceptor.calls), stored(agent)
    assert len(expected) == 2
    intended = next(n for n, call in enumerate(calls, 1) if "PutItem INTENT#" in call)
    assert any(call.startswith("HTTP.GET") for call in calls[:intended])

    for number in range(1, intended):
        begin(agent, start)
        agent.system.interceptor.die_at = (number, When.AFTER)
        where = f"died after call {number}, {calls[number - 1]}"
        assert agent.send(template=OLDER) is None, where
        answer = agent.send(template=OLDER)

        assert answer is not None, where
        assert (answer[0], answer[1]["result"]["state"]) == (200, "sent"), where
        assert len(agent.wire) == 1, where
        assert stored(agent) == expected, where
