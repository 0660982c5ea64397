"""
Contacts after a crash at any call, a lost answer, or another process between any two calls: the repeated event ends in
the same contacts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from shared.aws.dynamodb import Table
from shared.identity.contacts.claims import Proof
from tests.integration.shared.contacts.people import (
    Event,
    contacts,
    email,
    event,
    groups,
    handle,
    phone,
)
from tests.simulation import stored
from tests.simulation.crashes.disturbances import deaths, failures
from tests.simulation.interceptor import Died, Interceptor, When
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from tests.tables.storage import Stored

NAME = "contacts-local"
ANN, BEN, CY = (event(Proof.PROVIDER, email(name)) for name in ("ann", "ben", "cy"))
LINE = event(Proof.PROVIDER, phone(1), phone(2))
# Items that were stored before, and the event whose handling is disturbed.
CASES: dict[str, tuple[tuple[Event, ...], Event]] = {
    "a new contact": ((), ANN),
    "a new contact with two identifiers": ((), LINE),
    "a further identifier": ((ANN,), event(Proof.COMPANY, email("ann"), phone(1))),
    "two contacts joined": ((ANN, BEN), event(Proof.COMPANY, email("ann"), email("ben"))),
    "contacts with members joined": (
        (LINE, event(Proof.COMPANY, email("ann"), email("ben"))),
        event(Proof.COMPANY, phone(2), email("ben"), email("cy")),
    ),
    "a known contact": ((LINE,), LINE),
}
# Events of another process, handled between two calls.
OTHERS: dict[str, Event] = {
    "the same identifier": ANN,
    "another join": event(Proof.COMPANY, email("ben"), phone(3)),
    "the same join": event(Proof.COMPANY, email("ann"), email("ben")),
    "a join of all": event(Proof.COMPANY, phone(1), phone(2), email("ann"), email("ben")),
}


class System:
    """A client whose calls can be disturbed, and another process's client."""

    def __init__(self) -> None:
        self.interceptor: Interceptor[Any] = Interceptor(None)
        session = boto3.Session()
        self.interceptor.hook_into(session.events)
        self.client: DynamoDBClient = session.client("dynamodb")
        self.others: DynamoDBClient = boto3.client("dynamodb")
        create_table(self.others, "ContactsTable", Stage="local")
        self._kept: dict[tuple[Event, ...], dict[stored.Key, Stored]] = {}

    def stored(self, events: tuple[Event, ...]) -> None:
        """The table with what *events* stored, which is made once."""
        if events not in self._kept:
            stored.replace_all(NAME, {})
            handle(Table(self.others, NAME), *events)
            self._kept[events] = stored.shared_items(NAME)
        stored.replace_all(NAME, self._kept[events])
        self.interceptor.rewind()
        self.interceptor.on_moment = lambda *_: None

    def handle(self, one: Event) -> None:
        handle(Table(self.client, NAME), one)

    def contacts(self) -> dict[str, frozenset[str]]:
        return contacts(self.others, Table(self.others, NAME))

    def items(self) -> list[dict[str, Any]]:
        return sorted(map(dict, self.others.scan(TableName=NAME)["Items"]), key=str)


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with mock_aws():
        yield System()


def calls_of(system: System, before: tuple[Event, ...], one: Event) -> list[str]:
    system.stored(before)
    system.handle(one)
    return [*system.interceptor.calls]


@pytest.mark.parametrize(("before", "one"), CASES.values(), ids=CASES)
def test_an_event_killed_at_any_call_and_repeated_ends_in_the_same_items(
    system: System, before: tuple[Event, ...], one: Event
) -> None:
    calls = calls_of(system, before, one)
    expected = system.items()

    for death in deaths(calls):
        system.stored(before)
        system.interceptor.die_at = death
        with pytest.raises(Died):
            system.handle(one)
        system.interceptor.revive()
        system.handle(one)
        assert system.items() == expected


@pytest.mark.parametrize(("before", "one"), CASES.values(), ids=CASES)
def test_an_answer_that_was_lost_changes_no_contact(
    system: System, before: tuple[Event, ...], one: Event
) -> None:
    calls = calls_of(system, before, one)
    expected = system.items()

    for failure in failures(calls, refused=False):
        system.stored(before)
        system.interceptor.fault_at = failure
        system.handle(one)
        assert system.items() == expected


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize(("before", "one"), CASES.values(), ids=CASES)
def test_another_process_between_any_two_calls_changes_no_contact(
    system: System, before: tuple[Event, ...], one: Event, other: Event
) -> None:
    system.stored((*before, one, other))
    expected = system.contacts()
    expected_people = groups(Table(system.others, NAME), [*before, one, other])
    calls = calls_of(system, before, one)

    for number in range(1, len(calls) + 1):
        system.stored(before)
        system.interceptor.on_moment = _at(
            number, lambda: handle(Table(system.others, NAME), other)
        )
        system.handle(one)
        assert system.contacts() == expected
        assert groups(Table(system.others, NAME), [*before, one, other]) == expected_people


@pytest.mark.parametrize(("before", "one"), CASES.values(), ids=CASES)
def test_an_event_that_is_killed_and_never_repeated_joins_no_other_people(
    system: System, before: tuple[Event, ...], one: Event
) -> None:
    calls = calls_of(system, before, one)
    whole = groups(Table(system.others, NAME), [*before, one])

    for death in deaths(calls):
        system.stored(before)
        system.interceptor.die_at = death
        with pytest.raises(Died):
            system.handle(one)
        system.interceptor.revive()
        left = groups(Table(system.others, NAME), [*before, one])
        assert all(any(person <= other for other in whole) for person in left)


def _at(wanted: int, run: Callable[[], object]) -> Callable[[int, When], None]:
    def moment(number: int, when: When) -> None:
        if (number, when) == (wanted, When.AFTER):
            run()

    return moment
