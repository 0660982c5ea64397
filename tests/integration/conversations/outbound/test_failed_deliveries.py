"""A provider reports a message as failed: at once, late, or wrongly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle import conversation, transitions
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import Cause
from conversations.store.items import identifiers
from events.conversations import sample_data
from tests.integration.conversations.outbound.delivery_reports import (
    UNREACHABLE,
    email_conversations,
    newest_sent,
    report_status,
)
from tests.integration.conversations.steps import (
    direct_resources,
    start_conversation,
    status_of,
    take_over,
    write,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def end(system: System, ref: str, status: Status = Status.CLOSED) -> None:
    """An agent ends the conversation."""
    resources = direct_resources(system)
    cause = Cause(who="human:eve", what="end", reason="ended")
    transitions.move(resources, conversation.load(resources, ref), status, cause)


# Failures


def test_an_undelivered_answer_causes_a_hand_off(system: System) -> None:
    ref = system.begin("sms")
    write(system)

    report_status(system, ref, "undelivered", **UNREACHABLE)

    assert status_of(system, ref) == ("handoff_pending", "delivery_failed:30003")


@pytest.mark.parametrize("status", [Status.CLOSED, Status.OPTED_OUT])
def test_a_late_failure_does_not_reopen_an_ended_conversation(
    system: System, status: Status
) -> None:
    ref = system.begin("sms")
    write(system)
    end(system, ref, status)

    report_status(system, ref, "undelivered", **UNREACHABLE)

    assert status_of(system, ref) == (status, "ended")
    assert system.state(ref)["mode"] == "closed"
    assert newest_sent(system, ref)["delivery_status"] == "failed"


@pytest.mark.parametrize("status", [Status.CLOSED, Status.OPTED_OUT])
def test_a_late_failure_of_a_first_message_begins_no_fallback_once_the_conversation_has_ended(
    system: System, status: Status
) -> None:
    system.change(fallback_channels=["email"])
    ref = system.begin("sms")
    end(system, ref, status)

    report_status(system, ref, "undelivered", **UNREACHABLE)

    assert status_of(system, ref)[0] == status
    assert len(system.sent()) == 1


def test_a_failed_delivery_does_not_change_the_owner_of_the_conversation(system: System) -> None:
    system.change(fallback_channels=["email"])
    ref = system.begin("sms")
    take_over(system, ref)

    report_status(system, ref, "undelivered", **UNREACHABLE)

    assert status_of(system, ref) == ("handoff_active", "taken_over")
    assert len(system.sent()) == 1


def test_a_pending_hand_off_keeps_its_reason(system: System) -> None:
    ref = system.begin("sms")
    write(system, "Can I talk to a human please")

    report_status(system, ref, "undelivered", **UNREACHABLE)

    assert status_of(system, ref) == ("handoff_pending", "ai")


def test_a_worker_with_a_stale_copy_does_not_reopen_an_ended_conversation(system: System) -> None:
    ref = system.begin("sms")
    resources = direct_resources(system)
    seen = conversation.load(resources, ref)
    write(system, "STOP")

    cause = Cause(who="provider", what="late", reason="delivery_failed:30003")
    transitions.move(resources, seen, Status.HANDOFF_PENDING, cause)

    assert status_of(system, ref) == ("opted_out", "said_stop")
    assert system.state(ref)["mode"] == "closed"
    write(system, "Hello?", "n")
    assert status_of(system, ref)[0] == "opted_out"


CHANNELS = sample_data.project()["channel_config"]
WITHOUT_EMAIL = {name: CHANNELS[name] for name in ("whatsapp", "sms")}


@pytest.mark.parametrize(
    ("project", "recipient"),
    [
        ({"fallback_channels": ["sms"]}, {}),
        ({"fallback_channels": ["email"]}, {"recipient_email": None}),
        ({"fallback_channels": ["email"], "allowed_channels": ["sms"]}, {}),
        ({"fallback_channels": ["email"], "channel_config": WITHOUT_EMAIL}, {}),
    ],
    ids=["same channel", "no address", "not allowed", "not set up"],
)
def test_an_unusable_fallback_channel_is_skipped(
    system: System, project: dict[str, Any], recipient: dict[str, Any]
) -> None:
    system.change(policy={"quiet_hours": None}, **project)
    ref = start_conversation(system, "sms", **recipient)

    report_status(system, ref, "undelivered", **UNREACHABLE)

    assert status_of(system, ref) == ("failed", "delivery_failed:30003")
    assert len([key for key in system.rows() if key[0] == "conversations"]) == 1


def by_request(system: System, request_id: str) -> str:
    """The conversation of a request: its `ref`."""
    rows = [row for key, row in system.rows().items() if key[0] == "conversations"]
    (found,) = (row["conversation_id"] for row in rows if row["request_id"] == request_id)
    return identifiers.ref_of(str(found))


def test_a_fallback_channel_without_an_address_is_skipped(system: System) -> None:
    system.change(fallback_channels=["email", "whatsapp"], policy={"quiet_hours": None})
    ref = start_conversation(system, "sms", recipient_email=None)

    report_status(system, ref, "undelivered", **UNREACHABLE)

    second = by_request(system, "req-1-f2")
    assert system.conversation(second)["channel_method"] == "whatsapp"


def test_a_companys_request_id_that_ends_like_that_of_a_fallback_is_no_fallback(
    system: System,
) -> None:
    system.change(fallback_channels=["email"])
    ref = start_conversation(system, "sms", "order-7-f1")

    report_status(system, ref, "undelivered", **UNREACHABLE)

    assert system.state(ref)["fallback"] == 0
    second = by_request(system, "order-7-f1-f1")
    assert system.conversation(second)["channel_method"] == "email"
    assert system.state(second)["fallback"] == 1


def test_a_fallback_that_an_earlier_release_began_is_not_begun_again(system: System) -> None:
    system.change(fallback_channels=["whatsapp", "email"])
    ref = system.begin("sms")
    report_status(system, ref, "undelivered", **UNREACHABLE)
    second = by_request(system, "req-1-f1")
    state = system.row("log", f"CONV#{second}", "STATE") or {}
    system.write("log", {name: value for name, value in state.items() if name != "fallback"})

    report_status(system, second, "undelivered", **UNREACHABLE)

    assert system.conversation(by_request(system, "req-1-f2"))["channel_method"] == "email"


# Reported as failed, delivered later


def test_a_failed_first_message_that_is_delivered_after_all_starts_no_further_channel(
    system: System,
) -> None:
    system.change(fallback_channels=["whatsapp", "email"])
    ref = system.begin("sms")
    report_status(system, ref, "undelivered", **UNREACHABLE)
    second = by_request(system, "req-1-f1")

    report_status(system, ref, "delivered")
    report_status(system, second, "undelivered", **UNREACHABLE)

    assert status_of(system, ref) == ("failed", "delivery_failed:30003")
    assert status_of(system, second) == ("failed", "delivery_failed:30003")
    assert len(system.sent()) == 2
    assert email_conversations(system) == []


def test_a_deferred_fallback_is_not_sent_once_the_first_message_is_delivered(
    system: System,
) -> None:
    system.change(fallback_channels=["email"])
    ref = system.begin("sms")
    system.switch(safe_mode="true")
    report_status(system, ref, "undelivered", **UNREACHABLE)
    (by_mail,) = email_conversations(system)
    assert status_of(system, by_mail) == ("deferred", "safe_mode")

    report_status(system, ref, "delivered")
    system.switch(safe_mode="false")
    system.settle()

    assert status_of(system, by_mail) == ("blocked", "arrived_before")
    assert len(system.sent()) == 1
