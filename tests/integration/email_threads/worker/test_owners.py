"""Mailboxes belong to the company that owns their domain: checked at registration, reception, sending, forwarding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from email_threads.store.configuration import mailboxes
from email_threads.store.configuration.mailboxes import MOST
from shared.access.ownership.claims import CACHE_MS, SHARED
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.simulation.email_threads.system import ANN, AUTOMATED, COMPANY, MAILBOX, mail

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

PROBLEM = "address: its domain must be granted by an operator (`operations owners grant`)"
OTHER = "globex"
SPELLINGS = [
    "support@shop.example",
    "SUPPORT@SHOP.EXAMPLE",
    "support@Shop.Example",
    "support@sub.shop.example",
    "support+orders@shop.example",
    "support%2Borders@shop.example",
    "support@\uff53\uff48\uff4f\uff50.example",  # full-width letters
]


def put(system: System, address: str, company: str = COMPANY) -> tuple[int, dict[str, object]]:
    return system.call("PUT", f"/email-mailboxes/{address}", {}, company=company)


def test_a_mailbox_without_proof_is_refused_with_the_field_and_the_missing_proof(
    system: System,
) -> None:
    assert refused(put(system, "info@new.example"))[:2] == (400, "invalid_input")
    assert put(system, "info@new.example")[1]["error"]["message"] == PROBLEM  # type: ignore[index]  # a JSON object
    assert not mailboxes.get(system.worker.resources.table, "info@new.example")


@pytest.mark.parametrize("address", SPELLINGS)
def test_no_spelling_gives_another_company_a_mailbox_at_an_owned_domain(
    system: System, address: str
) -> None:
    before = system.rows()

    status, theirs = put(system, address, OTHER)
    _, of_no_owner = put(system, "info@new.example", OTHER)

    assert status == 400
    assert theirs["error"] == of_no_owner["error"]
    assert system.rows().keys() - before.keys() == set()


@pytest.mark.parametrize(
    ("address", "stored"),
    [
        ("Sales@SHOP.example", "sales@shop.example"),
        ("sales+orders@shop.example", "sales@shop.example"),
        ("sales@sub.shop.example", "sales@sub.shop.example"),
        ("sales@bücher.example", "sales@xn--bcher-kva.example"),
    ],
)
def test_every_spelling_of_an_owned_address_is_one_mailbox(
    system: System, address: str, stored: str
) -> None:
    system.grant("@BÜCHER.example")

    result(put(system, address))

    listed = result(system.call("GET", "/email-mailboxes"))["mailboxes"]
    assert stored in [one["address"] for one in listed]
    assert result(system.call("GET", f"/email-mailboxes/{address}"))["address"] == stored


@pytest.mark.parametrize("address", ["support@shop.example.", "@shop.example", "+x@shop.example"])
def test_other_texts_are_no_addresses(system: System, address: str) -> None:
    assert refused(put(system, address))[:2] == (400, "invalid_input")


def test_the_nearest_granted_domain_decides(system: System) -> None:
    system.grant("@eu.shop.example", OTHER)

    assert put(system, "info@de.eu.shop.example", OTHER)[0] == 200
    assert put(system, "info@de.eu.shop.example")[0] == 400
    assert put(system, "info@us.shop.example", OTHER)[0] == 400


def test_of_a_shared_domain_only_granted_addresses_may_be_mailboxes(system: System) -> None:
    system.grant("@mail.example", SHARED)
    system.grant("Shop+any@mail.example")

    assert put(system, "shop@mail.example")[0] == 200
    assert put(system, "shop+orders@mail.example")[0] == 200
    assert put(system, "shop@mail.example", OTHER)[0] == 400
    assert put(system, "other@mail.example")[0] == 400


def test_a_domain_that_lost_its_owner_receives_nothing_within_the_cache(system: System) -> None:
    system.deliver(mail("a@x"), name="1", address=MAILBOX)
    system.drain()
    assert len(system.threads()) == 1
    owners = system.worker.resources.owners
    cached = dict(owners._cache)
    system.revoke("@shop.example")
    owners._cache.update(cached)

    system.clock.sleep(CACHE_MS / 1_000)
    system.deliver(mail("b@x"), name="2", address=MAILBOX)
    system.drain()

    assert len(system.threads()) == 1
    (parked,) = system.parked()
    assert (parked["reason"], parked.get("company_id")) == ("unknown_mailbox", None)


def test_mail_to_a_domain_of_a_new_owner_goes_to_that_company(system: System) -> None:
    system.grant("@shop.example", OTHER)

    system.deliver(mail("a@x"), name="1", address=MAILBOX)
    system.drain()

    assert not system.threads()
    assert [one.get("company_id") for one in system.parked()] == [OTHER]
    assert put(system, MAILBOX, OTHER)[0] == 200
    assert result(system.call("GET", "/email-mailboxes"))["mailboxes"] != []
    listed = result(system.call("GET", "/email-mailboxes"))["mailboxes"]
    assert MAILBOX not in [one["address"] for one in listed]
    system.deliver(mail("b@x"), name="2", address=MAILBOX)
    system.drain()
    assert [one["company_id"] for one in system.threads()] == [OTHER]


def test_nothing_is_forwarded_or_sent_from_a_mailbox_whose_domain_was_revoked(
    system: System,
) -> None:
    given = {"mailbox": MAILBOX, "to": [ANN], "subject": "Hello", "body_text": "Hello."}
    draft = result(system.call("POST", "/email-threads", given))
    system.revoke("@shop.example")
    path = f"/email-threads/{draft['conversation_id']}/replies/{draft['reply_id']}/approve"
    result(system.call("POST", path, {"version": 1}))
    system.deliver(mail("a@x", to=AUTOMATED), name="1", address=AUTOMATED)
    system.drain()

    assert not system.sent()
    assert [one["reason"] for one in system.drafts()] == ["domain_not_claimed"]
    assert not system.forwarded()


def test_a_mail_to_another_script_of_a_domain_reaches_no_other_company(system: System) -> None:
    system.grant("@strasse.example", OTHER)
    system.register("info@strasse.example", company=OTHER)

    system.deliver(mail("a@x", to="info@straße.example"), name="1")
    system.drain()

    assert not system.threads()


def test_a_company_has_at_most_its_quota_of_mailboxes(system: System) -> None:
    for number in range(MOST - 3):
        system.register(f"n{number}@shop.example")

    answer = put(system, "one-more@shop.example")

    assert refused(answer)[:2] == (409, "mailbox_refused")
    assert result(put(system, "n0@shop.example")) == {"registered": True}
