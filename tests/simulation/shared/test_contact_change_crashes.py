"""
Changes of contacts by people after a crash at any call, a lost answer, or with a feed's event between any two calls:
the repeated request ends in the same contacts, and a merge is seen whole or not at all.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from console.api.inbox import InboxDependencies
from console.contacts.changes import stored
from console.contacts.changes.inputs import (
    CreateContactInput,
    IdentifierInput,
)
from shared.api.auth import Caller, Scope
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret
from shared.identity.contacts import details, merges, resolution
from shared.identity.contacts.claims import Proof
from shared.identity.contacts.history import Act
from shared.runtime.failures import Transient
from tests.integration.shared.contacts.people import (
    COMPANY,
    email,
    event,
    handle,
    phone,
)
from tests.simulation.crashes.disturbances import deaths, failures
from tests.simulation.interceptor import Died, Interceptor, When
from tests.simulation.stored import replace_all, shared_items
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.integration.shared.contacts.people import Event
    from tests.simulation.stored import Key
    from tests.tables.storage import Stored

type Step = Callable[["System"], object]

BY = "api-key:1"
CALLER = Caller(
    company=COMPANY,
    scopes=frozenset(map(str, Scope)),
    principal="api-key:1",
    projects=frozenset("*"),
)
PEOPLE = (email("ann"), email("ben"), email("cy"), phone(1), phone(2))
ANN, BEN = (event(Proof.PROVIDER, one) for one in PEOPLE[:2])
OF_LINE = IdentifierInput(kind="phone", value=PEOPLE[4].value)
LINE = event(Proof.PROVIDER, phone(1), phone(2))


class System:
    """The tables, reached by a client whose calls can be disturbed, and by another process."""

    def __init__(self) -> None:
        self.interceptor: Interceptor[Any] = Interceptor(None)
        session = boto3.Session()
        self.interceptor.hook_into(session.events)
        others = boto3.client("dynamodb")
        names = [create_table(others, one) for one in ("ContactsTable", "InboxTable")]
        self.others = Table(others, names[0])
        self.table, inbox = (Table(session.client("dynamodb"), name) for name in names)
        self._kept: dict[tuple[Event | Step, ...], dict[Key, Stored]] = {}
        self.deps = InboxDependencies(
            table=inbox,
            contacts=self.table,
            live=inbox,
            seal_secret=JsonSecret(lambda: boto3.client("secretsmanager"), "unused"),
        )

    def begin(self, before: tuple[Event | Step, ...]) -> None:
        """Contacts of events and changes only, which are made once."""
        self.interceptor.revive()
        self.interceptor.rewind()
        self.interceptor.on_moment = lambda *_: None
        if before not in self._kept:
            replace_all(self.others.name, {})
            for one in before:
                if callable(one):
                    one(self)
                else:
                    handle(self.others, one)
            self._kept[before] = shared_items(self.others.name)
        replace_all(self.others.name, self._kept[before])
        self.interceptor.rewind()

    def id_of(self, number: int) -> str:
        (found,) = resolution.ids_of(COMPANY, PEOPLE[number])
        return found

    def shown(self) -> list[Any]:
        """What readers see of each person, by the identifiers."""
        seen = []
        for number in range(len(PEOPLE)):
            person = resolution.current(self.others, COMPANY, self.id_of(number))
            described = details.described(self.others, person) if person else None
            fields = described.details.model_dump() if described and described.details else {}
            seen.append(
                (
                    person and (person.contact_id, sorted(person.members)),
                    {name: fields.get(name) for name in details.FIELDS},
                    [one.value for one in described.identifiers] if described else [],
                )
            )
        return seen


def named(number: int) -> Step:
    """A contact with details, which exists without a conversation."""

    def act(system: System) -> None:
        person = resolution.current(system.others, COMPANY, system.id_of(number))
        assert person is not None
        details.change(system.others, person, {"language": "en"}, act=Act(f"named {number}", BY))

    return act


def merge(first: int, second: int) -> Step:
    def act(system: System) -> None:
        ids = system.id_of(first), system.id_of(second)
        merges.merge(system.table, COMPANY, *ids, Act("merge", BY))

    return act


def undo(system: System) -> None:
    person = resolution.current(system.table, COMPANY, system.id_of(0))
    assert person is not None
    for merge_id in person.merges:
        if found := merges.get(system.table, COMPANY, merge_id):
            merges.undo(system.table, found, Act("undo", BY))


def create(system: System) -> None:
    given = [IdentifierInput(kind="email", value=PEOPLE[2].value)]
    given.append(IdentifierInput(kind="phone", value=PEOPLE[3].value))
    body = CreateContactInput(name="Cy Doe", identifiers=given, labels=["vip"])
    stored.create(system.deps, CALLER, body, "create")()


def describe(system: System) -> None:
    person = resolution.current(system.table, COMPANY, system.id_of(0))
    assert person is not None
    try:
        details.change(system.table, person, {"name": "Ann Doe"}, act=Act("describe", BY))
    except (
        details.VersionConflict
    ):  # An event has joined the contact meanwhile; the caller repeats.
        describe(system)


def add(system: System) -> None:
    stored.add_identifier(system.deps, CALLER, system.id_of(0), OF_LINE, "add")()


def remove(system: System) -> None:
    person = resolution.current(system.table, COMPANY, system.id_of(0))
    assert person is not None
    merges.remove_identifier(system.table, person, system.id_of(4), Act("remove", BY))


# Items that were stored before, and the change that is disturbed.
CASES: dict[str, tuple[tuple[Event | Step, ...], Step]] = {
    "a merge": ((ANN, BEN), merge(0, 1)),
    "a merge in the other order": ((ANN, BEN), merge(1, 0)),
    "a merge of contacts with members": ((ANN, LINE), merge(4, 0)),
    "an undo": ((ANN, BEN, merge(0, 1)), undo),
    "a created contact": ((ANN,), create),
    "changed details": ((ANN,), describe),
    "details of a merged contact": ((ANN, BEN, merge(0, 1)), describe),
    "an added identifier": ((ANN, named(0)), add),
    "a removed identifier": ((ANN, named(0), add), remove),
}
# Events of a feed, handled between two calls.
EVENTS: dict[str, Event] = {
    "a message of the person": ANN,
    "a further identifier": event(Proof.COMPANY, email("ann"), phone(9)),
    "a proof that both are one": event(Proof.COMPANY, email("ann"), email("ben")),
}


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with mock_aws():
        yield System()


def calls_of(system: System, before: tuple[Event | Step, ...], act: Step) -> list[str]:
    system.begin(before)
    act(system)
    return [*system.interceptor.calls]


@pytest.mark.parametrize(("before", "act"), CASES.values(), ids=CASES)
def test_a_change_killed_at_any_call_is_whole_or_absent_and_its_repeat_completes_it(
    system: System, before: tuple[Event | Step, ...], act: Step
) -> None:
    calls = calls_of(system, before, act)
    whole = system.shown()
    system.begin(before)
    people = {str(whole), str(system.shown())}

    for death in deaths(calls):
        system.begin(before)
        system.interceptor.die_at = death
        with pytest.raises(Died):
            act(system)
        system.interceptor.revive()
        if act not in {create, add, remove}:
            assert str(system.shown()) in people
        act(system)
        assert system.shown() == whole


@pytest.mark.parametrize(("before", "act"), CASES.values(), ids=CASES)
def test_a_change_whose_answer_was_lost_at_any_call_is_made_once(
    system: System, before: tuple[Event | Step, ...], act: Step
) -> None:
    calls = calls_of(system, before, act)
    whole = system.shown()

    for failure in failures(calls, refused=False):
        system.begin(before)
        system.interceptor.fault_at = failure
        act(system)
        assert system.shown() == whole


@pytest.mark.long
@pytest.mark.parametrize("other", EVENTS.values(), ids=EVENTS)
@pytest.mark.parametrize(("before", "act"), CASES.values(), ids=CASES)
def test_an_event_between_any_two_calls_or_after_a_death_changes_nothing_of_a_change(
    system: System, before: tuple[Event | Step, ...], act: Step, other: Event
) -> None:
    system.begin((*before, act, other))
    orders = [str(system.shown())]
    with suppress(merges.MergeRefused):
        system.begin((*before, other, act))
    orders.append(str(system.shown()))
    calls = calls_of(system, before, act)

    for number in range(1, len(calls) + 1):
        system.begin(before)
        system.interceptor.on_moment = _at(number, lambda: handle(system.others, other))
        with suppress(merges.MergeRefused):  # The event has made both one.
            act(system)
        assert str(system.shown()) in orders
    for death in deaths(calls):
        system.begin(before)
        system.interceptor.die_at = death
        with pytest.raises(Died):
            act(system)
        system.interceptor.revive()
        handle(system.others, other)
        with suppress(merges.MergeRefused):
            act(system)
        assert str(system.shown()) in orders


def test_an_identifier_that_two_contacts_get_at_the_same_time_joins_no_two_people(
    system: System,
) -> None:
    before = (ANN, BEN, named(0), named(1))
    calls = calls_of(system, before, add)
    other = replace(system.deps, contacts=system.others)

    def to_ben() -> None:
        with suppress(Transient, stored.IdentifierTaken):
            stored.add_identifier(other, CALLER, system.id_of(1), OF_LINE, "other")()

    for number in range(1, len(calls) + 1):
        system.begin(before)
        system.interceptor.on_moment = _at(number, to_ben)
        with suppress(Transient, stored.IdentifierTaken):
            add(system)
        people = [resolution.current(system.others, COMPANY, system.id_of(n)) for n in (0, 1)]
        holders = [one for one in people if one and system.id_of(4) in one.members]
        assert len(holders) == 1
        assert len({one.contact_id for one in people if one}) == 2


def _at(wanted: int, run: Callable[[], object]) -> Callable[[int, When], None]:
    def moment(number: int, when: When) -> None:
        if (number, when) == (wanted, When.AFTER):
            run()

    return moment


def apart(system: System) -> None:
    """Ann and Ben are merged and separated by people."""
    merge(0, 1)(system)
    undo(system)


@pytest.mark.parametrize("proof", [(0, 2), (0, 1, 2)], ids=["one of them", "both of them"])
def test_events_at_the_same_time_put_a_third_person_in_one_place_and_join_no_separated_people(
    system: System, proof: tuple[int, ...]
) -> None:
    before = (ANN, BEN, event(Proof.PROVIDER, PEOPLE[2]), apart)
    own = event(Proof.COMPANY, *(PEOPLE[number] for number in proof))
    other = event(Proof.COMPANY, PEOPLE[1], PEOPLE[2])

    def handled(system: System) -> None:
        handle(system.table, own)

    calls = calls_of(system, before, handled)
    for number in range(1, len(calls) + 1):
        system.begin(before)
        system.interceptor.on_moment = _at(number, lambda: handle(system.others, other))
        handled(system)
        handle(system.others, other)
        _is_in_one_place(system)
    for death in deaths(calls):
        system.begin(before)
        system.interceptor.die_at = death
        with pytest.raises(Died):
            handled(system)
        system.interceptor.revive()
        for one in (other, own, other):
            handle(system.others, one)
        _is_in_one_place(system)


def _is_in_one_place(system: System) -> None:
    roots = [resolution.current(system.others, COMPANY, system.id_of(n)) for n in range(3)]
    people = {one.contact_id: one for one in roots if one}
    listed = [one for root in people.values() for one in (root.contact_id, *root.members)]
    assert sorted(listed) == sorted(system.id_of(n) for n in range(3))
    assert len(people) == 2
    ann, ben, _ = roots
    assert ann is not None
    assert ben is not None
    assert ann.contact_id != ben.contact_id
