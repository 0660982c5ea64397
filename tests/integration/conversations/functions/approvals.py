"""Agents approve or refuse functions that the model may not run by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.api.access import Agent
from conversations.api.agents import agent_actions
from conversations.lifecycle import conversation
from conversations.lifecycle.records import commands
from conversations.lifecycle.records.commands import Release
from tests.integration.conversations.booking import start_booking, write
from tests.integration.conversations.steps import (
    direct_resources,
    enqueue,
    function_call,
    model_says,
    queue_name,
    status_of,
)

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.system import System

MONDAY = function_call("book_slot", day="Monday")


def propose_booking(system: System, booking_service: Receiver, *answers: str) -> str:
    """A conversation whose model has requested a slot that needs approval, and the model's next outputs."""
    ref = start_booking(system, booking_service, MONDAY, approval=True)
    write(system)
    assert status_of(system, ref) == ("handoff_pending", "function_approval")
    model_says(system, *answers)
    return ref


def pending_function(system: System, ref: str) -> dict[str, Any]:
    """The message of the newest function that needed approval."""
    return [row for row in system.log(ref) if row["kind"] == "function"][-1]


def approve(system: System, ref: str, sk: str | None = None, cause: str = "key-1") -> None:
    sk = sk or str(system.state(ref)["waits_for_approval"])
    record = Release(ref=ref, cause=cause, agent_id="eve", function_sk=sk)
    enqueue(system, record, ref, "release", cause)


def return_to_model(
    system: System, ref: str, name: str = "eve", *, answer_pending: bool = False
) -> None:
    """Return the conversation to the model; no work is queued."""
    resources = direct_resources(system)
    agent = Agent(principal=name, cause=f"back-{system.clock.ms}")
    agent_actions.hand_back(
        resources, conversation.load(resources, ref), agent, answer_pending=answer_pending
    )


def hand_back(system: System, ref: str, *, answer_pending: bool = True) -> None:
    return_to_model(system, ref, answer_pending=answer_pending)
    system.drain()


def last_model_input(system: System) -> list[dict[str, Any]]:
    """The messages of the last model call, without the system text."""
    bodies = [e.body for e in system.sandbox.sent if e.operation == "create_response"]
    assert isinstance(bodies[-1], dict)
    found: list[dict[str, Any]] = bodies[-1]["input"]
    return found


def clear_requests(booking_service: Receiver) -> None:
    while not booking_service.requests.empty():
        booking_service.requests.get()


def enqueue_release(system: System, ref: str) -> None:
    """The release of Monday's booking is on its queue."""
    sk = str(system.state(ref)["waits_for_approval"])
    record = Release(ref=ref, cause="key-1", agent_id="eve", function_sk=sk)
    system.fifo_queues.put(
        queue_name(system, "sms"), commands.entry(record, ref, "release", "key-1")
    )


def give(system: System, ref: str, assignee: str) -> None:
    """Assign the conversation to an agent or a team."""
    resources = direct_resources(system)
    agent = Agent(principal="eve", cause=f"give-{system.clock.ms}")
    agent_actions.take_over(resources, conversation.load(resources, ref), agent, assignee)
