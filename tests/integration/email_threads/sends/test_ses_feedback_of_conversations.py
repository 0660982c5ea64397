"""SES's events about mails of the AI conversations."""

from __future__ import annotations

from pydantic import TypeAdapter

from shared.events.exchange import DeliveryStatus
from tests.integration.email_threads.drafting import (
    begun,
    send,
)
from tests.integration.email_threads.sends.test_ses_feedback import HARD, delivery_of, reported
from tests.integration.email_threads.worker.test_sent_mails import announce
from tests.simulation.email_threads.mails import SES_ID
from tests.simulation.email_threads.system import AUTOMATED, System


def test_an_event_about_a_mail_of_the_ai_conversations_is_passed_on(system: System) -> None:
    announce(system)

    reported(
        system,
        "Bounce",
        HARD,
        messageId=SES_ID,
        source=f"The Shop <{AUTOMATED}>",
        tags={"ref": ["r-1"], "action": ["action-1"], "ses:configuration-set": ["parley"]},
    )

    (event,) = system.reported()
    TypeAdapter(DeliveryStatus).validate_python(event)
    assert event == {
        "type": "delivery_status",
        "v": 1,
        "provider": "ses",
        "provider_message_id": SES_ID,
        "account": AUTOMATED,
        "channel_method": "email",
        "business_address": AUTOMATED,
        "action_id": "action-1",
        "status": "Bounce",
        "occurred_at": "2026-01-01T13:00:00.000Z",
        "extra": {"bounceType": "Permanent", "bounceSubType": "General"},
    }
    assert delivery_of(system) == "bounced"


def test_the_ai_conversations_decide_about_the_addresses_of_their_mails(system: System) -> None:
    announce(system)
    reported(system, "Bounce", HARD, messageId=SES_ID, source=AUTOMATED, tags={"ref": ["r-1"]})

    send(system, begun(system))

    assert len(system.sent()) == 1


def test_an_event_of_the_ai_conversations_from_an_address_that_is_no_mailbox_is_passed_on(
    system: System,
) -> None:
    reported(
        system,
        "Delivery",
        messageId=SES_ID,
        source="jobs@elsewhere.example",
        tags={"ref": ["r-1"]},
    )

    assert [one["status"] for one in system.reported()] == ["Delivery"]
    assert not system.parked()
