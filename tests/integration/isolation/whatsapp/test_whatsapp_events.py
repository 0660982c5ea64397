"""Attacks on the queue, the webhook and the topic of WhatsApp: see `whatsapp_events` and `whatsapp_webhooks`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from events.whatsapp.sample_data import COMPANY, COUNTER, WORKSHOP
from tests.integration.isolation.attacks.attacks import PARKED, SHARED_QUOTA, assert_unchanged
from tests.integration.isolation.whatsapp.whatsapp_events import ON_QUEUE, Attack
from tests.integration.isolation.whatsapp.whatsapp_setup import TwoCompanies, two_companies
from tests.integration.isolation.whatsapp.whatsapp_webhooks import FROM_PROVIDERS, OF_THE_ORDER

pytestmark = pytest.mark.long
QUOTA_OF_A = ("messages", f"{SHARED_QUOTA}{COMPANY}")


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with two_companies() as made:
        yield made


@pytest.mark.parametrize("attack", [*ON_QUEUE, *FROM_PROVIDERS], ids=str)
def test_an_event_of_b_with_ids_of_a_does_not_change_or_send_anything_of_a(
    companies: TwoCompanies, attack: Attack
) -> None:
    companies.without_a()
    owned = companies.stored()
    companies.with_a()
    before = companies.stored()

    attack.make(companies)
    companies.system.drain()

    after = companies.stored()
    if attack.parked == OF_THE_ORDER:  # counts what was parked for A
        before.pop(QUOTA_OF_A)
    assert_unchanged(str(attack), before, after, owned, ())
    new = {key: after[key] for key in after.keys() - before.keys() - {QUOTA_OF_A}}
    of_a = {
        key: item
        for key, item in new.items()
        if company_of(item) == companies.company_a
        and not (attack.parked == OF_THE_ORDER and key[-1].startswith(PARKED))
    }
    assert not of_a, f"{attack}: items of company A were written: {of_a}"
    reasons = [reason for item in new.values() if (reason := reason_of(item))]
    if attack.parked:
        assert reasons, f"{attack}: not parked; written: {list(new)}"
        assert set(reasons) <= attack.parked, f"{attack}: parked as {reasons}"
        kept = [key for key in new if not key[-1].startswith(PARKED)]
        assert not kept, f"{attack}: parked, and yet written: {kept}"
    sent = json.dumps([entry.body for entry in companies.system.sandbox.sent], default=str)
    queued = json.dumps([item for key, item in new.items() if key[0] == "queue"])
    for address in (COUNTER.phone, WORKSHOP.phone, WORKSHOP.arn):
        assert address not in sent, f"{attack}: something was sent from {address} of company A"
        assert address not in queued, (
            f"{attack}: an event about {address} was handed over to another context"
        )


def company_of(item: Any) -> str:
    return str(item.get("company", {}).get("S", "")) if isinstance(item, dict) else ""


def reason_of(item: Any) -> str:
    return str(item.get("reason", {}).get("S", "")) if isinstance(item, dict) else ""
