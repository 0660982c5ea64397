"""Finding the number of another context's message; invalid messages and those without a known number are parked."""

from __future__ import annotations

import json
from typing import Any

import pytest

from shared.recovery import parked_events
from shared.recovery.port import Filter, Recovery
from tests.integration.whatsapp.conftest import PHONE, Desk, a_phone
from tests.integration.whatsapp.test_sent_elsewhere import announced, messages
from whatsapp import store
from whatsapp.event import Outcome
from whatsapp.store.items import WebhookEvent
from whatsapp.worker.dispatcher import Handled

AWS_PHONE = "phone-number-id-0123456789abcdef0123456789abcdef"
AWS_ARN = f"arn:aws:social-messaging:us-east-1:000000000000:{AWS_PHONE.replace('id-', 'id/')}"


def on_aws(desk: Desk, **changes: Any) -> None:
    phone = a_phone(
        pk="PHONE#206540352242933", phone="206540352242933", display_phone="15550783999", provider="eum",
        phone_arn=AWS_ARN, aws_phone=AWS_PHONE, **changes,
    )  # fmt: skip
    store.phones.register(desk.resources.table, phone)
    store.phones.forget()


@pytest.mark.parametrize("address", ["206540352242933", AWS_PHONE, AWS_ARN, "+15550783999"])
def test_the_number_is_found_by_any_of_its_identifiers(desk: Desk, address: str) -> None:
    on_aws(desk)
    desk.handle(announced(provider="aws_social", business_address=address))

    assert desk.item("MSG#wamid.ai")["phone"] == "206540352242933"


@pytest.mark.parametrize(
    "other",
    [{"account": "302290129340398"}, {"account": ""}, {"provider": "aws_social"}],
    ids=["account", "no account", "provider"],
)
def test_a_message_that_another_account_or_provider_sent_is_parked_and_not_shown(
    desk: Desk, other: dict[str, str]
) -> None:
    handled = desk.handle(announced(**other))

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "tenant_mismatch")
    assert messages(desk) == []
    assert [key for key in desk.keys() if key.startswith("ALIAS#")] == []


UNKNOWN = [
    {"business_address": "999999"},
    {"business_address": "+15550000000"},
    {"business_address": "phone-number-id-" + "f" * 32},
    {"business_address": "+15550783881", "account": "999"},
    {"business_address": ""},
]


@pytest.mark.parametrize("names", UNKNOWN)
def test_a_message_from_an_unknown_number_is_parked(desk: Desk, names: dict[str, str]) -> None:
    handled = desk.handle(announced(**names))

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "unknown_phone")
    assert messages(desk) == []


def register_twin(desk: Desk, company: str) -> None:
    """The same number is registered under another id and account too."""
    twin = a_phone(
        pk="PHONE#306540352242944", phone="306540352242944", company=company, waba_meta_id="302290129340398",
        phone_arn="arn:parley:whatsapp:::phone-number-id/306540352242944",
    )  # fmt: skip
    store.phones.register(desk.resources.table, twin)
    store.phones.forget()


def test_a_number_of_two_companies_is_distinguished_by_the_company(desk: Desk) -> None:
    register_twin(desk, "globex")

    named = {"business_address": "+15550783881", "account": "302290129340398"}
    desk.handle(announced(**named, company="globex"))

    assert desk.item("MSG#wamid.ai")["company"] == "globex"


def test_a_number_that_a_company_has_twice_is_distinguished_by_its_account_only(desk: Desk) -> None:
    register_twin(desk, "acme")

    handled = desk.handle(announced(business_address="+15550783881", account=""))
    assert handled.reason == "ambiguous_phone"

    desk.handle(announced(business_address="+15550783881", account="302290129340398"))
    assert desk.item("MSG#wamid.ai")["phone"] == "306540352242944"


def test_a_message_from_a_disabled_number_is_parked(desk: Desk) -> None:
    store.phones.set_enabled(desk.resources.table, PHONE, enabled=False)
    store.phones.forget()

    assert desk.handle(announced()).reason == "phone_disabled"


def test_a_message_parked_for_an_unknown_number_can_be_replayed_once_the_number_is_registered(
    desk: Desk, recovery: Recovery[WebhookEvent]
) -> None:
    handled = desk.handle(announced(provider="aws_social", business_address=AWS_PHONE))
    assert handled.reason == "unknown_phone"
    on_aws(desk)

    replayed: list[Handled] = []
    parked_events.replay_all(
        recovery.parked,
        Filter(),
        limit=10,
        report=lambda _: replayed.extend(desk.handle(entry.body) for entry in desk.outbox.entries),
    )

    assert [each.outcome for each in replayed] == [Outcome.PERSISTED]
    assert desk.item("MSG#wamid.ai")["phone"] == "206540352242933"


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
def test_an_invalid_announcement_is_parked(desk: Desk, body: str) -> None:
    handled = desk.handle(body)

    assert (handled.outcome, handled.reason) == (Outcome.PARKED, "malformed_event")
    assert messages(desk) == []


def test_a_message_without_a_recipient_is_parked(desk: Desk) -> None:
    assert desk.handle(announced(customer_address=None)).reason == "no_receiver"
    assert desk.handle(announced(customer_address="Ada")).reason == "no_receiver"


def test_a_parked_event_shows_neither_texts_nor_addresses(desk: Desk) -> None:
    desk.handle(announced(business_address="999999"))

    (key,) = [key for key in desk.keys() if key.startswith("WEBHOOK#")]
    shown = json.dumps(desk.item(key), default=str)
    assert "We open" not in shown
    assert "447700900101" not in shown
