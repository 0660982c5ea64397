"""Delivery statuses of our messages: in any order, repeated, early and late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.outbound.turns import transmission
from conversations.store.items import identifiers
from events.conversations import cast
from shared.runtime import clock
from shared.runtime.observability import metrics
from tests.integration.conversations.acts import (
    DAY_MS,
    meanwhile,
    release,
    stands,
    start_conversation,
    write,
)
from tests.integration.conversations.telling import UNREACHABLE, ours, report_status, take_status
from tests.integration.conversations.test_first_message_failed import FirstFew

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


# Ranks


@pytest.mark.parametrize(
    "words",
    [
        ["queued", "sent", "delivered", "read"],
        ["read", "delivered", "sent", "queued"],
        ["delivered", "read", "read", "delivered", "undelivered"],
        ["read", "sent", "played", "failed"],
    ],
    ids=["in order", "reversed", "repeated", "played"],
)
def test_a_delivery_status_only_rises_in_any_order_of_events(
    world: World, words: list[str]
) -> None:
    ref = world.begin("whatsapp")

    for word in words:
        report_status(world, ref, word)

    assert ours(world, ref)["delivery_status"] == "read"
    assert stands(world, ref)[0] == "initial_message_sent"


def test_a_delivery_reported_after_the_reading_is_not_recorded_as_a_late_one(world: World) -> None:
    ref = world.begin("whatsapp")
    report_status(world, ref, "read")

    report_status(world, ref, "delivered")

    assert "arrived_late_at" not in world.state(ref)


def test_a_repeated_status_changes_nothing(world: World) -> None:
    ref = world.begin("sms")
    report_status(world, ref, "delivered")
    before = world.rows()

    world.clock.ms += DAY_MS
    report_status(world, ref, "delivered")

    after = world.rows()
    moved = {key for key, row in after.items() if before.get(key) != row}
    assert {key[2].partition("#")[0] for key in moved} <= {"MSG"}  # the time of the report
    assert before.keys() == after.keys()


LINKED = "dynamodb.PutItem OUT#"


def report_status_early(world: World, call: str, status: str, **facts: str) -> None:
    """Twilio's callback is processed before the worker has linked the id."""
    (action,) = (row for key, row in world.rows().items() if key[1].startswith("ACTION#"))
    world.status(call.rpartition("#")[2], status, action["actionId"], **facts)
    take_status(world)


def test_a_status_that_arrives_before_the_response_of_the_send_is_matched(
    world: World,
) -> None:
    status, answer = world.ask(cast.request("sms"))
    assert status == 200
    ref = answer["conversation_ref"]

    def early(call: str) -> None:
        report_status_early(world, call, "delivered")
        assert ours(world, ref)["delivery_status"] == "delivered"

    meanwhile(world, LINKED, early)
    world.work_off()

    assert ours(world, ref)["delivery_status"] == "delivered"
    assert stands(world, ref)[0] == "initial_message_sent"


def test_a_failure_that_arrives_before_our_own_writes_remains_a_failure(world: World) -> None:
    status, answer = world.ask(cast.request("sms"))
    assert status == 200
    ref = answer["conversation_ref"]

    meanwhile(
        world, LINKED, lambda call: report_status_early(world, call, "undelivered", **UNREACHABLE)
    )
    world.work_off()

    assert ours(world, ref)["delivery_status"] == "failed"
    assert stands(world, ref) == ("failed", "delivery_failed:30003")
    assert len(world.conversation(ref)["messages"]) == 1


def test_a_worker_that_continues_after_the_send_links_the_id_that_the_ledger_recorded(
    world: World,
) -> None:
    world.wire.fails_if = FirstFew(LINKED, 8)  # More than one worker's retries.
    ref = start_conversation(world)
    assert len(world.sent()) == 1

    report_status(world, ref, "delivered")

    assert ours(world, ref)["delivery_status"] == "delivered"


def test_a_reported_failure_settles_the_action_in_the_ledger(world: World) -> None:
    ref = world.begin("sms")

    report_status(world, ref, "undelivered", **UNREACHABLE)

    (action,) = (row for key, row in world.rows().items() if key[1].startswith("ACTION#"))
    assert action["state"] == "failed"


def test_a_late_failure_of_a_first_message_does_not_change_the_one_sent_after_it(
    world: World,
) -> None:
    world.change(fallback_channels=["email"], allowed_channels=["sms", "whatsapp"])
    world.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=400
    )
    ref = start_conversation(world)
    assert stands(world, ref)[0] == "failed"
    first = ours(world, ref)
    world.change(allowed_channels=["sms", "whatsapp", "email"])
    release(world, ref)
    assert stands(world, ref) == ("initial_message_sent", None)
    sent = len(world.sent())

    report_status_of(world, first, "undelivered")

    assert stands(world, ref) == ("initial_message_sent", None)
    assert len(world.sent()) == sent


def test_a_status_after_a_failure_changes_nothing(world: World) -> None:
    ref = world.begin("sms")
    report_status(world, ref, "undelivered", **UNREACHABLE)

    report_status(world, ref, "delivered")

    assert ours(world, ref)["delivery_status"] == "failed"
    assert stands(world, ref) == ("failed", "delivery_failed:30003")


def in_doubt(world: World, status: int = 500) -> None:
    """The answer to the next send is lost."""
    world.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=status
    )


# Sends in doubt


def test_a_send_in_doubt_is_checked_once_evidence_has_had_time_to_arrive(world: World) -> None:
    in_doubt(world)

    start_conversation(world)

    (due_at,) = world.due_at()
    assert clock.from_text(due_at) > world.clock.ms + transmission.IN_DOUBT_MS


def test_a_first_message_in_doubt_is_resolved_as_delivered_by_a_status(world: World) -> None:
    in_doubt(world)
    ref = start_conversation(world)
    world.settle()
    assert stands(world, ref) == ("failed", "unknown")

    world.status("SM" + "e" * 32, "delivered", action_of(world, ref))
    world.work_off()

    assert stands(world, ref)[0] == "initial_message_sent"
    assert world.conversation(ref)["task_complete"] == 1
    (entry,) = world.conversation(ref)["messages"]
    message = ours(world, ref)
    assert entry["entry_id"] == message["entry_id"]
    assert (message["delivery_status"], message.get("error_code")) == ("delivered", None)
    assert message["provider_message_id"] == "SM" + "e" * 32
    write(world)
    assert stands(world, ref)[0] == "reply_sent"


def test_the_provider_id_of_a_first_status_is_linked_to_the_message(world: World) -> None:
    in_doubt(world)
    ref = start_conversation(world)
    world.settle()
    world.status("SM" + "e" * 32, "delivered", action_of(world, ref))
    world.work_off()

    world.status("SM" + "e" * 32, "read")
    world.work_off()

    message = ours(world, ref)
    assert message["delivery_status"] == "read"
    assert message["other_id"] == "SM" + "e" * 32  # Erasure removes the link with this attribute.


def test_an_answer_in_doubt_is_resolved_as_delivered_and_the_hand_off_remains(
    world: World,
) -> None:
    ref = world.begin("sms")
    in_doubt(world)
    write(world)
    world.settle()
    assert stands(world, ref) == ("handoff_pending", "send_in_doubt")

    answer = next(m for m in world.log(ref) if m.get("delivery_status") == "unknown")
    report_status_of(world, answer, "sent")

    assert stands(world, ref)[0] == "handoff_pending"
    shown = [entry["entry_id"] for entry in world.conversation(ref)["messages"]]
    assert answer["entry_id"] in shown


def test_a_send_in_doubt_that_failed_stays_failed(world: World) -> None:
    in_doubt(world)
    ref = start_conversation(world)
    world.settle()

    world.status("SM" + "e" * 32, "undelivered", action_of(world, ref), **UNREACHABLE)
    world.work_off()

    assert stands(world, ref) == ("failed", "delivery_failed:30003")
    report_status_of(world, ours(world, ref), "delivered")
    assert stands(world, ref) == ("failed", "delivery_failed:30003")


def action_of(world: World, ref: str) -> str:
    """The action of the only send of a conversation."""
    return identifiers.action_id(ref, str(ours(world, ref)["turn_id"]))


def report_status_of(world: World, message: dict[str, Any], word: str) -> None:
    """Twilio reports a status of a message whose id was unknown so far."""
    ref = str(message["pk"]).partition("#")[2]
    action = identifiers.action_id(ref, str(message["turn_id"]))
    world.status("SM" + "f" * 32, word, action)
    world.work_off()


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the metrics that were emitted."""
    names: list[str] = []
    monkeypatch.setattr(metrics, "add_metric", lambda name, *_: names.append(name))
    return names


# Unmatched statuses


def test_a_status_of_an_unknown_message_is_parked_without_an_alarm(
    world: World, counted: list[str]
) -> None:
    world.begin("sms")

    world.status("SM" + "0" * 32, "delivered", "of-another-context")
    world.work_off()

    assert world.parked() == ["unknown_message"]
    assert counted.count("UnmatchedStatus") == 1
    assert not {"Parked", "RetryScheduled"} & set(counted)


def test_a_status_without_an_action_waits_for_its_message_to_be_linked(
    world: World, counted: list[str]
) -> None:
    ref = world.begin("sms")
    linked = next(key for key in world.rows() if key[1].startswith("OUT#"))
    item = world.row(*linked)
    assert item is not None
    world.remove(*linked)

    world.status(linked[1].rpartition("#")[2], "delivered")
    take_status(world)
    assert ours(world, ref)["delivery_status"] == "accepted"
    world.write("log", item)
    world.work_off()

    assert ours(world, ref)["delivery_status"] == "delivered"
    assert world.parked() == []


def test_a_status_without_a_message_is_parked_once_no_send_can_be_in_progress(
    world: World, counted: list[str]
) -> None:
    world.begin("sms")

    world.status("SM" + "0" * 32, "delivered")
    world.work_off()

    assert world.parked() == ["unknown_message"]
    assert "Parked" not in counted
