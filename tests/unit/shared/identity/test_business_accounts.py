"""Which events come from an account and a business address."""

from typing import Any

import pytest

from shared.events.exchange import DeliveryStatus
from shared.identity.business_accounts import BusinessAccount


def status(**facts: Any) -> DeliveryStatus:
    return DeliveryStatus(**{
        "provider": "twilio",
        "provider_message_id": "SM1",
        "account": "AC1",
        "channel_method": "sms",
        "business_address": "+12025550142",
        "status": "delivered",
        "occurred_at": "2026-01-01T12:00:00.000Z",
        **facts,
    })  # fmt: skip


OURS = BusinessAccount(provider="twilio", account="AC1", business_address="+12025550142")
MEXICAN = BusinessAccount(provider="meta", account="1", business_address="+525512345678")
JOBS = BusinessAccount(provider="ses", account=None, business_address="jobs@cucumber.example")


@pytest.mark.parametrize(
    ("account", "event"),
    [
        (OURS, status()),
        (OURS, status(business_address=None)),
        (BusinessAccount(provider="twilio", account="AC1"), status(business_address="+1999")),
        (MEXICAN, status(provider="meta", account="1", business_address="+5215512345678")),
        (JOBS, status(provider="ses", account="any", business_address="Jobs@Cucumber.example")),
    ],
    ids=["same", "event names no address", "sender is chosen", "other spelling", "own provider"],
)
def test_an_event_of_the_same_provider_account_and_address_is_covered(
    account: BusinessAccount, event: DeliveryStatus
) -> None:
    assert account.covers(event)


@pytest.mark.parametrize(
    ("account", "event"),
    [
        (OURS, status(provider="meta")),
        (OURS, status(account="AC2")),
        (OURS, status(account="AC2", business_address=None)),
        (OURS, status(business_address="+12025550199")),
        (BusinessAccount(provider="twilio", account=None), status()),
        (JOBS, status(provider="ses", business_address="jobs@neighbour.example")),
    ],
    ids=["provider", "account", "account without address", "address", "no account", "own provider"],
)
def test_any_difference_is_not_covered(account: BusinessAccount, event: DeliveryStatus) -> None:
    assert not account.covers(event)
