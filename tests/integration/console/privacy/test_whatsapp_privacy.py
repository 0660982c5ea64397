"""Erasing a contact of the WhatsApp inbox removes their conversation from the inbox over all contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.integration.whatsapp.conftest import T0, Harness, text
from whatsapp.inbound.event import Outcome
from whatsapp.privacy import erasure

if TYPE_CHECKING:
    import pytest

    from tests.integration.console.system import Fed, InboxSystem

ADA, BEN = "447700900101", "447700900102"


def test_erasing_a_contact_removes_their_entry_and_no_other(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "SETTLES_MS", 0)
    harness.take({"messages": [text("wamid.1", "my secret", at=T0, sender=ADA)]})
    harness.take({"messages": [text("wamid.2", "of another", at=T0, sender=BEN)]})
    whatsapp.take()
    assert "my secret" in str(inbox.entries())
    harness.outbox.entries.clear()
    harness.privacy_jobs.start("erase", "acme", ADA, by="an agent")
    (entry,) = harness.outbox.entries

    assert harness.handle(entry.body).outcome is Outcome.PERSISTED
    whatsapp.take()

    assert "my secret" not in str(inbox.entries())
    assert ADA not in str(inbox.entries())
    assert [row["preview"] for row in inbox.rows()] == ["of another"]
