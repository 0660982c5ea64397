"""Counts of an issue by mailbox provider: written with the recipients, and equal to a recount of the ledger."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from newsletters.issues.pace.mailbox_providers import provider_of, rates
from newsletters.store.items import CompanySettings, MailboxPace
from newsletters.store.items.issues import SHARDS
from newsletters.store.items.recipients import MAILBOX_PROVIDERS
from newsletters.store.readers import recipients
from shared.runtime.clock import HOUR_MS
from tests.simulation.newsletters.scenarios import EXPORTED, configured, settled
from tests.simulation.newsletters.steps.issues import (
    ONE,
    approved,
    changed,
    drafted,
    mails,
    reported,
    sent,
    stats,
    warm,
    with_readers,
)

if TYPE_CHECKING:
    from newsletters.store.items import Recipient
    from shared.aws.dynamodb import Table
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
    assert provider_of(address, {}) == provider


def test_mails_above_the_hourly_rate_of_a_provider_wait_and_others_go_on(system: System) -> None:
    """24 an hour are a bucket of two mails. An issue goes on at the next run of the schedule."""
    addresses = (*(f"reader{number}@gmail.com" for number in range(5)), *ADDRESSES[1:])
    paces = {"google": {"per_hour": 24}}
    settled(
        EXPORTED,
        with_readers(*addresses),
        partial(configured, mailbox_providers=paces),
        drafted,
        approved,
        warm,
    )(system)
    sent(system)
    begun, others = system.clock.ms, len(ADDRESSES) - 1
    system.drain()

    first = Counter(_provider(one) for one in mails(system))
    assert first == {"google": 2, "others": others}
    assert shown(system)["google"] == {"waiting": 3, "sent": 2}
    system.settle()
    assert Counter(_provider(one) for one in mails(system)) == {"google": 5, "others": others}
    assert stats(system) == {"audience": 9, "sent": 9}
    assert system.clock.ms - begun >= 3 * HOUR_MS // 24


def test_two_issues_of_a_company_share_the_bucket_of_a_provider(system: System) -> None:
    addresses = tuple(f"reader{number}@gmail.com" for number in range(2))
    paces = {"google": {"per_hour": 36}}
    settled(
        EXPORTED,
        with_readers(*addresses),
        partial(configured, mailbox_providers=paces),
        drafted,
        approved,
        warm,
    )(system)
    sent(system)
    drafted(system, key="second")
    approved(system, "second")
    changed("send", key="second")(system)
    system.drain()

    assert len(mails(system)) == 3
    system.settle()
    assert len(mails(system)) == 4


def test_an_issue_goes_on_at_its_place_when_only_mails_to_a_bounded_provider_are_left(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Six turns and the settlement read each shard twice, and the place of each turn again."""
    addresses = tuple(f"reader{number}@gmail.com" for number in range(6))
    paces = {"google": {"per_hour": 12}}
    settled(
        EXPORTED,
        with_readers(*addresses),
        partial(configured, mailbox_providers=paces),
        drafted,
        approved,
        warm,
    )(system)
    places: list[tuple[int, str | None]] = []
    page = recipients.page

    def read(
        table: Table, issue_id: str, shard: int, *, limit: int, after: str | None = None
    ) -> tuple[list[Recipient], str | None]:
        places.append((shard, after))
        return page(table, issue_id, shard, limit=limit, after=after)

    monkeypatch.setattr(recipients, "page", read)
    sent(system)
    system.settle()

    assert len(places) == 2 * SHARDS + len(addresses) - 1
    assert stats(system) == {"audience": 6, "sent": 6}


@pytest.mark.parametrize(
    ("per_hour", "expected"),
    [(12, (300_000, 1)), (1, (3_600_000, 1)), (7, (514_286, 1)), (600, (6_000, 50))],
)
def test_a_bucket_has_the_mails_of_five_minutes_and_one_at_least(
    per_hour: int, expected: tuple[int, int]
) -> None:
    pace = MailboxPace(per_hour=per_hour)
    settings = CompanySettings(
        **CompanySettings.key("acme"),
        company_id="acme",
        mailbox_providers={"google": pace},
        updated_at="-",
        updated_by="-",
    )
    found = rates(settings)["google"]
    assert (found.every_ms, found.burst) == expected
    assert rates(None) == {}


def test_a_bound_of_other_domains_holds_none_of_the_known_providers(system: System) -> None:
    others = tuple(f"reader{number}@farm.example" for number in range(3))
    paces = {"other": {"per_hour": 1}}
    settled(
        EXPORTED,
        with_readers("ann@gmail.com", *others),
        partial(configured, mailbox_providers=paces),
        drafted,
        approved,
        warm,
    )(system)
    sent(system)
    system.drain()

    assert shown(system)["google"] == {"sent": 1}
    assert shown(system)["other"] == {"waiting": 2, "sent": 1}


def test_a_domain_that_a_provider_hosts_counts_and_waits_as_the_providers_own(
    system: System,
) -> None:
    """A delay of a mail to a hosted domain holds the provider's other mails, too."""
    hosted, own = "cleo@farm.example", "ann@gmail.com"
    paces = {"google": {"domains": ["Farm.Example"]}}
    settled(
        EXPORTED,
        with_readers(hosted, own),
        partial(configured, mailbox_providers=paces),
        drafted,
        approved,
        warm,
        sent,
    )(system)
    system.settle()
    assert shown(system)["google"] == {"sent": 2}
    (mail,) = [one for one in mails(system) if one["Destination"]["ToAddresses"] == [hosted]]
    reported(system, mail, "DeliveryDelay")
    system.settle()
    drafted(system, key="second")
    approved(system, "second")
    system.sandbox.forget_sent()
    changed("send", key="second")(system)
    system.drain()

    assert mails(system) == []
    system.settle()
    assert len(mails(system)) == 2


def _provider(mail: dict[str, Any]) -> str:
    (address,) = mail["Destination"]["ToAddresses"]
    return "google" if address.endswith("@gmail.com") else "others"
