"""A conversation from the request to the last word."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


def test_a_request_ends_in_a_first_message(world: World) -> None:
    ref = world.begin("sms")

    conversation = world.conversation(ref)
    assert conversation["conversation_status"] == "initial_message_sent"
    assert len(world.log(ref)) == 1


def test_a_user_id_that_is_none_does_not_keep_a_message_with_a_number_from_its_answer(
    world: World,
) -> None:
    ref = world.begin("whatsapp")
    world.whatsapp("m", "Yes I do", ExternalUserId="whatsapp:not an id")
    world.settle()

    assert [message["role"] for message in world.log(ref)] == ["assistant", "user", "assistant"]
