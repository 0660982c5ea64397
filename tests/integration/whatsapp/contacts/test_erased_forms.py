"""What customers answered in forms is erased: responses, and the tokens of forms that are still open."""

import pytest

from tests.integration.whatsapp.conftest import PHONE, Harness, text
from whatsapp import store
from whatsapp.inbound.event import Outcome
from whatsapp.privacy import erasure
from whatsapp.store.items.contacts.customers import FlowToken

NUMBER = "447700900101"


@pytest.mark.parametrize(("company", "stays"), [("acme", False), ("globex", True)])
def test_an_erasure_removes_the_answers_of_open_forms_of_its_company(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, company: str, stays: bool
) -> None:
    monkeypatch.setattr(erasure, "SETTLES_MS", 0)
    harness.take({"messages": [text("wamid.1")]})
    token = FlowToken(
        pk=FlowToken.of("t-1"),
        company=company,
        flow="4711",
        customer_phone=NUMBER,
        created_at="2026-01-01T11:00:00.000Z",
        phone=PHONE,
        answers={"service": "full"},
    )
    store.forms.add_token(harness.resources.table, token)

    harness.privacy_jobs.start("erase", "acme", NUMBER, by="an agent")
    (entry,) = harness.outbox.entries
    assert harness.handle(entry.body).outcome is Outcome.PERSISTED

    assert bool(harness.item(token.pk)) is stays
