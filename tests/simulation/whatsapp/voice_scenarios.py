"""Scenarios of voice notes that become text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.whatsapp import payloads
from events.whatsapp.sample_data import COMPANY, COUNTER
from local.sandbox.accounts.media import OGG_VOICE
from tests.simulation.whatsapp.event_builders import ada_message, ada_revoke, wamid, webhook_of
from tests.simulation.whatsapp.scenario import Scenario
from whatsapp import store
from whatsapp.inbound.event import TRANSCRIPTION
from whatsapp.inbound.event import Event as WorkerEvent
from whatsapp.inbound.transcript_requests import MESSAGE
from whatsapp.store.accounts.numbers import phone_settings
from whatsapp.store.items import Message
from whatsapp.store.items.accounts.phones import CONVERSATIONS

if TYPE_CHECKING:
    from shared.aws.sqs_fifo import Entry
    from tests.simulation.whatsapp.system import System

MODEL_KEY = f"parley/local/companies/{COMPANY}/openai"


def with_a_transcriber(system: System) -> None:
    """The number's voice notes become text."""
    phone = store.phones.get(system.table, COUNTER.phone)
    assert phone is not None
    transcription = {
        "provider": "openai",
        "model": "gpt-4o-mini-transcribe",
        "api_key_reference": MODEL_KEY,
        "automatic": True,
    }
    phone_settings.change(system.table, phone, transcription=transcription)
    store.phones.forget()


def request_of(suffix: str) -> Entry:
    """An agent's request of the text of a voice note, as the queue of jobs has it."""
    message = wamid(suffix)
    event = WorkerEvent(
        kind=TRANSCRIPTION, id=message, source="parley", app="", accepted_at=0, waba=COUNTER.waba,
        phone=COUNTER.phone, display_phone=COUNTER.display, field=TRANSCRIPTION, at=0, index=0,
        contact=None, payload={MESSAGE: Message.key(message)}, hash=message,
    )  # fmt: skip
    return event.entry(group=(TRANSCRIPTION, message), deduplication=(message,))


def of_voice_notes() -> list[Scenario]:
    """A voice note; one that is deleted; and one of an AI conversation, whose text a person asks for."""
    voice = webhook_of(ada_message("v", payloads.media("audio", OGG_VOICE)))
    deleted = webhook_of(ada_revoke("r", "v", 772))
    return [
        Scenario("a voice note becomes text", (voice,), seed=with_a_transcriber),
        Scenario("a voice note is deleted", (deleted,), (voice,), seed=with_a_transcriber),
        Scenario(
            "handed over: the text of a voice note",
            (request_of("v"),),
            (voice,),
            automation=CONVERSATIONS,
            seed=with_a_transcriber,
        ),
    ]
