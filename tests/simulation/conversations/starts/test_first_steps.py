"""A conversation from the request to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def seen(system: System) -> tuple[Any, ...]:
    """The observable state."""
    queued = {name: queue.accepted for name, queue in system.fifo_queues.queues.items()}
    return system.rows(), system.sandbox.sent, system.interceptor.calls[:], system.clock.ms, queued


@pytest.mark.long
@pytest.mark.parametrize("channel", ["sms", "whatsapp", "email"])
def test_a_repeated_request_in_an_empty_system_restores_the_cached_conversation(
    system: System, channel: str
) -> None:
    system._begun.clear()
    ref = system.begin(channel)
    built = seen(system)
    system.reset()

    assert (system.begin(channel), seen(system)) == (ref, built)
    assert system.interceptor.first_of_runs == []  # no handler ran


def test_the_cached_conversation_is_not_used_in_a_changed_system(system: System) -> None:
    system.begin("sms")
    system.reset()
    system.clock.ms += 1

    system.begin("sms")

    assert system.interceptor.first_of_runs != []


def test_a_request_results_in_a_first_message(system: System) -> None:
    ref = system.begin("sms")

    conversation = system.conversation(ref)
    assert conversation["conversation_status"] == "initial_message_sent"
    assert len(system.log(ref)) == 1


def test_a_message_with_a_number_and_an_invalid_user_id_is_answered(
    system: System,
) -> None:
    ref = system.begin("whatsapp")
    system.whatsapp("m", "Yes I do", ExternalUserId="whatsapp:not an id")
    system.settle()

    assert [message["role"] for message in system.log(ref)] == ["assistant", "user", "assistant"]
