"""Failed messages that an earlier release stored are listed under their companies by the schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.integration.whatsapp.conftest import PHONE, Harness
from whatsapp import store
from whatsapp.jobs import failed_lists
from whatsapp.store.items import Message
from whatsapp.store.sending import failed_messages, job_positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes, Table

ALWAYS = 10_000


def store_as_an_earlier_release(table: Table, number: int, company: str, status: str) -> None:
    at = f"2026-01-01T10:{number:02d}:00.000Z"
    message = Message(
        pk=f"MSG#old{number}",
        company=company,
        direction="OUTBOUND",
        received_at=at,
        sent_at=at,
        type="text",
        delivery_status=status,
        phone=PHONE,
        payload_hash="hash",
    )
    table.put(message.attributes())


def listed(table: Table, company: str) -> list[str]:
    found = store.failed_messages.newest(table, company, PHONE, "2026-01-01T00:00:00.000Z")
    return [message.pk for message in found]


def test_old_failed_messages_are_listed_page_by_page_and_once(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failed_messages, "ENTRIES_PER_QUERY", 2)
    table = harness.resources.table
    for number in range(5):
        store_as_an_earlier_release(table, number, ("acme", "globex")[number % 2], "failed")
    store_as_an_earlier_release(table, 5, "acme", "read")
    assert listed(table, "acme") == []

    times = iter([ALWAYS, 0])
    failed_lists.list_some(table, lambda: next(times))
    assert listed(table, "acme") == ["MSG#old4"]
    failed_lists.list_some(table, lambda: ALWAYS)

    assert listed(table, "acme") == ["MSG#old4", "MSG#old2", "MSG#old0"]
    assert listed(table, "globex") == ["MSG#old3", "MSG#old1"]
    assert job_positions.get(table, "failed_lists") == {"is_done": True}
    monkeypatch.delattr(failed_messages, "list_failed")
    failed_lists.list_some(table, lambda: ALWAYS)


def test_a_list_reads_the_failed_messages_of_its_company_only(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = harness.resources.table
    for number in range(6):
        store_as_an_earlier_release(table, number, "globex", "failed")
    store_as_an_earlier_release(table, 6, "acme", "failed")
    failed_lists.list_some(table, lambda: ALWAYS)
    read: list[str] = []
    get_many = table.get_many

    def noted(keys: Sequence[Attributes]) -> list[Attributes]:
        read.extend(key["pk"] for key in keys)
        return get_many(keys)

    monkeypatch.setattr(table, "get_many", noted)

    assert listed(table, "acme") == ["MSG#old6"]
    assert read == ["MSG#old6"]


def test_a_message_that_the_provider_refuses_is_listed_with_its_first_write(
    harness: Harness,
) -> None:
    table = harness.resources.table
    at = "2026-01-01T10:00:00.000Z"
    refused = Message(
        pk="MSG#refused",
        company="acme",
        direction="OUTBOUND",
        received_at=at,
        sent_at=at,
        type="text",
        delivery_status="failed",
        phone=PHONE,
        payload_hash="hash",
    )
    store.messages.add(table, refused)

    assert listed(table, "acme") == ["MSG#refused"]
