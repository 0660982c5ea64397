"""Finding the number of another context's message; invalid messages and those without a known number are parked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.events.recovery import parked_events
from shared.events.recovery.port import Filter, Recovery
from tests.integration.whatsapp.conftest import PHONE, Harness, a_phone
from tests.integration.whatsapp.forwarding.test_sent_elsewhere import announced, messages
from whatsapp import store
from whatsapp.inbound.event import Outcome
from whatsapp.store.items import WebhookEvent
from whatsapp.worker.dispatcher import Handled

AWS_PHONE = "phone-number-id-0123456789abcdef0123456789abcdef"
AWS_ARN = f"arn:aws:social-messaging:us-east-1:000000000000:{AWS_PHONE.replace('id-', 'id/')}"


def on_aws(harness: Harness, **changes: Any) -> None:
    phone = a_phone(
        pk="PHONE#206540352242933", phone="206540352242933", display_phone="15550783999", provider="eum",
        phone_arn=AWS_ARN, aws_phone=AWS_PHONE, **changes,
    )  # fmt: skip
    store.phones.register(harness.resources.table, phone)
    store.phones.forget()


@pytest.mark.parametrize("address", ["206540352242933", AWS_PHONE, AWS_ARN, "+15550783999"])
def test_the_number_is_found_by_any_of_its_identifiers(harness: Harness, address: str) -> None:
    on_aws(harness)
    harness.handle(announced(provider="aws_social", business_address=address))

    assert harness.item("MSG#wamid.ai")["phone"] == "206540352242933"


@pytest.mark.parametrize(
    "other",
    [{"account": "302290129340398"}, {"account": ""}, {"provider": "aws_social"}],
    ids=["account", "no account", "provider"],
)
def test_a_message_that_another_account_or_provider_sent_is_parked_and_not_shown(
    harness: Harness, other: dict[str, str]
) -> None:
    handled = harness.handle(announced(**other))

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "tenant_mismatch")
    assert messages(harness) == []
    assert [key for key in harness.keys() if key.startswith("ALIAS#")] == []


UNKNOWN = [
    {"business_address": "999999"},
    {"business_address": "+15550000000"},
    {"business_address": "phone-number-id-" + "f" * 32},
    {"business_address": "+15550783881", "account": "999"},
    {"business_address": ""},
]


@pytest.mark.parametrize("names", UNKNOWN)
def test_a_message_from_an_unknown_number_is_parked(
    harness: Harness, names: dict[str, str]
) -> None:
    handled = harness.handle(announced(**names))

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "unknown_phone")
    assert messages(harness) == []


def register_twin(harness: Harness, company: str) -> None:
    """The same number is registered under another id and account too."""
    twin = a_phone(
        pk="PHONE#306540352242944", phone="306540352242944", company=company, waba_meta_id="302290129340398",
        phone_arn="arn:parley:whatsapp:::phone-number-id/306540352242944",
    )  # fmt: skip
    store.phones.register(harness.resources.table, twin)
    store.phones.forget()


def test_a_number_of_two_companies_is_distinguished_by_the_company(harness: Harness) -> None:
    register_twin(harness, "globex")

    named = {"business_address": "+15550783881", "account": "302290129340398"}
    harness.handle(announced(**named, company="globex"))

    assert harness.item("MSG#wamid.ai")["company"] == "globex"


def test_a_number_that_a_company_has_twice_is_distinguished_by_its_account_only(
    harness: Harness,
) -> None:
    register_twin(harness, "acme")

    handled = harness.handle(announced(business_address="+15550783881", account=""))
    assert handled.reason == "ambiguous_phone"

    harness.handle(announced(business_address="+15550783881", account="302290129340398"))
    assert harness.item("MSG#wamid.ai")["phone"] == "306540352242944"


def test_a_message_from_a_disabled_number_is_parked(harness: Harness) -> None:
    store.phones.set_enabled(harness.resources.table, PHONE, enabled=False)
    store.phones.forget()

    assert harness.handle(announced()).reason == "phone_disabled"


def test_a_message_parked_for_an_unknown_number_can_be_replayed_once_the_number_is_registered(
    harness: Harness, recovery: Recovery[WebhookEvent]
) -> None:
    handled = harness.handle(announced(provider="aws_social", business_address=AWS_PHONE))
    assert handled.reason == "unknown_phone"
    on_aws(harness)

    replayed: list[Handled] = []
    parked_events.replay_all(
        recovery.parked,
        Filter(),
        limit=10,
        report=lambda _: replayed.extend(
            harness.handle(entry.body) for entry in harness.outbox.entries
        ),
    )

    assert [each.outcome for each in replayed] == [Outcome.PERSISTED]
    assert harness.item("MSG#wamid.ai")["phone"] == "206540352242933"


def without(name: str) -> str:
    body = json.loads(announced())
    del body[name]
    return json.dumps(body)


BROKEN = [
    *map(without, ("provider_message_id", "action_id", "business_address", "occurred_at", "content")),
    announced(occurred_at="yesterday"),
    announced(occurred_at=5),
    announced(provider_message_id=""),
    announced(provider_message_id="x" * 1_001),
    announced(content=["words"]),
    announced(message_type=7),
    announced(action_id=["a"]),
    announced(business_address=5),
    announced(customer_address=447700900101),
]  # fmt: skip


@pytest.mark.parametrize("body", BROKEN)
def test_an_invalid_announcement_is_parked(harness: Harness, body: str) -> None:
    handled = harness.handle(body)

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "malformed_event")
    assert messages(harness) == []


def test_a_message_without_a_recipient_is_parked(harness: Harness) -> None:
    assert harness.handle(announced(customer_address=None)).reason == "no_receiver"
    assert harness.handle(announced(customer_address="Ada")).reason == "no_receiver"


def test_a_parked_event_shows_neither_texts_nor_addresses(harness: Harness) -> None:
    harness.handle(announced(business_address="999999"))

    (key,) = [key for key in harness.keys() if key.startswith("WEBHOOK#")]
    shown = json.dumps(harness.item(key), default=str)
    assert "We open" not in shown
    assert "447700900101" not in shown
