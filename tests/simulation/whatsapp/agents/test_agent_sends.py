"""
The function that sends for agents may be killed before or after any call: the provider gets the message at most once,
and the inbox shows it once, with its true state, whether or not the client repeats the request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from events.whatsapp.payloads import text
from tests.simulation.crashes.disturbances import deaths, failures
from tests.simulation.interceptor import SENDS, When
from tests.simulation.whatsapp.agents.agent import TEXT, Agent, agent_of
from tests.simulation.whatsapp.event_builders import ada_message, status_webhook, webhook_of
from tests.simulation.whatsapp.final_state import check_at_rest, check_declared, final_state_of
from whatsapp.store.items.accounts.phones import CONVERSATIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.simulation.whatsapp.system import Snapshot, System

pytestmark = pytest.mark.long

STATUS_ID = "wamid.from-the-status"
# After the deadline of an attempt, and the schedule's first look at it.
LATER_MINUTES = 4


@pytest.fixture(scope="module")
def agent(_system: System) -> Iterator[Agent]:
    with agent_of(_system) as agent:
        yield agent


@pytest.fixture
def start(agent: Agent) -> Snapshot:
    """Ada has written to a number that conversations answer."""
    system = agent.system
    system.reset(automation=CONVERSATIONS)
    system.deliver_until_accepted(webhook_of(ada_message("hello", text("Is it ready?"))))
    system.drain()
    agent.new_process()
    return system.snapshot()


def begin(agent: Agent, start: Snapshot) -> None:
    agent.system.restore(start)
    agent.new_process()
    agent.system.interceptor.rewind()


def calls_of_a_send(agent: Agent, start: Snapshot) -> list[str]:
    begin(agent, start)
    answer = agent.send()
    assert answer is not None
    assert answer[0] == 200
    return list(agent.system.interceptor.calls)


def shown(agent: Agent) -> list[dict[str, Any]]:
    """The stored messages of agents."""
    return [
        item
        for item in agent.system.items().values()
        if item["itemType"] == "MESSAGE" and item["direction"] == "OUTBOUND"
    ]


def handed_over(agent: Agent) -> list[str]:
    """The texts of agents that conversations got."""
    return [
        event["text"]
        for events in agent.system.handed_over().values()
        for event in events
        if event["type"] == "human_reply"
    ]


def check_settled(agent: Agent, where: str) -> None:
    """No send is unfinished, and everything stored is of a declared type."""
    items = agent.system.items()
    assert not [key for key in items if key.startswith("INTENT#")], where
    check_declared(items)
    check_at_rest(agent.system, final_state_of(agent.system).items)
    assert agent.system.queue.dead_letters == []


def test_a_killed_send_that_is_repeated_reaches_the_customer_at_most_once(
    agent: Agent, start: Snapshot
) -> None:
    calls = calls_of_a_send(agent, start)
    wire = next(n for n, call in enumerate(calls, 1) if call.partition(" ")[0] in SENDS)
    reserved = next(n for n, call in enumerate(calls, 1) if "PutItem ACTION#" in call)
    recorded = next(n for n, call in enumerate(calls, 1) if "UpdateItem ACTION#" in call)
    assert reserved < wire < recorded
    for number, when in deaths(calls):
        begin(agent, start)
        agent.system.interceptor.die_at = (number, when)
        where = f"died {when} call {number}, {calls[number - 1]}"
        assert agent.send() is None, where
        at_once = agent.send()
        assert at_once is not None, where
        agent.wait(LATER_MINUTES)
        answer = agent.send()
        assert answer is not None, where

        was_in_doubt = when is When.AFTER and reserved <= number < recorded
        expected = "unknown" if was_in_doubt else "sent"
        assert (answer[0], answer[1]["result"]["state"]) == (200, expected), where
        was_sent = not was_in_doubt or number >= wire
        assert len(agent.wire) == was_sent, where
        [message] = shown(agent)
        assert message["textBody"] == TEXT, where
        assert message.get("sendState") == ("unknown" if was_in_doubt else None), where
        assert message.get("deliveryStatus") == (None if was_in_doubt else "sent"), where
        assert handed_over(agent) == [TEXT], where
        check_settled(agent, where)


def test_a_killed_send_that_is_not_repeated_is_finished_by_the_schedule(
    agent: Agent, start: Snapshot
) -> None:
    calls = calls_of_a_send(agent, start)
    intended = next(n for n, call in enumerate(calls, 1) if "PutItem INTENT#" in call)
    reserved = next(n for n, call in enumerate(calls, 1) if "PutItem ACTION#" in call)
    recorded = next(n for n, call in enumerate(calls, 1) if "UpdateItem ACTION#" in call)
    assert intended < reserved
    for number, when in deaths(calls):
        begin(agent, start)
        agent.system.interceptor.die_at = (number, when)
        where = f"died {when} call {number}, {calls[number - 1]}"
        assert agent.send() is None, where
        agent.wait(LATER_MINUTES)

        states = [(m.get("sendState"), m.get("deliveryStatus")) for m in shown(agent)]
        if when is When.BEFORE or number < reserved:
            assert states == [], where
        elif number < recorded:
            assert states == [("unknown", None)], where
        else:
            assert states == [(None, "sent")], where
        assert len(agent.wire) <= 1, where
        check_settled(agent, where)


def test_a_status_that_is_faster_than_the_record_settles_the_send(
    agent: Agent, start: Snapshot
) -> None:
    calls = calls_of_a_send(agent, start)
    wire = next(n for n, call in enumerate(calls, 1) if call.partition(" ")[0] in SENDS)
    for number in range(wire, len(calls) + 1):
        begin(agent, start)
        agent.system.interceptor.die_at = (number, When.AFTER)
        where = f"died after call {number}, {calls[number - 1]}"
        assert agent.send() is None, where
        [sent] = agent.wire
        callback = {"biz_opaque_callback_data": sent["biz_opaque_callback_data"]}
        agent.system.deliver_until_accepted(status_webhook(STATUS_ID, "delivered", **callback))
        agent.system.drain()
        agent.wait(LATER_MINUTES)
        answer = agent.send()

        assert answer is not None, where
        assert (answer[0], answer[1]["result"]["state"]) == (200, "sent"), where
        [message] = shown(agent)
        assert message["deliveryStatus"] == "delivered", where
        assert answer[1]["result"]["messageId"] == message["pk"].removeprefix("MSG#"), where
        assert len(agent.wire) == 1, where
        assert handed_over(agent) == [TEXT], where
        check_settled(agent, where)


def test_a_failing_call_neither_loses_nor_doubles_a_message(agent: Agent, start: Snapshot) -> None:
    calls = calls_of_a_send(agent, start)
    for number, fault in failures(calls):
        begin(agent, start)
        agent.system.interceptor.fault_at = (number, fault)
        where = f"{fault} at call {number}, {calls[number - 1]}"
        assert agent.send() is not None, where
        agent.system.interceptor.fault_at = None
        agent.wait(LATER_MINUTES)
        answer = agent.send()

        assert answer is not None, where
        assert answer[0] == 200, (where, answer)
        assert answer[1]["result"]["state"] in {"sent", "unknown", "in_doubt"}, where
        assert len(agent.wire) <= 1, where
        if answer[1]["result"]["state"] == "sent":
            assert len(agent.wire) == 1, where
        assert len(shown(agent)) == 1, where
        check_settled(agent, where)
