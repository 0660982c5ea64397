"""Clicks and delays of the mails of an issue: what counts, and who waits."""

from __future__ import annotations

from email.utils import parseaddr
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from newsletters.issues.pace.mailbox_providers import provider_of
from shared.runtime import clock
from tests.simulation.newsletters.scenarios import EXPORTED, configured, settled
from tests.simulation.newsletters.steps.issues import (
    addressed,
    approved,
    changed,
    drafted,
    ledger,
    mails,
    reported,
    sent,
    stats,
    with_readers,
)
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

SECOND = 1_000


def mail_to(system: System, address: str) -> dict[str, Any]:
    (found,) = [
        one
        for one in mails(system)
        if parseaddr(one["Destination"]["ToAddresses"][0])[1] == address
    ]
    return found


def test_clicks_of_people_count_once_and_those_of_programs_apart(system: System) -> None:
    settled(EXPORTED, with_readers(), partial(configured, track_clicks=True))(system)
    settled(drafted, approved, sent)(system)
    first, second, third = mails(system)
    assert first["ConfigurationSetName"] == "parley_clicks_local"
    assert first["Content"]["Simple"]["Body"]["Html"]["Data"].count("<a ses:no-track ") == 3
    for mail in (first, second):
        reported(system, mail, "Delivery")
    system.clock.ms += 9 * SECOND
    reported(system, first, "Click")
    reported(system, second, "Click")
    system.clock.ms += SECOND
    for _ in range(2):
        reported(system, first, "Click")
        system.clock.ms += SECOND
    reported(system, third, "Click")  # no delivery is known: it was sent long ago
    system.settle()

    assert stats(system) == {
        "audience": 3, "sent": 3, "delivered": 2, "clicked": 2, "likely_automated": 2,
    }  # fmt: skip


def test_a_click_of_a_person_is_interest_and_one_of_a_program_is_none(system: System) -> None:
    settled(EXPORTED, with_readers(), drafted, approved, sent)(system)
    first, second, _ = mails(system)
    for mail in (first, second):
        reported(system, mail, "Delivery")
    reported(system, second, "Click")
    system.clock.ms += 20 * SECOND
    clicked_at = clock.to_text(system.clock.ms)
    reported(system, first, "Click")
    system.settle()
    system.clock.ms += 86_400 * SECOND
    reported(system, first, "Click")
    system.settle()

    rows = {key: row for key, row in system.rows().items() if key.endswith(" INTEREST")}
    (own,) = [one for one in ledger(system) if one.clicked_at]
    assert [*rows] == [f"NLSUB#{COMPANY}#{own.address_hash} INTEREST"]
    assert [one["since"] for one in rows.values()] == [clicked_at]


def test_links_are_left_alone_unless_the_company_counts_clicks(system: System) -> None:
    settled(EXPORTED, with_readers(), drafted, approved, sent)(system)
    assert {one["ConfigurationSetName"] for one in mails(system)} == {"parley-local"}


def test_a_delay_holds_the_mails_to_that_mailbox_provider_only(system: System) -> None:
    """Another issue goes on to other readers at once, and to the provider's readers after five minutes."""
    gmail, outlook, other = "ann@gmail.com", "bob@outlook.de", "cleo@farm.example"
    settled(EXPORTED, with_readers(gmail, outlook, other), drafted, approved, sent)(system)
    for _ in range(2):
        reported(system, mail_to(system, gmail), "DeliveryDelay")
        system.settle()
    assert stats(system) == {"audience": 3, "sent": 3, "delayed": 1}
    held_from = system.clock.ms
    drafted(system, key="second")
    approved(system, "second")
    system.sandbox.forget_sent()
    changed("send", key="second")(system)
    system.drain()

    assert addressed(system) == [outlook, other]
    system.settle()
    assert addressed(system) == sorted([gmail, outlook, other])
    assert system.clock.ms >= held_from + 300 * SECOND
    assert stats(system) == {"audience": 3, "sent": 3}


@pytest.mark.parametrize(
    ("address", "provider"),
    [
        ("a@gmail.com", "google"),
        ("a@GoogleMail.com", "google"),
        ("a@yahoo.co.jp", "yahoo"),
        ("a@hotmail.fr", "microsoft"),
        ("a@mail.gmail.com.example", None),
        ("a@live.example.org", None),
        ("a@live.co.uk", "microsoft"),
        ("a@notgmail.com", None),
        ("", None),
    ],
)
def test_the_mailbox_provider_is_known_from_the_domain(address: str, provider: str | None) -> None:
    assert provider_of(address, {}) == provider
