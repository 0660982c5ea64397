"""A number's next owner is another person, at each number of the company and in any order of arrival."""

from __future__ import annotations

import itertools
import json
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from shared.contacts.person import Person, Sources
from shared.identity.contacts import resolution
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.identifiers import IdentifierKind, identifier, of_later_owner
from shared.inbox import entries
from shared.inbox.items import Channel, Context, Entry
from shared.policy.consent import withdrawals
from shared.policy.consent.withdrawals import Withdrawal
from tests.integration.console.contacts.test_contacts_of_entries import emptied
from tests.integration.console.system import ACME
from tests.integration.whatsapp.conftest import PHONE, Harness, a_phone
from tests.integration.whatsapp.contacts.test_identity import P, Q, changed, written
from tests.integration.whatsapp.contacts.test_unproven_numbers import hidden
from whatsapp import store
from whatsapp.store.items import Phone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.integration.console.system import Fed, InboxSystem, Listed

ANN, ANN_LATER, BEN, CARL = "GB.1", "GB.2", "GB.9", "GB.7"
OTHER, THIRD = "106540352242933", "106540352242944"
OTHER_ACCOUNT = "55555"
MOST_ORDERS = 8


@pytest.fixture
def numbers(harness: Harness) -> Harness:
    """Two more numbers of the company: one of the same account and one of another account."""
    for phone, account in ((OTHER, "102290129340398"), (THIRD, OTHER_ACCOUNT)):
        arn = f"arn:parley:whatsapp:::phone-number-id/{phone}"
        facts = {"pk": Phone.key(phone), "phone": phone, "phone_arn": arn, "waba_meta_id": account}
        store.phones.register(
            harness.resources.table, a_phone(**facts, display_phone=f"1555{phone[-7:]}")
        )
    return harness


def deliver(harness: Harness, message: dict[str, Any], phone: str = PHONE, **more: Any) -> None:
    metadata = {"phone_number_id": phone, "display_phone_number": f"1555{phone[-7:]}"}
    if phone == PHONE:
        metadata["display_phone_number"] = "15550783881"
    account = OTHER_ACCOUNT if phone == THIRD else "102290129340398"
    harness.take({"messages": [message], "metadata": metadata, **more}, waba=account)


def people(harness: Harness, inbox: InboxSystem) -> set[frozenset[str]]:
    """The messages of each contact."""
    found: dict[str, set[str]] = {}
    for key in harness.keys():
        if not key.startswith("MSG#"):
            continue
        home = harness.item(key)["conversationPk"]
        home = harness.item(home).get("linkedTo", home)
        shown = entries.get(inbox.table, Entry.key(Context.WHATSAPP, home))
        assert shown is not None
        assert shown.contact_id is not None, key
        contact = resolution.current(inbox.tables.contacts, "acme", shown.contact_id)
        assert contact is not None
        found.setdefault(contact.contact_id, set()).add(key.removeprefix("MSG#wamid."))
    return set(map(frozenset, found.values()))


def forget(harness: Harness, inbox: InboxSystem, whatsapp: Fed) -> None:
    """Begin anew, with the same numbers."""
    store.phones.forget()
    for key in harness.keys():
        if key.startswith(("MSG#", "CONV#", "ALIAS#", "WEBHOOK#", "LINK#")):
            harness.resources.table.delete({"pk": key})
    harness.inbound.entries.clear()
    emptied(inbox)
    whatsapp.pending()


class Killed(BaseException):
    """The process ended."""


@contextmanager
def killed_at(call: int, harness: Harness) -> Iterator[list[str]]:
    """End the process before this call of the worker's table; yields the calls that were made."""
    made: list[str] = []

    def count(model: Any, **_: object) -> None:
        made.append(model.name)
        if len(made) == call:
            raise Killed

    events = harness.resources.table._client.meta.events
    events.register("before-call.dynamodb", count, unique_id="killed")
    try:
        yield made
    except Killed:
        pass
    finally:
        events.unregister("before-call.dynamodb", unique_id="killed")


type Events = dict[str, tuple[dict[str, Any], str]]

NOTICE = changed("n", 10, user_id=ANN_LATER, previous_user_id=ANN)
CASES: dict[str, tuple[Events, set[frozenset[str]]]] = {
    "another user id of the same account": (
        {"a": (written("a", 0, P, ANN), PHONE), "b": (written("b", 20, P, BEN), OTHER)},
        {frozenset("a"), frozenset("b")},
    ),
    "two more owners at two numbers": (
        {
            "a": (written("a", 0, P, ANN), PHONE),
            "b": (written("b", 20, P, BEN), OTHER),
            "c": (written("c", 40, P, CARL), PHONE),
            "d": (written("d", 50, P, CARL), OTHER),
        },
        {frozenset("a"), frozenset("b"), frozenset("cd")},
    ),
    "a notice, then a user id": (
        {
            "a": (written("a", 0, P, ANN), PHONE),
            "n": (NOTICE, PHONE),
            "b": (written("b", 20, P, BEN), OTHER),
        },
        {frozenset("an"), frozenset("b")},
    ),
    "a notice, then no user id": (
        {
            "a": (written("a", 0, P), PHONE),
            "n": (changed("n", 10), PHONE),
            "b": (written("b", 20, P), OTHER),
            "c": (written("c", 30, P), THIRD),
        },
        {frozenset("an"), frozenset("bc")},
    ),
    "a notice at another account": (
        {
            "a": (written("a", 0, P, ANN), PHONE),
            "n": (NOTICE, PHONE),
            "b": (written("b", 20, P), THIRD),
        },
        {frozenset("an"), frozenset("b")},
    ),
    "a notice that hides the numbers": (
        {
            "a": (written("a", 0, P, ANN), PHONE),
            "n": (hidden(), PHONE),
            "b": (written("b", 20, P, BEN), OTHER),
        },
        {frozenset("an"), frozenset("b")},
    ),
    "the same person at all numbers": (
        {
            "a": (written("a", 0, P, ANN), PHONE),
            "b": (written("b", 20, P, ANN), OTHER),
            "c": (written("c", 30, P), THIRD),
            "d": (written("d", 40, P), OTHER),
        },
        {frozenset("abcd")},
    ),
    "the same person before and after a notice elsewhere": (
        {
            "a": (written("a", 0, P, ANN), PHONE),
            "b": (written("b", 5, P, ANN), OTHER),
            "n": (NOTICE, PHONE),
            "c": (written("c", 30, Q, ANN_LATER), PHONE),
        },
        {frozenset("abnc")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_next_owner_of_a_number_is_another_person_in_any_order_of_arrival(
    case: str, numbers: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    events, expected = CASES[case]
    orders = list(itertools.permutations(events))
    for order in orders[:: -(-len(orders) // MOST_ORDERS)]:
        forget(numbers, inbox, whatsapp)
        for name in (*order, *order):
            deliver(numbers, *events[name])
            assert whatsapp.take() == []

        assert people(numbers, inbox) == expected, order


def named(harness: Harness, message: dict[str, Any], name: str, phone: str = PHONE) -> None:
    """A message of a customer with a name."""
    ids = {"wa_id": message.get("from"), "user_id": message.get("from_user_id")}
    contact = {"profile": {"name": name}, **{key: one for key, one in ids.items() if one}}
    deliver(harness, message, phone, contacts=[contact])


def suggested(inbox: InboxSystem, name: str) -> list[list[str]]:
    """The names that are suggested for each contact of this name."""
    caller = replace(ACME, scopes=ACME.scopes | {"contacts:read"})
    found = inbox.get(caller, "/contacts", q=name).result["contacts"]
    answers = [inbox.get(caller, f"/contacts/{one['contactId']}/suggestions") for one in found]
    return [[one["name"] for one in answer.result["contacts"]] for answer in answers]


def test_a_person_at_two_accounts_without_a_number_is_suggested_by_the_user_id(
    numbers: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    named(numbers, written("a", 0, "", ANN), "Ann")
    named(numbers, written("b", 20, "", ANN), "Annie", THIRD)
    named(numbers, written("c", 20, "", BEN), "Ann", THIRD)
    whatsapp.take()

    assert sorted(suggested(inbox, "ann")) == [[], ["Annie"]]
    assert suggested(inbox, "annie") == [["Ann"]]


def test_owners_of_a_number_with_the_same_name_are_suggested_and_others_are_not(
    numbers: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    named(numbers, written("a", 0, P, ANN), "Ann")
    named(numbers, written("b", 20, P, BEN), "Ann", OTHER)
    named(numbers, written("c", 40, P, CARL), "Carl", OTHER)
    whatsapp.take()

    assert suggested(inbox, "ann") == [["Ann"], ["Ann"]]
    assert suggested(inbox, "carl") == [[]]
    caller = replace(ACME, scopes=ACME.scopes | {"contacts:read"})
    found = inbox.get(caller, "/contacts", q=f"+{P}").result["contacts"]
    assert sorted(one["name"] for one in found) == ["Ann", "Ann", "Carl"]


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_a_next_owner_at_another_number_is_announced_so_that_nothing_goes_to_the_number_for_the_first(
    order: str, numbers: Harness, inbox: InboxSystem
) -> None:
    events, _ = CASES["another user id of the same account"]
    for name in (*order, *order):
        deliver(numbers, *events[name])

    bodies = [json.loads(entry.body) for entry in numbers.inbound.entries]
    released = [body for body in bodies if body["type"] == "number_released"]
    assert {(one["customer_user_id"], one["next_user_id"]) for one in released} == {(ANN, BEN)}
    assert len({one["received_at"] for one in released}) == 1


@pytest.mark.parametrize(
    ("case", "last"),
    [
        ("another user id of the same account", "a"),
        ("another user id of the same account", "b"),
        ("a notice, then no user id", "n"),
    ],
)
def test_a_worker_that_dies_at_any_call_and_is_repeated_finds_the_same_people(
    case: str, last: str, numbers: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    events, expected = CASES[case]
    call, made = 0, [""]
    while len(made) >= call:
        call += 1
        forget(numbers, inbox, whatsapp)
        for name in events:
            if name != last:
                deliver(numbers, *events[name])
        with killed_at(call, numbers) as made:
            deliver(numbers, *events[last])
        deliver(numbers, *events[last])
        whatsapp.take()

        assert people(numbers, inbox) == expected, call
        bodies = [json.loads(entry.body) for entry in numbers.inbound.entries]
        assert [one for one in bodies if one["type"] == "number_released"], call
    assert call > 5


def test_a_later_owner_is_reached_at_the_number_and_the_first_one_is_not(
    inbox: InboxSystem, listed: Listed
) -> None:
    """By SMS, to which both have written."""
    consents = inbox.module.consent_records
    change = Withdrawal.of("2026-01-01T12:05:00.000Z", "wamid.n", None)
    withdrawals.note(consents.table, "acme", f"+{P}", change)
    numbers = {"ann": f"+{P}", "ben": of_later_owner(f"+{P}", change.at)}
    addresses = []
    for minute, (name, number) in zip((0, 10), numbers.items(), strict=True):
        claims = (Claim(identifier(IdentifierKind.PHONE, number), Proof.PROVIDER),)
        facts = {"context": Context.CONVERSATIONS, "channel": Channel.SMS, "handle": f"+{P}"}
        listed.show(name, minute=minute, claims=claims, **facts)
        shown = entries.get(inbox.table, Entry.key(Context.CONVERSATIONS, name))
        assert shown is not None
        profile = resolution.current(inbox.tables.contacts, "acme", str(shown.contact_id))
        assert profile is not None
        sources = Sources(contacts=inbox.tables.contacts, inbox=inbox.table, consents=consents)
        found = Person(sources, profile).address(Channel.SMS)
        addresses.append(found.value if found else None)

    assert addresses == [None, f"+{P}"]
