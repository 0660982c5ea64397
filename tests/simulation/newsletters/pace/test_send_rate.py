"""The account's mails a second and of 24 hours: issues keep within them, and companies share them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from newsletters.issues.delivery.limits.allowance import share_of
from newsletters.store.delivery import senders
from shared.aws.dynamodb import Table
from shared.providers.email.identities import Account, Identities
from shared.runtime.failures import Transient
from tests.simulation.newsletters.scenarios import EXPORTED, settled
from tests.simulation.newsletters.steps.issues import (
    approved,
    drafted,
    issue_of,
    mails,
    ordered,
    sent,
    stats,
    warm,
    with_readers,
)

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

MANY = tuple(f"reader{number}@orchard.example" for number in range(40))
READY = settled(EXPORTED, with_readers(*MANY), drafted, approved)


def account(a_second: float = 14.0, left: int = 50_000, *, may_send: bool = True) -> Account:
    return Account(
        may_send=may_send,
        is_under_review=False,
        is_sandbox=False,
        left_today=left,
        most_today=50_000,
        a_second=a_second,
    )


@pytest.fixture
def accounts(monkeypatch: pytest.MonkeyPatch) -> list[Account]:
    """The account as SES shows it: the newest one."""
    found = [account()]
    monkeypatch.setattr(Identities, "account", lambda _: found[-1])
    return found


def turn(system: System) -> int:
    """The mails of the next turn."""
    before = len(mails(system))
    (message,) = system.fifo_queues.receive()
    system.run_worker(*message)
    return len(mails(system)) - before


def begun(system: System) -> None:
    READY(system)
    warm(system)
    sent(system)
    system.worker.sending.account.forget()


@pytest.mark.parametrize(
    ("a_second", "companies", "expected"),
    [
        (14, 1, (100, 10)),  # ten a second are the most of a company
        (14, 2, (179, 5)),
        (1, 1, (1_250, 1)),  # an account in the sandbox of SES
        (1, 3, (3_750, 1)),
        (200, 10, (100, 10)),
    ],
)
def test_a_company_has_its_share_of_four_fifths_of_the_accounts_rate(
    a_second: float, companies: int, expected: tuple[int, int]
) -> None:
    rate = share_of(a_second, companies)
    assert (rate.every_ms, rate.burst) == expected


def test_a_turn_sends_no_more_than_the_account_may_send(
    system: System, accounts: list[Account]
) -> None:
    accounts.append(account(a_second=1))
    begun(system)

    assert turn(system) == 16  # twenty seconds at 0.8 a second

    system.settle()
    assert stats(system) == {"audience": 40, "sent": 40}


def test_a_company_that_sends_too_halves_the_rate_until_it_has_ended(
    system: System, accounts: list[Account]
) -> None:
    accounts.append(account(a_second=1))
    begun(system)
    table = Table(system.dynamodb, system.table)
    senders.note(table, "globex", system.clock.ms + 15_000)

    assert turn(system) == 8
    assert turn(system) >= 14


def test_an_issue_waits_for_a_quarter_of_an_hour_while_a_fifth_of_the_day_is_left(
    system: System, accounts: list[Account]
) -> None:
    accounts.append(account(left=10_000))
    begun(system)
    started = system.clock.ms

    assert turn(system) == 0

    accounts.append(account(left=10_001))
    system.settle()
    assert stats(system) == {"audience": 40, "sent": 40}
    assert system.clock.ms - started >= 15 * 60_000


def test_an_issue_pauses_if_the_account_is_paused_and_no_reader_is_lost(
    system: System, accounts: list[Account]
) -> None:
    begun(system)
    accounts.append(account(may_send=False))
    system.drain()

    assert (issue_of(system).state, issue_of(system).pause_reason) == ("paused", "account_paused")
    assert stats(system) == {"audience": 40}
    accounts.append(account())
    system.worker.sending.account.forget()
    ordered("resume")(system)
    system.settle()
    assert stats(system) == {"audience": 40, "sent": 40}


def test_an_issue_waits_while_the_account_cannot_be_read(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(system)

    def unreadable(_: Identities) -> Account:
        raise Transient("ses_account_unreadable")

    with monkeypatch.context() as patch:
        patch.setattr(Identities, "account", unreadable)
        system.drain()
        assert issue_of(system).state == "sending"
        assert stats(system) == {"audience": 40}
    system.settle()
    assert stats(system) == {"audience": 40, "sent": 40}


def test_companies_that_have_ended_are_not_counted_any_more(system: System) -> None:
    table, now = Table(system.dynamodb, system.table), system.clock.ms
    assert senders.note(table, "acme", now + 1_000) == 1
    assert senders.note(table, "acme", now + 60_000) == 1
    assert senders.note(table, "globex", now + 60_000) == 2
    system.clock.ms += 60_001
    assert senders.note(table, "globex", now + 120_000) == 1
