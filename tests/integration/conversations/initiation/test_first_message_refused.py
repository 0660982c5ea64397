"""
First messages that the provider refuses or that fail in transit: each ends with a visible status, none is sent twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from events.conversations import sample_data
from local.sandbox.providers.sms import twilio as sandbox_twilio
from tests.integration.conversations.steps import (
    HOUR_MS,
    MINUTE_MS,
    release,
    start_conversation,
    status_of,
    with_model,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


@pytest.fixture(autouse=True)
def _no_quiet_hours(system: System) -> None:
    """Twilio's magic numbers are in all zones of America."""
    system.set_up(sample_data.project(policy={"quiet_hours": None}))


def test_an_opt_out_reported_by_twilio_is_recorded(system: System) -> None:
    ref = start_conversation(system, recipient_tel="+15005550004")
    assert status_of(system, ref) == ("blocked", "opted_out")

    again = start_conversation(system, "email", "req-2", recipient_tel="+15005550004")
    assert status_of(system, again) == ("blocked", "opted_out")


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        ("+15005550001", "address_unusable:21211"),
        ("+15005550009", "address_unusable:21614"),
        ("+15005550002", "provider_rejected:21612"),
    ],
)
def test_a_permanent_refusal_by_twilio_fails_with_its_code(
    system: System, number: str, reason: str
) -> None:
    ref = start_conversation(system, recipient_tel=number)

    assert status_of(system, ref) == ("failed", reason)
    (message,) = system.log(ref)
    assert (message["delivery_status"], message["error_code"]) == ("failed", reason)
    assert system.conversation(ref)["task_complete"] == 0


def test_a_first_message_outside_the_window_fails_with_that_reason(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = sandbox_twilio._MAGIC_RECIPIENTS
    monkeypatch.setitem(refusals, f"whatsapp:{sample_data.CANDIDATE}", 63016)

    assert status_of(system, start_conversation(system, "whatsapp")) == (
        "failed",
        "window_closed:63016",
    )


def test_a_repeated_record_of_a_refused_message_is_not_sent_again(system: System) -> None:
    """A record can always be delivered twice: a message that the provider refused is not composed and refused again."""
    contact = sample_data.request()["recipient_data"] | {"recipient_tel": "+15005550002"}
    _, answer = system.ask(sample_data.request("sms", recipient_data=contact))
    ref = answer["conversation_ref"]
    queue_name = next(name for name in system.workers if name.endswith("sms.fifo"))
    (message,) = system.fifo_queues.queues[queue_name].messages
    system.drain()

    system.clock.ms += HOUR_MS
    system.fifo_queues.queues[queue_name]._append(
        message.body, message.group, message.deduplication
    )
    system.drain()

    assert len(system.log(ref)) == 1
    assert status_of(system, ref) == ("failed", "provider_rejected:21612")


def test_a_rotated_token_is_read_again_once(system: System) -> None:
    start_conversation(system, "email")  # An earlier call has read the secret: it is not fresh.
    system.begin("sms", request_id="req-2")
    system.clock.ms += 2 * MINUTE_MS
    system.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=401
    )

    ref = system.begin("sms", request_id="req-3", recipient_data=other_recipient())

    assert status_of(system, ref)[0] == "initial_message_sent"


def other_recipient() -> dict[str, Any]:
    return {"recipient_tel": "+447700900456", "comms_consent": True}


def test_a_token_refused_after_it_was_read_again_fails_the_conversation(system: System) -> None:
    system.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=401, times=5
    )

    assert status_of(system, start_conversation(system)) == ("failed", "configuration:20003")


def test_a_send_to_a_busy_provider_is_retried_later(system: System) -> None:
    system.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=429, retry_after="30"
    )

    ref = start_conversation(system)

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert len(system.log(ref)) == len(system.sent()) == 1
    assert system.clock.ms >= 1_767_268_800_000 + 30_000


def test_a_failed_message_is_sent_by_a_release_under_an_action_of_its_own(system: System) -> None:
    system.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=401, times=1
    )
    ref = start_conversation(system)

    release(system, ref)

    assert status_of(system, ref)[0] == "initial_message_sent"
    # Both have the same time: their ids decide the order.
    failed, sent = sorted(system.log(ref), key=lambda one: one["delivery_status"] != "failed")
    assert (failed["delivery_status"], sent["delivery_status"]) == ("failed", "accepted")
    assert failed["entry_id"] != sent["entry_id"]
    (entry,) = system.conversation(ref)["messages"]
    assert entry["entry_id"] == sent["entry_id"]


def test_an_agent_may_replace_the_text_of_a_failed_first_message(system: System) -> None:
    with_model(system, "Hello there", "Hello again")
    ref = start_conversation(system)

    release(system, ref, text="Hello Ann, it is me, Eve.")

    assert system.sent()[0]["Body"] == "Hello Ann, it is me, Eve."
    assert system.log(ref)[0]["author"] == "human:eve"
    assert system.conversation(ref)["task_complete"] == 1


# Other failures


def test_a_record_that_fails_for_the_fifth_time_fails_its_conversation(system: System) -> None:
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.PutItem ACTION#")

    ref = start_conversation(system)

    assert status_of(system, ref) == ("failed", "PutItem: InternalServerError")
    assert len(system.fifo_queues.dead_letters) == 1
    assert system.sent() == []


def test_a_redriven_dead_letter_continues_at_the_stored_state(system: System) -> None:
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.PutItem ACTION#")
    ref = start_conversation(system)
    system.interceptor.fails_if = lambda _: False

    queue_with_letters = next(
        queue for queue in system.fifo_queues.queues.values() if queue.dead_letters
    )
    queue_with_letters.redrive()
    system.drain()

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert len(system.log(ref)) == len(system.sent()) == 1


def test_a_project_whose_set_up_becomes_invalid_ends_with_a_visible_status(system: System) -> None:
    _, answer = system.ask(sample_data.request("sms"))
    system.set_up(sample_data.project(policy={"in_doubt": "perhaps"}))

    system.drain()

    assert status_of(system, answer["conversation_ref"]) == ("failed", "configuration_invalid")
    assert len(system.fifo_queues.dead_letters) == 1
