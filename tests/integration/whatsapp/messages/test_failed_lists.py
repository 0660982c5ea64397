"""Failed messages are listed under their companies with the write that stores their state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.integration.whatsapp.conftest import PHONE, Harness
from whatsapp import store
from whatsapp.store.items import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from shared.aws.dynamodb import Attributes


def test_a_list_reads_the_failed_messages_of_its_company_only(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = harness.resources.table
    for number in range(7):
        company, at = ("globex", "acme")[number == 6], f"2026-01-01T10:{number:02d}:00.000Z"
        refused = Message(
            pk=f"MSG#{number}",
            company=company,
            direction="OUTBOUND",
            received_at=at,
            sent_at=at,
            type="text",
            delivery_status="failed",
            phone=PHONE,
            payload_hash="hash",
        )
        store.messages.add(table, refused)
    read: list[str] = []
    get_many = table.get_many

    def noted(keys: Sequence[Attributes], **how: Any) -> list[Attributes]:
        read.extend(key["pk"] for key in keys)
        return get_many(keys, **how)

    monkeypatch.setattr(table, "get_many", noted)
    found = store.failed_messages.newest(table, "acme", PHONE, "2026-01-01T00:00:00.000Z")

    assert [message.pk for message in found] == ["MSG#6"]
    assert read == ["MSG#6"]
