"""Of a number with two owners one request erases or exports one person."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from console.privacy import person
from shared.policy.consent import withdrawals
from shared.policy.consent.withdrawals import Withdrawal
from shared.privacy.parts import Named, NameKind
from tests.integration.console.people import (
    ADA,
    CANARY,
    COMPANY,
    GIVEN,
    MAIL,
    People,
)
from tests.integration.console.privacy.test_person_erasure import ids_of
from tests.integration.whatsapp.conftest import a_phone, text
from whatsapp import store
from whatsapp.store.items import Phone

if TYPE_CHECKING:
    from collections.abc import Callable


def withdrawn(people: People) -> None:
    """What AI conversations have noticed."""
    record = Withdrawal(at="2026-01-01T12:00:00.000Z", evidence="wamid.7")
    withdrawals.note(people.conversations.log, COMPANY, f"+{ADA}", record)


def handed_over(people: People) -> None:
    """Ada reports another number, and Carl writes from hers."""
    people.now[0] += 60_000
    at = str(people.now[0] // 1_000)
    system = {"type": "user_changed_number", "body": "changed", "wa_id": "447700900199"}
    notice = {"id": "wamid.8", "from": ADA, "timestamp": at, "type": "system", "system": system}
    people.harness.take({"messages": [notice]})
    people.now[0] += 60_000
    people.write("wamid.9", ADA, "of Carl", "Carl")
    people.show()


@pytest.mark.parametrize("change", [withdrawn, handed_over])
def test_a_number_that_was_another_persons_leads_to_nothing_of_the_earlier_owner(
    people: People, change: Callable[[People], None]
) -> None:
    """The number's contact, with its address, is the earlier owner's."""
    adas = ids_of(people)
    change(people)
    profiles = [one for one in people.contact_items() if one["pk"]["S"].endswith(tuple(adas))]

    names, ids = person.of_names(people.deps.sources, COMPANY, GIVEN)

    carls = [Named(NameKind.PHONE, f"+{ADA}~20260101120100")] if change is handed_over else []
    assert names == [*GIVEN, *carls]
    assert (len(ids), set(ids) & set(adas)) == (len(carls), set())
    people.run()
    kept = [one for one in people.contact_items() if one["pk"]["S"].endswith(tuple(adas))]
    assert len(profiles) == 2
    assert kept == profiles
    assert people.left("of Carl") == []
    assert {one.split(" ")[0] for one in people.left(MAIL)} >= {people.mails.table.name}
    if change is handed_over:
        assert {one.split(" ")[0] for one in people.left(CANARY)} >= {
            people.harness.resources.table.name
        }


def taken_over_elsewhere(people: People, *, is_late: bool = False) -> None:
    """Carl has Ada's number, and writes first to another number of the company."""
    elsewhere = "106540352242933"
    arn = f"arn:parley:whatsapp:::phone-number-id/{elsewhere}"
    numbers = {"phone": elsewhere, "phone_arn": arn, "display_phone": "15552242933"}
    store.phones.register(
        people.harness.resources.table, a_phone(pk=Phone.key(elsewhere), **numbers)
    )
    store.phones.forget()
    people.now[0] += 60_000
    at = str(people.now[0] // 1_000)
    system = {"type": "user_changed_number", "body": "changed", "wa_id": "447700900199"}
    notice = {"id": "wamid.8", "from": ADA, "timestamp": at, "type": "system", "system": system}
    if not is_late:
        people.harness.take({"messages": [notice]})
    people.now[0] += 60_000
    message = text("wamid.9", "of Carl", at=people.now[0] // 1_000, sender=ADA)
    contact = {"profile": {"name": "Carl"}, "wa_id": ADA}
    metadata = {"phone_number_id": elsewhere, "display_phone_number": "15552242933"}
    people.harness.take({"contacts": [contact], "messages": [message], "metadata": metadata})
    if is_late:
        people.harness.take({"messages": [notice]})
    people.show()


def taken_over_before_the_notice(people: People) -> None:
    """Carl's message comes before the notice: both conversations have the number as their key."""
    taken_over_elsewhere(people, is_late=True)


CHANGES = [handed_over, taken_over_elsewhere, taken_over_before_the_notice]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("erased", ["Adaline Canary", "Carl"])
def test_of_two_owners_of_a_number_the_contact_that_is_named_is_erased_and_no_other(
    people: People, change: Callable[[People], None], erased: str
) -> None:
    change(people)
    contacts = {
        str(one["contact"]): str(one["contact_id"])
        for one in people.inbox.entries().values()
        if "contact_id" in one and "contact" in one
    }
    assert contacts["Carl"] != contacts["Adaline Canary"]

    people.run(given=[Named(NameKind.CONTACT, contacts[erased])])
    people.show()

    assert bool(people.left("of Carl", "Carl")) is (erased != "Carl")
    assert bool(people.left(CANARY)) is (erased == "Carl")


@pytest.mark.parametrize("change", CHANGES)
def test_the_export_of_one_owner_of_a_number_has_nothing_of_another(
    people: People, change: Callable[[People], None]
) -> None:
    change(people)
    contacts = {
        str(one["contact"]): str(one["contact_id"])
        for one in people.inbox.entries().values()
        if "contact_id" in one and "contact" in one
    }

    people.run("export", [Named(NameKind.CONTACT, contacts["Adaline Canary"])])

    def exported(words: str) -> list[str]:
        return [one for one in people.left(words) if "exports/" in one]

    assert exported(CANARY)
    assert exported("of Carl") == []
