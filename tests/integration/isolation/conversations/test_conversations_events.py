"""Attacks on the queues, webhooks and topics of conversations: see `conversations_events`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from events.conversations import sample_data, twilio
from tests.integration.isolation.attacks.attacks import PARKED, Attacker, assert_unchanged
from tests.integration.isolation.conversations.conversations_events import ON_QUEUES, Attack
from tests.integration.isolation.conversations.conversations_setup import (
    ANN,
    FILE_A,
    LEFT,
    TwoCompanies,
    two_companies,
)
from tests.integration.isolation.conversations.conversations_webhooks import FROM_PROVIDERS

pytestmark = pytest.mark.long

QUOTA = "RATE#parked#"


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with two_companies() as made:
        yield made


@pytest.mark.parametrize("attack", [*ON_QUEUES, *FROM_PROVIDERS], ids=str)
def test_an_event_of_b_with_ids_of_a_does_not_change_or_send_anything_of_a(
    companies: TwoCompanies, attack: Attack
) -> None:
    companies.without_a(Attacker.OTHER_COMPANY)
    owned = companies.stored()
    companies.with_a()
    before, parked = companies.stored(), companies.system.parked()

    attack.make(companies)
    companies.system.drain()

    after = companies.stored()
    if attack.parked == {"wrong_queue"}:
        # No provider can write to these queues: the record is an internal error, counted for the conversation's owner.
        before = {key: item for key, item in before.items() if not key[1].startswith(QUOTA)}
    assert_unchanged(str(attack), before, after, owned, companies.words)
    of_a = {
        key for key in after.keys() - before.keys() if company_of(after[key]) == companies.company_a
    }
    if attack.parked == {"wrong_queue"}:
        # It is also listed for the owner.
        of_a = {key for key in of_a if not key[1].startswith((*PARKED, QUOTA))}
    assert not of_a, f"{attack}: items of company A were written: {of_a}"
    assert FILE_A not in pointers(companies), f"{attack}: B's message points to A's file"
    if attack.parked:
        new = companies.system.parked()
        for reason in parked:
            new.remove(reason)
        assert set(new) <= attack.parked, f"{attack}: parked as {new}"
        assert new, f"{attack}: not parked"
    sent = json.dumps(companies.sent())
    for address in (ANN, LEFT, twilio.SMS_NUMBER, sample_data.WHATSAPP_SENDER, *companies.words):
        assert address not in sent, (
            f"{attack}: a message to or from {address} of company A was sent"
        )
    touched = [call for call in companies.system.interceptor.calls if call.startswith("s3.")]
    for key in (FILE_A, companies.names["project_data_key"]):
        assert not any(key in call for call in touched), f"{attack}: A's object was read: {touched}"


def company_of(item: Any) -> str:
    return str(item.get("company_id", {}).get("S", "")) if isinstance(item, dict) else ""


def pointers(companies: TwoCompanies) -> set[str]:
    """The keys of the stored files of messages in B's conversations."""
    rows = companies.system.rows()
    partitions = {
        key[1]
        for key, row in rows.items()
        if key[0] == "log" and key[2] == "STATE" and row["company_id"] == companies.company_b
    }
    return {
        str(file.get("key"))
        for key, row in rows.items()
        if key[1] in partitions
        for file in row.get("media", [])
    }
