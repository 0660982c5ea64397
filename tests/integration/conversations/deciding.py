"""Agents approve or refuse functions that the model may not run by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.api.access import Agent
from conversations.api.agents import agent_actions
from conversations.lifecycle import commands, conversation
from conversations.lifecycle.commands import Release
from tests.integration.conversations.acts import (
    aside,
    calls,
    model_says,
    put,
    queue_name,
    stands,
)
from tests.integration.conversations.booking import begun, write

if TYPE_CHECKING:
    from tests.integration.sandbox.receiver import Receiver
    from tests.simulation.conversations.world import World

MONDAY = calls("book_slot", day="Monday")


def proposed(world: World, booking_service: Receiver, *answers: str) -> str:
    """A conversation whose model has requested a slot that needs approval, and the model's next outputs."""
    ref = begun(world, booking_service, MONDAY, approval=True)
    write(world)
    assert stands(world, ref) == ("handoff_pending", "function_approval")
    model_says(world, *answers)
    return ref


def waiting(world: World, ref: str) -> dict[str, Any]:
    """The message of the newest function that needed approval."""
    return [row for row in world.log(ref) if row["kind"] == "function"][-1]


def approve(world: World, ref: str, sk: str | None = None, cause: str = "key-1") -> None:
    sk = sk or str(world.state(ref)["waits_for_approval"])
    record = Release(ref=ref, cause=cause, agent_id="eve", function_sk=sk)
    put(world, record, ref, "release", cause)


def give_back(world: World, ref: str, name: str = "eve", *, answer_pending: bool = False) -> None:
    """Return the conversation to the model; no work is queued."""
    resources = aside(world)
    agent = Agent(name=name, principal="key", cause=f"back-{world.clock.ms}")
    agent_actions.hand_back(
        resources, conversation.load(resources, ref), agent, answer_pending=answer_pending
    )


def hand_back(world: World, ref: str, *, answer_pending: bool = True) -> None:
    give_back(world, ref, answer_pending=answer_pending)
    world.work_off()


def last_model_input(world: World) -> list[dict[str, Any]]:
    """The messages of the last model call, without the system text."""
    bodies = [e.body for e in world.sandbox.sent if e.operation == "create_response"]
    assert isinstance(bodies[-1], dict)
    found: list[dict[str, Any]] = bodies[-1]["input"]
    return found


def forget(booking_service: Receiver) -> None:
    while not booking_service.requests.empty():
        booking_service.requests.get()


def released(world: World, ref: str) -> None:
    """The release of Monday's booking is on its queue."""
    sk = str(world.state(ref)["waits_for_approval"])
    record = Release(ref=ref, cause="key-1", agent_id="eve", function_sk=sk)
    world.lanes.put(queue_name(world, "sms"), commands.entry(record, ref, "release", "key-1"))
