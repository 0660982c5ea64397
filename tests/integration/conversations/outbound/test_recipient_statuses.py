"""Statuses with information about the recipient: an opt-out, or an address that a channel does not reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.store.items import identifiers
from events.conversations import twilio
from shared.events.exchange import DeliveryStatus
from shared.runtime import clock
from tests.integration.conversations.inbound.test_intake import mail
from tests.integration.conversations.outbound.delivery_reports import (
    email_conversations,
    newest_sent,
    report_status,
    take_status,
)
from tests.integration.conversations.steps import (
    HOUR_MS,
    start_conversation,
    status_of,
    texts_by,
    write,
)
from tests.simulation.conversations.system import SENDING

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def event_of_ses(system: System, ref: str, status: str, **facts: Any) -> DeliveryStatus:
    """A status of the newest mail by SES, as the mail context forwards it: with SES's own id and our action."""
    message = newest_sent(system, ref)
    return DeliveryStatus(**{
        "provider": "ses",
        "provider_message_id": str(message["provider_message_id"]).partition("@")[0],
        "account": "arn:aws:ses",
        "channel_method": "email",
        "action_id": identifiers.action_id(ref, str(message["turn_id"])),
        "status": status,
        "occurred_at": clock.to_text(system.clock.ms),
        **facts,
    })  # fmt: skip


# Opt-outs and bounces


@pytest.mark.long
def test_a_complaint_about_a_mail_is_an_opt_out_on_all_channels(system: System) -> None:
    ref = system.begin("email")

    system.forward(event_of_ses(system, ref, "Complaint", error_code="abuse"))
    system.drain()

    assert status_of(system, ref) == ("opted_out", "complaint")
    assert status_of(system, start_conversation(system, "sms", "req-2")) == ("blocked", "opted_out")


def test_a_mail_marked_as_not_spam_causes_no_opt_out(system: System) -> None:
    ref = system.begin("email")

    system.forward(event_of_ses(system, ref, "Complaint", error_code="not-spam"))
    system.drain()

    assert status_of(system, ref)[0] == "initial_message_sent"


def test_a_repeated_complaint_does_not_revoke_a_later_opt_in(system: System) -> None:
    ref = system.begin("email")
    complaint = event_of_ses(system, ref, "Complaint")
    system.forward(complaint)
    system.drain()
    system.clock.ms += HOUR_MS
    system.forward(mail(system, "m", "START"))
    system.drain()
    assert status_of(system, ref)[0] == "initial_message_sent"

    system.clock.ms += HOUR_MS
    system.forward(complaint)
    system.drain()

    assert status_of(system, ref)[0] == "initial_message_sent"


def test_an_opt_out_at_twilio_is_recorded_from_the_status_too(system: System) -> None:
    ref = system.begin("sms")

    report_status(system, ref, "undelivered", ErrorCode="21610")

    assert status_of(system, ref)[0] == "opted_out"
    assert status_of(system, start_conversation(system, "email", "req-2")) == (
        "blocked",
        "opted_out",
    )


def test_a_hard_bounce_fails_the_conversation_and_the_address_is_not_tried_again(
    system: System,
) -> None:
    ref = system.begin("email")
    bounce = {"bounce": {"bounceType": "Permanent", "bounceSubType": "General"}}

    system.forward(event_of_ses(system, ref, "Bounce", error_code="5.1.1", extra=bounce))
    system.drain()

    assert status_of(system, ref) == ("failed", "delivery_failed:5.1.1")
    again = start_conversation(system, "email", "req-2")
    assert status_of(system, again) == ("failed", "address_unusable")
    assert system.log(again) == []  # No text was composed.
    assert len(system.sent()) == 1


def test_after_a_soft_bounce_the_address_is_tried_again(system: System) -> None:
    ref = system.begin("email")

    system.forward(event_of_ses(system, ref, "Bounce", error_code="Transient"))
    system.drain()

    assert status_of(system, ref)[0] == "failed"
    assert (
        status_of(system, start_conversation(system, "email", "req-2"))[0] == "initial_message_sent"
    )


# An address that a channel does not reach


def test_a_number_that_is_no_mobile_is_not_tried_again_and_the_next_channel_is_used(
    system: System,
) -> None:
    system.change(fallback_channels=["email"], policy={"quiet_hours": None})
    landline = {"recipient_tel": "+15005550009"}
    start_conversation(system, **landline)
    sent = len(system.sent())

    ref = start_conversation(system, "sms", "req-2", **landline)

    assert status_of(system, ref) == ("failed", "address_unusable")
    assert [m["operation"] for m in operations(system)[sent:]] == ["SendEmail"]
    by_mail = system.conversation(email_conversations(system)[-1])
    assert (by_mail["request_id"], by_mail["channel_method"]) == ("req-2-f1", "email")


def operations(system: System) -> list[dict[str, str]]:
    return [
        {"operation": entry.operation}
        for entry in system.sandbox.sent
        if entry.operation in SENDING
    ]


def test_an_answer_to_an_address_that_became_unreachable_hands_off(system: System) -> None:
    ref = system.begin("whatsapp")
    system.whatsapp("m", "Which shift is it?")
    system.run_intake()
    system.clock.ms += 1_000
    report_status_now(system, ref, "failed", ErrorCode="63024")

    system.drain()

    assert status_of(system, ref) == ("handoff_pending", "address_unusable")
    assert len(system.sent()) == 1


def report_status_now(system: System, ref: str, word: str, **fields: str) -> None:
    """Twilio reports a status before the answer is sent."""
    system.status(newest_sent(system, ref)["provider_message_id"], word, **fields)
    take_status(system)


def test_a_message_from_an_unreachable_address_makes_it_reachable_again(system: System) -> None:
    ref = system.begin("sms")
    report_status(system, ref, "undelivered", ErrorCode="21614")
    system.clock.ms += HOUR_MS

    write(system)

    assert len(texts_by(system, ref)) == 1  # The answer; the first message was not delivered.
    assert (
        status_of(system, start_conversation(system, "sms", "req-2"))[0] == "initial_message_sent"
    )


def test_a_repeated_old_message_does_not_clear_a_newer_unreachable_mark(system: System) -> None:
    ref = system.begin("sms")
    write(system)
    system.clock.ms += HOUR_MS
    report_status(system, ref, "undelivered", ErrorCode="21614")

    system.clock.ms += HOUR_MS
    system.webhook(twilio_again(system))
    system.drain()

    assert status_of(system, start_conversation(system, "sms", "req-2")) == (
        "failed",
        "address_unusable",
    )


def twilio_again(system: System) -> dict[str, Any]:
    return twilio.post(twilio.text("m", "Which shift is it?"))


def test_an_unreachable_address_is_recorded_with_the_providers_code(system: System) -> None:
    ref = system.begin("sms")

    report_status(system, ref, "undelivered", ErrorCode="21614")

    (reason,) = (
        row["reason"] for key, row in system.rows().items() if key[1].startswith("UNREACHABLE#")
    )
    assert reason == "21614"


def test_an_address_unreachable_on_one_channel_is_used_on_another(system: System) -> None:
    ref = system.begin("whatsapp")
    report_status(system, ref, "failed", ErrorCode="63024")

    assert (
        status_of(system, start_conversation(system, "sms", "req-2"))[0] == "initial_message_sent"
    )
