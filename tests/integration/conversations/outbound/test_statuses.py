"""Delivery statuses of our messages: in any order, repeated, early and late."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.outbound.turns import transmission
from conversations.store.items import identifiers
from events.conversations import sample_data
from shared.runtime import clock
from shared.runtime.observability import metrics
from tests.integration.conversations.initiation.test_first_message_failed import FirstFew
from tests.integration.conversations.outbound.delivery_reports import (
    UNREACHABLE,
    newest_sent,
    report_status,
    take_status,
)
from tests.integration.conversations.steps import (
    DAY_MS,
    before_call,
    release,
    start_conversation,
    status_of,
    write,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


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
    system: System, words: list[str]
) -> None:
    ref = system.begin("whatsapp")

    for word in words:
        report_status(system, ref, word)

    assert newest_sent(system, ref)["delivery_status"] == "read"
    assert status_of(system, ref)[0] == "initial_message_sent"


def test_a_delivery_reported_after_the_reading_is_not_recorded_as_a_late_one(
    system: System,
) -> None:
    ref = system.begin("whatsapp")
    report_status(system, ref, "read")

    report_status(system, ref, "delivered")

    assert "arrived_late_at" not in system.state(ref)


def test_a_repeated_status_changes_nothing(system: System) -> None:
    ref = system.begin("sms")
    report_status(system, ref, "delivered")
    before = system.rows()

    system.clock.ms += DAY_MS
    report_status(system, ref, "delivered")

    after = system.rows()
    moved = {key for key, row in after.items() if before.get(key) != row}
    assert {key[2].partition("#")[0] for key in moved} <= {"MSG"}  # the time of the report
    assert before.keys() == after.keys()


LINKED = "dynamodb.PutItem OUT#"


def report_status_early(system: System, call: str, status: str, **facts: str) -> None:
    """Twilio's callback is processed before the worker has linked the id."""
    (action,) = (row for key, row in system.rows().items() if key[1].startswith("ACTION#"))
    system.status(call.rpartition("#")[2], status, action["actionId"], **facts)
    take_status(system)


def test_a_status_that_arrives_before_the_response_of_the_send_is_matched(
    system: System,
) -> None:
    status, answer = system.ask(sample_data.request("sms"))
    assert status == 200
    ref = answer["conversation_ref"]

    def early(call: str) -> None:
        report_status_early(system, call, "delivered")
        assert newest_sent(system, ref)["delivery_status"] == "delivered"

    before_call(system, LINKED, early)
    system.drain()

    assert newest_sent(system, ref)["delivery_status"] == "delivered"
    assert status_of(system, ref)[0] == "initial_message_sent"


def test_a_failure_that_arrives_before_our_own_writes_remains_a_failure(system: System) -> None:
    status, answer = system.ask(sample_data.request("sms"))
    assert status == 200
    ref = answer["conversation_ref"]

    before_call(
        system, LINKED, lambda call: report_status_early(system, call, "undelivered", **UNREACHABLE)
    )
    system.drain()

    assert newest_sent(system, ref)["delivery_status"] == "failed"
    assert status_of(system, ref) == ("failed", "delivery_failed:30003")
    assert len(system.conversation(ref)["messages"]) == 1


def test_a_worker_that_continues_after_the_send_links_the_id_that_the_ledger_recorded(
    system: System,
) -> None:
    system.interceptor.fails_if = FirstFew(LINKED, 8)  # More than one worker's retries.
    ref = start_conversation(system)
    assert len(system.sent()) == 1

    report_status(system, ref, "delivered")

    assert newest_sent(system, ref)["delivery_status"] == "delivered"


def test_a_reported_failure_settles_the_action_in_the_ledger(system: System) -> None:
    ref = system.begin("sms")

    report_status(system, ref, "undelivered", **UNREACHABLE)

    (action,) = (row for key, row in system.rows().items() if key[1].startswith("ACTION#"))
    assert action["state"] == "failed"


def test_a_late_failure_of_a_first_message_does_not_change_the_one_sent_after_it(
    system: System,
) -> None:
    system.change(fallback_channels=["email"], allowed_channels=["sms", "whatsapp"])
    system.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=400
    )
    ref = start_conversation(system)
    assert status_of(system, ref)[0] == "failed"
    first = newest_sent(system, ref)
    system.change(allowed_channels=["sms", "whatsapp", "email"])
    release(system, ref)
    assert status_of(system, ref) == ("initial_message_sent", None)
    sent = len(system.sent())

    report_status_of(system, first, "undelivered")

    assert status_of(system, ref) == ("initial_message_sent", None)
    assert len(system.sent()) == sent


def test_a_status_after_a_failure_changes_nothing(system: System) -> None:
    ref = system.begin("sms")
    report_status(system, ref, "undelivered", **UNREACHABLE)

    report_status(system, ref, "delivered")

    assert newest_sent(system, ref)["delivery_status"] == "failed"
    assert status_of(system, ref) == ("failed", "delivery_failed:30003")


def in_doubt(system: System, status: int = 500) -> None:
    """The answer to the next send is lost."""
    system.sandbox.faults.add(
        kind="status", provider="twilio", operation="create_message", status=status
    )


# Sends in doubt


def test_a_send_in_doubt_is_checked_once_evidence_has_had_time_to_arrive(system: System) -> None:
    in_doubt(system)

    start_conversation(system)

    (due_at,) = system.due_at()
    assert clock.from_text(due_at) > system.clock.ms + transmission.IN_DOUBT_MS


def test_a_first_message_in_doubt_is_resolved_as_delivered_by_a_status(system: System) -> None:
    in_doubt(system)
    ref = start_conversation(system)
    system.settle()
    assert status_of(system, ref) == ("handoff_pending", "send_in_doubt")

    system.status("SM" + "e" * 32, "delivered", action_of(system, ref))
    system.drain()

    assert status_of(system, ref)[0] == "initial_message_sent"
    assert system.conversation(ref)["task_complete"] == 1
    (entry,) = system.conversation(ref)["messages"]
    message = newest_sent(system, ref)
    assert entry["entry_id"] == message["entry_id"]
    assert (message["delivery_status"], message.get("error_code")) == ("delivered", None)
    assert message["provider_message_id"] == "SM" + "e" * 32
    write(system)
    assert status_of(system, ref)[0] == "reply_sent"


def test_the_provider_id_of_a_first_status_is_linked_to_the_message(system: System) -> None:
    in_doubt(system)
    ref = start_conversation(system)
    system.settle()
    system.status("SM" + "e" * 32, "delivered", action_of(system, ref))
    system.drain()

    system.status("SM" + "e" * 32, "read")
    system.drain()

    message = newest_sent(system, ref)
    assert message["delivery_status"] == "read"
    assert message["other_id"] == "SM" + "e" * 32  # Erasure removes the link with this attribute.


def test_an_answer_in_doubt_is_resolved_as_delivered_and_the_hand_off_remains(
    system: System,
) -> None:
    ref = system.begin("sms")
    in_doubt(system)
    write(system)
    system.settle()
    assert status_of(system, ref) == ("handoff_pending", "send_in_doubt")

    answer = next(m for m in system.log(ref) if m.get("delivery_status") == "unknown")
    report_status_of(system, answer, "sent")

    assert status_of(system, ref)[0] == "handoff_pending"
    shown = [entry["entry_id"] for entry in system.conversation(ref)["messages"]]
    assert answer["entry_id"] in shown


def test_a_send_in_doubt_that_failed_stays_failed(system: System) -> None:
    in_doubt(system)
    ref = start_conversation(system)
    system.settle()

    system.status("SM" + "e" * 32, "undelivered", action_of(system, ref), **UNREACHABLE)
    system.drain()

    assert status_of(system, ref) == ("failed", "delivery_failed:30003")
    report_status_of(system, newest_sent(system, ref), "delivered")
    assert status_of(system, ref) == ("failed", "delivery_failed:30003")


def action_of(system: System, ref: str) -> str:
    """The action of the only send of a conversation."""
    return identifiers.action_id(ref, str(newest_sent(system, ref)["turn_id"]))


def report_status_of(system: System, message: dict[str, Any], word: str) -> None:
    """Twilio reports a status of a message whose id was unknown so far."""
    ref = str(message["pk"]).partition("#")[2]
    action = identifiers.action_id(ref, str(message["turn_id"]))
    system.status("SM" + "f" * 32, word, action)
    system.drain()


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the metrics that were emitted."""
    names: list[str] = []
    monkeypatch.setattr(metrics, "add_metric", lambda name, *_: names.append(name))
    return names


# Unmatched statuses


def test_a_status_of_an_unknown_message_is_parked_without_an_alarm(
    system: System, counted: list[str]
) -> None:
    system.begin("sms")

    system.status("SM" + "0" * 32, "delivered", "of-another-context")
    system.drain()

    assert system.parked() == ["unknown_message"]
    assert counted.count("UnmatchedStatus") == 1
    assert not {"Parked", "RetryScheduled"} & set(counted)


def test_a_status_without_an_action_waits_for_its_message_to_be_linked(
    system: System, counted: list[str]
) -> None:
    ref = system.begin("sms")
    linked = next(key for key in system.rows() if key[1].startswith("OUT#"))
    item = system.row(*linked)
    assert item is not None
    system.remove(*linked)

    system.status(linked[1].rpartition("#")[2], "delivered")
    take_status(system)
    assert newest_sent(system, ref)["delivery_status"] == "accepted"
    system.write("log", item)
    system.drain()

    assert newest_sent(system, ref)["delivery_status"] == "delivered"
    assert system.parked() == []


def test_a_status_without_a_message_is_parked_once_no_send_can_be_in_progress(
    system: System, counted: list[str]
) -> None:
    system.begin("sms")

    system.status("SM" + "0" * 32, "delivered")
    system.drain()

    assert system.parked() == ["unknown_message"]
    assert "Parked" not in counted
