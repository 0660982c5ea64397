"""A first message that the provider answered with a server error: people decide, and nothing is sent twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conversations.store.items import identifiers
from events.conversations import sample_data
from tests.integration.conversations.outbound.delivery_reports import UNREACHABLE, newest_sent
from tests.integration.conversations.steps import start_conversation, status_of

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

SID = "SM" + "e" * 32


def begin_in_doubt(system: System, status: int = 503) -> str:
    """Begin a conversation whose first message Twilio answers with this status, and resolve it without evidence."""
    system.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=status
    )
    ref = start_conversation(system)
    system.settle()
    return ref


def action_of(system: System, ref: str) -> str:
    return identifiers.action_id(ref, str(newest_sent(system, ref)["turn_id"]))


def report(system: System, ref: str, word: str, **fields: str) -> None:
    system.status(SID, word, action_of(system, ref), **fields)
    system.drain()


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_single_server_error_hands_the_first_message_to_people(
    system: System, status: int
) -> None:
    system.change(policy={"handoff_notice": "A colleague will write to you."})

    ref = begin_in_doubt(system, status)

    assert status_of(system, ref) == ("handoff_pending", "send_in_doubt")
    assert system.conversation(ref)["hand_off_to_human"] is True
    message = newest_sent(system, ref)
    assert (message["delivery_status"], message["error_code"]) == ("unknown", "send_in_doubt")
    assert (
        system.sent() == []
    )  # No second attempt, and no notice about a message that may not exist.


def test_a_project_that_allows_it_sends_an_absent_first_message_again(system: System) -> None:
    system.change(policy={"in_doubt": "resend_if_absent"})

    ref = begin_in_doubt(system)

    assert status_of(system, ref) == ("initial_message_sent", None)
    assert len(system.sent()) == 1


def test_a_delivery_begins_the_conversation_and_ends_the_hand_off(system: System) -> None:
    ref = begin_in_doubt(system)

    report(system, ref, "delivered")

    assert status_of(system, ref) == ("initial_message_sent", None)
    assert system.conversation(ref)["hand_off_to_human"] is False


def test_a_failure_is_final_and_starts_the_fallback_channel(system: System) -> None:
    system.set_up(sample_data.project(fallback_channels=["email"]))
    ref = begin_in_doubt(system)
    assert system.sent() == []

    report(system, ref, "undelivered", **UNREACHABLE)

    assert status_of(system, ref) == ("failed", "delivery_failed:30003")
    assert len(system.sent()) == 1
