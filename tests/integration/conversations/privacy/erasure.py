"""A person who is to be erased, and their messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.conversations import sample_data, twilio
from events.conversations.twilio import SMS_NUMBER
from shared.events.exchange import InboundMessage
from tests.integration.conversations.steps import start_conversation

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

ANN, MAIL = sample_data.CANDIDATE, sample_data.CANDIDATE_EMAIL
ANN_DIGITS = ANN.removeprefix("+")
STRANGER = "+447700900456"
USER_ID = "GB.20417733968512046377"
PERSONAL_DATA = (ANN_DIGITS, MAIL, "Ann", "night shift", USER_ID)


def answered_conversation(system: System, channel: str = "sms") -> str:
    """A conversation with an answer; its texts are constants that tests search for."""
    ref = start_conversation(system, channel)
    say = system.whatsapp if channel == "whatsapp" else system.text
    say("a", "Is there a night shift?")
    system.drain()
    return ref


def inbound_text(system: System, name: str, at: str) -> InboundMessage:
    """A text as intake receives it, with the provider's time."""
    return InboundMessage(
        provider="twilio",
        provider_message_id=twilio.sid_of(name),
        account=twilio.ACCOUNT,
        channel_method="sms",
        business_address=SMS_NUMBER,
        customer_address=ANN,
        received_at=at,
        kind="text",
        text="Is there a night shift?",
    )
