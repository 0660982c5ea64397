"""Counts of an issue by mailbox provider: written with the recipients, and equal to a recount of the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from newsletters.issues.pace.mailbox_providers import provider_of
from newsletters.store.items.recipients import MAILBOX_PROVIDERS
from tests.simulation.newsletters.scenarios import EXPORTED, settled
from tests.simulation.newsletters.steps.issues import (
    ONE,
    approved,
    drafted,
    mails,
    reported,
    sent,
    stats,
    with_readers,
)

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

ADDRESSES = ("ann@gmail.com", "bob@outlook.de", "eve@yahoo.fr", "fay@me.com", "cleo@farm.example")


def shown(system: System) -> dict[str, dict[str, int]]:
    """What the API shows of each mailbox provider, without counts of nothing."""
    rows: list[dict[str, Any]] = system.read(f"{ONE}/stats")["mailbox_providers"]
    assert tuple(one["mailbox_provider"] for one in rows) == MAILBOX_PROVIDERS
    counts = {one.pop("mailbox_provider"): one for one in rows}
    return {
        name: {each: value for each, value in of.items() if value} for name, of in counts.items()
    }


def test_the_report_counts_the_mails_to_each_mailbox_provider(system: System) -> None:
    settled(EXPORTED, with_readers(*ADDRESSES), drafted, approved, sent)(system)
    by_address = {one["Destination"]["ToAddresses"][0]: one for one in mails(system)}
    for address, event, detail in (
        ("ann@gmail.com", "DeliveryDelay", {}),
        ("ann@gmail.com", "Delivery", {}),
        ("ann@gmail.com", "Complaint", {}),
        ("bob@outlook.de", "Bounce", {"bounceType": "Permanent"}),
        ("eve@yahoo.fr", "Delivery", {}),
        ("cleo@farm.example", "Delivery", {}),
    ):
        for _ in range(2):  # Events arrive twice.
            reported(system, by_address[address], event, **detail)
        system.settle()

    assert shown(system) == {
        "google": {"sent": 1, "delivered": 1, "delayed": 1, "complained": 1},
        "microsoft": {"sent": 1, "bounced": 1},
        "yahoo": {"sent": 1, "delivered": 1},
        "apple": {"sent": 1},
        "other": {"sent": 1, "delivered": 1},
    }
    assert stats(system)["sent"] == 5  # equal to a recount, as the counts by provider


def test_an_unknown_mail_counts_at_its_provider_once_an_event_shows_it(system: System) -> None:
    settled(EXPORTED, with_readers(ADDRESSES[0]), drafted, approved)(system)
    system.sandbox.faults.add(provider="ses", operation="SendEmail", times=1, kind="lost_answer")
    sent(system)
    system.settle()
    assert shown(system)["google"] == {}

    reported(system, mails(system)[0], "Delivery")
    system.settle()

    assert shown(system)["google"] == {"sent": 1, "delivered": 1}
    assert stats(system) == {"audience": 1, "sent": 1, "delivered": 1}


@pytest.mark.parametrize(
    ("address", "provider"),
    [("a@icloud.com", "apple"), ("a@ME.com", "apple"), ("a@me.com.example", None)],
)
def test_own_domains_of_apple_are_known(address: str, provider: str | None) -> None:
    assert provider_of(address) == provider
