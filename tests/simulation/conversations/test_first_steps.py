"""A conversation from the request to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


def seen(world: World) -> tuple[Any, ...]:
    """The observable state."""
    queued = {name: queue.accepted for name, queue in world.lanes.queues.items()}
    return world.rows(), world.sandbox.sent, world.wire.calls[:], world.clock.ms, queued


@pytest.mark.parametrize("channel", ["sms", "whatsapp", "email"])
def test_a_repeated_request_in_an_empty_world_restores_the_cached_conversation(
    world: World, channel: str
) -> None:
    world._begun.clear()
    ref = world.begin(channel)
    built = seen(world)
    world.reset()

    assert (world.begin(channel), seen(world)) == (ref, built)
    assert world.wire.first_of_runs == []  # no handler ran


def test_the_cached_conversation_is_not_used_in_a_changed_world(world: World) -> None:
    world.begin("sms")
    world.reset()
    world.clock.ms += 1

    world.begin("sms")

    assert world.wire.first_of_runs != []


def test_a_request_results_in_a_first_message(world: World) -> None:
    ref = world.begin("sms")

    conversation = world.conversation(ref)
    assert conversation["conversation_status"] == "initial_message_sent"
    assert len(world.log(ref)) == 1


def test_a_message_with_a_number_and_an_invalid_user_id_is_answered(
    world: World,
) -> None:
    ref = world.begin("whatsapp")
    world.whatsapp("m", "Yes I do", ExternalUserId="whatsapp:not an id")
    world.settle()

    assert [message["role"] for message in world.log(ref)] == ["assistant", "user", "assistant"]
