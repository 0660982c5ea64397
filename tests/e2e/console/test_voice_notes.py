"""A voice note in the console: its words come by themselves, or when a person asks for them."""

from __future__ import annotations

import re
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from events.whatsapp import payloads
from events.whatsapp.sample_data import COMPANY, COUNTER, Customer
from local.sandbox.accounts.media import OGG_VOICE
from shared.access import company_keys
from shared.aws.dynamodb import Table
from tests.e2e.console.conftest import PATIENCE_MS, Visit, deliver, http

if TYPE_CHECKING:
    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
# The transcriber is in force within a minute, and an open conversation does not look for it.
RELOADS, BETWEEN_RELOADS_MS = 20, 5_000
# One of the texts that the sandbox gives for recordings.
WORDS = re.compile(r"Hello, I can start|Please call me back|Which shift|change my appointment")


def set_transcriber(deployed: Deployed, transcription: dict[str, Any] | None) -> None:
    table = Table(deployed.stack.client("dynamodb"), deployed.stack.tables["api_keys"])
    key = company_keys.create(table, company=COMPANY, scopes=["whatsapp:admin"], name="voice")
    answer = http.request(
        "POST",
        f"{deployed.stack.api_url}/whatsapp/transcription",
        json={"phone": COUNTER.phone, "transcription": transcription},
        headers={"x-api-key": key, "Idempotency-Key": f"set-{time.time_ns()}"},
    )
    assert answer.status == 200, answer.data


def test_an_agent_asks_for_the_words_of_a_voice_note_and_reads_them(
    deployed: Deployed, visit: Visit
) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    set_transcriber(deployed, {"provider": "scripted", "automatic": False})
    speaker = Customer("Vera Voice", wa_id=f"447700{time.time_ns() % 1_000_000:06}")
    sent = payloads.message(
        speaker,
        f"wamid.VOICE{time.time_ns()}",
        int(time.time()),
        payloads.media("audio", OGG_VOICE, voice=True),
    )
    deliver(deployed.stack, speaker, [sent])
    visit.sign_in()
    visit.open(speaker)
    page = visit.page
    ask = page.get_by_role("button", name="Write down the words")
    for _ in range(RELOADS):
        with suppress(AssertionError):
            expect(ask).to_be_visible(timeout=BETWEEN_RELOADS_MS)
            break
        visit.reload()

    ask.click()

    expect(page.get_by_text(WORDS).first).to_be_visible()
    expect(ask).to_have_count(0)
    assert visit.violations == []
    set_transcriber(deployed, None)
