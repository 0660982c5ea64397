"""Statuses with information about the recipient: an opt-out, or an address that a channel does not reach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.store.items import identifiers
from events.conversations import twilio
from shared.events import DeliveryStatus
from shared.runtime import clock
from tests.integration.conversations.acts import (
    HOUR_MS,
    stands,
    start_conversation,
    texts_by,
    write,
)
from tests.integration.conversations.telling import mails, ours, report_status, take_status
from tests.integration.conversations.test_intake import mail

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World


def event_of_ses(world: World, ref: str, status: str, **facts: Any) -> DeliveryStatus:
    """A status of the newest mail by SES, as the mail context forwards it: with SES's own id and our action."""
    message = ours(world, ref)
    return DeliveryStatus(**{
        "provider": "ses",
        "provider_message_id": str(message["provider_message_id"]).partition("@")[0],
        "account": "arn:aws:ses",
        "channel_method": "email",
        "action_id": identifiers.action_id(ref, str(message["turn_id"])),
        "status": status,
        "occurred_at": clock.to_text(world.clock.ms),
        **facts,
    })  # fmt: skip


# Opt-outs and bounces


def test_a_complaint_about_a_mail_is_an_opt_out_on_all_channels(world: World) -> None:
    ref = world.begin("email")

    world.tell(event_of_ses(world, ref, "Complaint", error_code="abuse"))
    world.work_off()

    assert stands(world, ref) == ("opted_out", "complaint")
    assert stands(world, start_conversation(world, "sms", "req-2")) == ("blocked", "opted_out")


def test_a_mail_marked_as_not_spam_causes_no_opt_out(world: World) -> None:
    ref = world.begin("email")

    world.tell(event_of_ses(world, ref, "Complaint", error_code="not-spam"))
    world.work_off()

    assert stands(world, ref)[0] == "initial_message_sent"


def test_a_repeated_complaint_does_not_revoke_a_later_opt_in(world: World) -> None:
    ref = world.begin("email")
    complaint = event_of_ses(world, ref, "Complaint")
    world.tell(complaint)
    world.work_off()
    world.clock.ms += HOUR_MS
    world.tell(mail(world, "m", "START"))
    world.work_off()
    assert stands(world, ref)[0] == "initial_message_sent"

    world.clock.ms += HOUR_MS
    world.tell(complaint)
    world.work_off()

    assert stands(world, ref)[0] == "initial_message_sent"


def test_an_opt_out_at_twilio_is_recorded_from_the_status_too(world: World) -> None:
    ref = world.begin("sms")

    report_status(world, ref, "undelivered", ErrorCode="21610")

    assert stands(world, ref)[0] == "opted_out"
    assert stands(world, start_conversation(world, "email", "req-2")) == ("blocked", "opted_out")


def test_a_hard_bounce_fails_the_conversation_and_the_address_is_not_tried_again(
    world: World,
) -> None:
    ref = world.begin("email")
    bounce = {"bounce": {"bounceType": "Permanent", "bounceSubType": "General"}}

    world.tell(event_of_ses(world, ref, "Bounce", error_code="5.1.1", extra=bounce))
    world.work_off()

    assert stands(world, ref) == ("failed", "delivery_failed:5.1.1")
    again = start_conversation(world, "email", "req-2")
    assert stands(world, again) == ("failed", "address_unusable")
    assert world.log(again) == []  # No text was composed.
    assert len(world.sent()) == 1


def test_after_a_soft_bounce_the_address_is_tried_again(world: World) -> None:
    ref = world.begin("email")

    world.tell(event_of_ses(world, ref, "Bounce", error_code="Transient"))
    world.work_off()

    assert stands(world, ref)[0] == "failed"
    assert stands(world, start_conversation(world, "email", "req-2"))[0] == "initial_message_sent"


# An address that a channel does not reach


def test_a_number_that_is_no_mobile_is_not_tried_again_and_the_next_channel_is_used(
    world: World,
) -> None:
    world.change(fallback_channels=["email"], policy={"quiet_hours": None})
    landline = {"recipient_tel": "+15005550009"}
    start_conversation(world, **landline)
    sent = len(world.sent())

    ref = start_conversation(world, "sms", "req-2", **landline)

    assert stands(world, ref) == ("failed", "address_unusable")
    assert [m["operation"] for m in operations(world)[sent:]] == ["SendEmail"]
    by_mail = world.conversation(mails(world)[-1])
    assert (by_mail["request_id"], by_mail["channel_method"]) == ("req-2-f1", "email")


def operations(world: World) -> list[dict[str, str]]:
    return [{"operation": entry.operation} for entry in world.sandbox.sent]


def test_an_answer_to_an_address_that_became_unreachable_hands_off(world: World) -> None:
    ref = world.begin("whatsapp")
    world.whatsapp("m", "Which shift is it?")
    world.take_in()
    world.clock.ms += 1_000
    report_status_now(world, ref, "failed", ErrorCode="63024")

    world.work_off()

    assert stands(world, ref) == ("handoff_pending", "address_unusable")
    assert len(world.sent()) == 1


def report_status_now(world: World, ref: str, word: str, **fields: str) -> None:
    """Twilio reports a status before the answer is sent."""
    world.status(ours(world, ref)["provider_message_id"], word, **fields)
    take_status(world)


def test_a_message_from_an_unreachable_address_makes_it_reachable_again(world: World) -> None:
    ref = world.begin("sms")
    report_status(world, ref, "undelivered", ErrorCode="21614")
    world.clock.ms += HOUR_MS

    write(world)

    assert len(texts_by(world, ref)) == 1  # The answer; the first message was not delivered.
    assert stands(world, start_conversation(world, "sms", "req-2"))[0] == "initial_message_sent"


def test_a_repeated_old_message_does_not_clear_a_newer_unreachable_mark(world: World) -> None:
    ref = world.begin("sms")
    write(world)
    world.clock.ms += HOUR_MS
    report_status(world, ref, "undelivered", ErrorCode="21614")

    world.clock.ms += HOUR_MS
    world.webhook(twilio_again(world))
    world.work_off()

    assert stands(world, start_conversation(world, "sms", "req-2")) == (
        "failed",
        "address_unusable",
    )


def twilio_again(world: World) -> dict[str, Any]:
    return twilio.post(twilio.text("m", "Which shift is it?"))


def test_an_unreachable_address_is_recorded_with_the_providers_code(world: World) -> None:
    ref = world.begin("sms")

    report_status(world, ref, "undelivered", ErrorCode="21614")

    (reason,) = (
        row["reason"] for key, row in world.rows().items() if key[1].startswith("UNREACHABLE#")
    )
    assert reason == "21614"


def test_an_address_unreachable_on_one_channel_is_used_on_another(world: World) -> None:
    ref = world.begin("whatsapp")
    report_status(world, ref, "failed", ErrorCode="63024")

    assert stands(world, start_conversation(world, "sms", "req-2"))[0] == "initial_message_sent"
