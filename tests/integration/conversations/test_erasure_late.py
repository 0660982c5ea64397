"""Late messages, records and statuses of an erased person restore none of their data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.initiation.context_object import ContextObject
from events.conversations import cast, twilio
from shared.aws.sqs_fifo import Entry, digest
from shared.events import DeliveryStatus
from tests.integration.conversations.acts import DAY_MS, queue_name, stands, start_conversation
from tests.integration.conversations.leaving import (
    WORDS,
    received,
    talked,
)
from tests.simulation.conversations.erasing import erase, traces

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


def test_a_repeated_message_is_dropped(world: World) -> None:
    talked(world)
    again = received(world, "a", "2026-01-01T12:00:00.000Z")
    erase(world)
    sent = len(world.sent())

    world.tell(again)
    world.work_off()

    assert traces(world, *WORDS) == []
    assert (world.parked(), len(world.sent())) == ([], sent)


def test_a_repeated_message_with_a_newer_time_is_dropped_by_its_id(world: World) -> None:
    talked(world)
    erase(world)
    world.clock.ms += 7 * DAY_MS

    world.text("a", "Is there a night shift?")
    world.work_off()

    assert traces(world, *WORDS) == []
    assert world.parked() == []


def test_a_message_written_after_the_erasure_begins_a_new_conversation(world: World) -> None:
    world.change(accept_inbound=True)
    old = talked(world)
    erase(world)
    world.clock.ms += DAY_MS

    world.text("new", "Do you still look for people?")
    world.work_off()

    (ref,) = (row["ref"] for key, row in world.rows().items() if key[1].startswith("OPEN#"))
    assert ref != old
    assert world.log(ref)[0]["content"] == "Do you still look for people?"


def test_a_request_queued_during_the_erasure_begins_no_conversation(world: World) -> None:
    status, _ = world.ask(cast.request("sms"))
    assert status == 200

    erase(world)
    world.work_off()

    assert world.parked() == ["erased"]
    assert traces(world, *WORDS) == []
    assert world.sent() == []


def test_a_redriven_dead_letter_of_an_erased_request_begins_no_conversation(world: World) -> None:
    start_conversation(world)
    letter = next(iter(_requests(world)))
    erase(world)

    world.lanes.put(queue_name(world, "sms"), Entry(letter, digest("g"), digest("redriven")))
    world.work_off()

    assert world.parked() == ["erased"]
    assert traces(world, *WORDS) == []


def test_a_trigger_queued_during_the_erasure_is_parked_and_restores_nothing(world: World) -> None:
    ref = start_conversation(world)
    world.text("a", "Is there a night shift?")
    world.take_in()

    erase(world)
    world.work_off()

    assert world.parked() == ["erased"]
    assert [key for key in world.rows() if key[0] == "conversations"] == []
    assert world.log(ref) == []
    assert traces(world, *WORDS) == []


def test_deferred_work_is_not_restored(world: World) -> None:
    world.clock.ms += 10 * 3_600_000  # at night: the first message waits for the morning
    ref = start_conversation(world)
    assert stands(world, ref)[0] == "deferred"

    erase(world)
    world.clock.ms += DAY_MS
    world.sweep()
    world.work_off()

    assert (world.sent(), world.parked(), world.due_at()) == ([], [], [])


def test_a_late_status_of_a_provider_is_parked_without_its_text(world: World) -> None:
    ref = talked(world)
    sid = world.log(ref)[-1]["provider_message_id"]
    status = DeliveryStatus(
        provider="twilio", provider_message_id=str(sid), account=twilio.ACCOUNT, channel_method="sms",
        status="delivered", occurred_at="2026-01-01T12:00:00.000Z",
    )  # fmt: skip
    erase(world)

    world.tell(status)
    world.work_off()

    assert world.parked() == ["erased"]
    assert world.objects() == {}


def test_an_erased_imported_item_that_an_index_still_returns_is_not_adopted(world: World) -> None:
    ref = talked(world)
    item = world.conversation(ref)
    erase(world)
    world.write("conversations", item)  # as the index may still return it shortly after

    world.text("new", "Hello again")
    world.work_off()

    assert world.log(ref) == []
    assert set(world.state(ref)) == {"pk", "sk", "item_type", "erased_at", "ttl"}


def test_a_new_conversation_with_an_erased_person_begins(world: World) -> None:
    start_conversation(world)
    erase(world)

    ref = start_conversation(world, request_id="req-2")

    assert stands(world, ref)[0] == "initial_message_sent"


def _requests(world: World) -> list[str]:
    """A request as it was on the queue of its channel."""
    status, _ = world.ask(cast.request("sms", "req-9"))
    assert status == 200
    (message,) = world.lanes.queues[queue_name(world, "sms")].messages
    body = str(message.body)
    ContextObject.model_validate_json(body)
    world.work_off()
    return [body]
