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
from local.console.browser import barriers
from local.sandbox.accounts.media import OGG_VOICE
from shared.access import company_keys
from shared.aws.dynamodb import Table
from shared.identity.addresses import displayed
from tests.e2e.console.conftest import PATIENCE_MS, Visit, http
from tests.e2e.webhooks import deliver

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


def test_an_administrator_sets_the_transcriber_of_a_number_on_its_page_and_takes_it_back(
    deployed: Deployed, visit_of_operator: Visit
) -> None:
    expect.set_options(timeout=PATIENCE_MS)
    set_transcriber(deployed, None)
    visit, page = visit_of_operator, visit_of_operator.page
    visit.sign_in()
    page.get_by_role("link", name="Operations").click()
    page.get_by_role("link", name="WhatsApp numbers").click()
    number = page.get_by_role("region", name=displayed(COUNTER.display), exact=True)
    expect(number).to_contain_text("Voice notes as textNo")
    number.get_by_role("button", name="Voice notes as text").click()
    form = number.get_by_role("form", name="Voice notes as text")
    expect(form).to_contain_text("$0.003 for a minute")
    key, language = form.get_by_label("Name of the secret"), form.get_by_label("Language")
    assert barriers(page) == []

    key.fill("parley/local/companies/globex/openai")
    language.fill("de")
    form.get_by_label("Those that a person asks for").check()
    form.get_by_role("button", name="Store").click()
    expect(form).to_contain_text("must be named parley/")
    expect(language).to_have_value("de")
    key.fill(f"parley/local/companies/{COMPANY}/openai")
    form.get_by_role("button", name="Store").click()
    expect(number).to_contain_text("Voice notes as textOn request")
    visit.reload()
    number.get_by_role("button", name="Voice notes as text").click()
    expect(language).to_have_value("de")

    form.get_by_role("button", name="Write none down").click()
    expect(number).to_contain_text("Voice notes as textNo")
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(number).to_contain_text("Voice notes as textOn request")
    assert visit.violations == []
    set_transcriber(deployed, None)
