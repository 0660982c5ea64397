"""Late messages, records and statuses of an erased person restore none of their data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.initiation.context_object import ContextObject
from events.conversations import sample_data, twilio
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import DeliveryStatus
from tests.integration.conversations.privacy.erasure import (
    PERSONAL_DATA,
    answered_conversation,
    inbound_text,
)
from tests.integration.conversations.steps import DAY_MS, queue_name, start_conversation, status_of
from tests.simulation.conversations.erasure import erase, traces

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def test_a_repeated_message_is_dropped(system: System) -> None:
    answered_conversation(system)
    again = inbound_text(system, "a", "2026-01-01T12:00:00.000Z")
    erase(system)
    sent = len(system.sent())

    system.forward(again)
    system.drain()

    assert traces(system, *PERSONAL_DATA) == []
    assert (system.parked(), len(system.sent())) == ([], sent)


def test_a_repeated_message_with_a_newer_time_is_dropped_by_its_id(system: System) -> None:
    answered_conversation(system)
    erase(system)
    system.clock.ms += 7 * DAY_MS

    system.text("a", "Is there a night shift?")
    system.drain()

    assert traces(system, *PERSONAL_DATA) == []
    assert system.parked() == []


def test_a_message_written_after_the_erasure_begins_a_new_conversation(system: System) -> None:
    system.change(accept_inbound=True)
    old = answered_conversation(system)
    erase(system)
    system.clock.ms += DAY_MS

    system.text("new", "Do you still look for people?")
    system.drain()

    (ref,) = (row["ref"] for key, row in system.rows().items() if key[1].startswith("OPEN#"))
    assert ref != old
    assert system.log(ref)[0]["content"] == "Do you still look for people?"


def test_a_request_queued_during_the_erasure_begins_no_conversation(system: System) -> None:
    status, _ = system.ask(sample_data.request("sms"))
    assert status == 200

    erase(system)
    system.drain()

    assert system.parked() == ["erased"]
    assert traces(system, *PERSONAL_DATA) == []
    assert system.sent() == []


def test_a_redriven_dead_letter_of_an_erased_request_begins_no_conversation(system: System) -> None:
    start_conversation(system)
    letter = next(iter(_requests(system)))
    erase(system)

    system.fifo_queues.put(
        queue_name(system, "sms"), Entry(letter, digest("g"), digest("redriven"))
    )
    system.drain()

    assert system.parked() == ["erased"]
    assert traces(system, *PERSONAL_DATA) == []


def test_a_trigger_queued_during_the_erasure_is_parked_and_restores_nothing(system: System) -> None:
    ref = start_conversation(system)
    system.text("a", "Is there a night shift?")
    system.run_intake()

    erase(system)
    system.drain()

    assert system.parked() == ["erased"]
    assert [key for key in system.rows() if key[0] == "conversations"] == []
    assert system.log(ref) == []
    assert traces(system, *PERSONAL_DATA) == []


def test_deferred_work_is_not_restored(system: System) -> None:
    system.clock.ms += 10 * 3_600_000  # at night: the first message waits for the morning
    ref = start_conversation(system)
    assert status_of(system, ref)[0] == "deferred"

    erase(system)
    system.clock.ms += DAY_MS
    system.sweep()
    system.drain()

    assert (system.sent(), system.parked(), system.due_at()) == ([], [], [])


def test_a_late_status_of_a_provider_is_parked_without_its_text(system: System) -> None:
    ref = answered_conversation(system)
    sid = system.log(ref)[-1]["provider_message_id"]
    status = DeliveryStatus(
        provider="twilio", provider_message_id=str(sid), account=twilio.ACCOUNT, channel_method="sms",
        status="delivered", occurred_at="2026-01-01T12:00:00.000Z",
    )  # fmt: skip
    erase(system)

    system.forward(status)
    system.drain()

    assert system.parked() == ["erased"]
    assert system.objects() == {}


def test_an_erased_imported_item_that_an_index_still_returns_is_not_adopted(system: System) -> None:
    ref = answered_conversation(system)
    item = system.conversation(ref)
    erase(system)
    system.write("conversations", item)  # as the index may still return it shortly after

    system.text("new", "Hello again")
    system.drain()

    assert system.log(ref) == []
    assert set(system.state(ref)) == {"pk", "sk", "item_type", "erased_at", "ttl"}


def test_a_new_conversation_with_an_erased_person_begins(system: System) -> None:
    start_conversation(system)
    erase(system)

    ref = start_conversation(system, request_id="req-2")

    assert status_of(system, ref)[0] == "initial_message_sent"


def _requests(system: System) -> list[str]:
    """A request as it was on the queue of its channel."""
    status, _ = system.ask(sample_data.request("sms", "req-9"))
    assert status == 200
    (message,) = system.fifo_queues.queues[queue_name(system, "sms")].messages
    body = str(message.body)
    ContextObject.model_validate_json(body)
    system.drain()
    return [body]
