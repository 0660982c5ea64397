"""Scenarios of voice notes that become text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.whatsapp import payloads
from events.whatsapp.sample_data import COMPANY, COUNTER
from local.sandbox.accounts.media import OGG_VOICE
from tests.simulation.whatsapp.event_builders import ada_message, ada_revoke, webhook_of
from tests.simulation.whatsapp.scenario import Scenario
from whatsapp import store
from whatsapp.store.accounts.numbers import phone_settings

if TYPE_CHECKING:
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


def of_voice_notes() -> list[Scenario]:
    """A voice note; and one that is deleted."""
    voice = webhook_of(ada_message("v", payloads.media("audio", OGG_VOICE)))
    deleted = webhook_of(ada_revoke("r", "v", 772))
    return [
        Scenario("a voice note becomes text", (voice,), seed=with_a_transcriber),
        Scenario("a voice note is deleted", (deleted,), (voice,), seed=with_a_transcriber),
    ]
