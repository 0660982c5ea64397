"""Identifiers lead to one contact per person, in any order of events, and only proof in one event joins two of them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import boto3
import pytest
from hypothesis import given
from hypothesis import strategies as st
from moto import mock_aws

from shared.aws.dynamodb import Table
from shared.identity.contacts import merges, resolution, tokens
from shared.identity.contacts.claims import Claim, Proof
from shared.identity.contacts.history import Act
from shared.identity.contacts.items import ACTIVITY_INDEX, Profile
from shared.identity.contacts.merges import MergeRefused
from shared.identity.contacts.resolution import MOST_OF_EVENTS, current, ids_of, resolve
from tests.integration.shared.contacts.people import (
    COMPANY,
    NOON,
    Event,
    contacts,
    email,
    event,
    groups,
    handle,
    phone,
)
from tests.keyring import Keys, held
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient

    from shared.identity.contacts.items import Merge
    from shared.identity.identifiers import Identifier

ANN_PHONE, BEN_PHONE, ANN, BEN = phone(1), phone(2), email("ann"), email("ben")


@pytest.fixture(scope="module")
def client() -> Iterator[DynamoDBClient]:
    with mock_aws():
        yield boto3.client("dynamodb")


def empty(client: DynamoDBClient) -> Table:
    name = "contacts-local"
    if name in client.list_tables()["TableNames"]:
        client.delete_table(TableName=name)
    return Table(client, create_table(client, "ContactsTable", Stage="local"))


@pytest.fixture
def table(client: DynamoDBClient) -> Table:
    return empty(client)


def test_a_known_identifier_names_its_contact_and_an_unknown_one_a_new_contact(
    table: Table,
) -> None:
    ann, again, ben = handle(
        table,
        event(Proof.PROVIDER, ANN_PHONE),
        event(Proof.PROVIDER, ANN_PHONE),
        event(Proof.PROVIDER, BEN_PHONE),
    )

    assert ann == again != ben


@pytest.mark.parametrize("proof", [Proof.PROVIDER, Proof.COMPANY])
def test_identifiers_that_one_event_proves_are_one_contact(table: Table, proof: Proof) -> None:
    handle(table, event(Proof.PROVIDER, ANN_PHONE), event(Proof.PROVIDER, ANN))

    (joined,) = handle(table, event(proof, ANN_PHONE, ANN))

    assert handle(table, event(proof, ANN), event(proof, ANN_PHONE)) == [joined, joined]


@pytest.mark.parametrize(
    "claims",
    [
        event(Proof.IMPORT, ANN_PHONE, ANN),
        (Claim(ANN_PHONE, Proof.PROVIDER), Claim(ANN, Proof.IMPORT)),
        (Claim(ANN_PHONE, Proof.IMPORT), Claim(ANN, Proof.COMPANY)),
    ],
)
def test_an_import_joins_nothing(table: Table, claims: Event) -> None:
    handle(table, claims)

    phone_of, email_of = handle(table, claims[:1], event(Proof.PROVIDER, ANN))
    assert phone_of != email_of


def test_companies_share_no_contact(client: DynamoDBClient, table: Table) -> None:
    (ours,) = handle(table, event(Proof.PROVIDER, ANN_PHONE))
    (theirs,) = handle(table, event(Proof.PROVIDER, ANN_PHONE), company="globex")

    assert ours != theirs  # Ids are given out: companies that compare theirs learn nothing.
    assert current(table, COMPANY, theirs) is None
    assert len(contacts(client, table)) == 2


def test_an_id_of_a_merged_contact_leads_to_the_contact(table: Table) -> None:
    before = handle(table, event(Proof.PROVIDER, ANN_PHONE), event(Proof.PROVIDER, ANN))
    (joined,) = handle(table, event(Proof.COMPANY, ANN_PHONE, ANN))

    roots = [current(table, COMPANY, one) for one in before]
    assert {root.contact_id for root in roots if root} == {joined}
    assert joined == min(before)


def test_an_identifier_is_found_after_the_keys_have_rotated(table: Table) -> None:
    with held(Keys("the old key")):
        old, other = handle(table, event(Proof.PROVIDER, ANN_PHONE), event(Proof.PROVIDER, ANN))
    with held(Keys("the new key", "the old key")):
        assert handle(table, event(Proof.PROVIDER, ANN_PHONE)) == [old]
        assert handle(table, event(Proof.COMPANY, ANN_PHONE, ANN)) == [min(old, other)]


def test_a_process_with_the_new_key_alone_in_a_rotation_makes_no_second_person(
    table: Table,
) -> None:
    with held(Keys("the new key")):
        handle(table, event(Proof.PROVIDER, ANN_PHONE))
    with held(Keys("the old key")):
        handle(table, event(Proof.PROVIDER, ANN_PHONE))
    with held(Keys("the new key", "the old key")):
        (one,) = handle(table, event(Proof.PROVIDER, ANN_PHONE))
    with held(Keys("the old key")):
        assert handle(table, event(Proof.PROVIDER, ANN_PHONE)) == [one]


def test_a_contact_does_not_grow_without_bound(
    client: DynamoDBClient, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolution, "MOST_MEMBERS", 3)

    named = handle(table, *(event(Proof.COMPANY, ANN, phone(n)) for n in range(8)))

    assert len(set(named)) <= 4
    assert max(len(members) for members in contacts(client, table).values()) == 3
    assert handle(table, event(Proof.COMPANY, ANN, phone(7))) == handle(
        table, event(Proof.COMPANY, ANN)
    )


def test_the_table_holds_no_identifier(client: DynamoDBClient, table: Table) -> None:
    handle(table, event(Proof.COMPANY, ANN_PHONE, ANN))

    stored = str(client.scan(TableName=table.name)["Items"])
    assert COMPANY in stored
    assert not any(text in stored for text in ("7700900101", "ann@", "example.com"))


def test_contacts_are_listed_by_their_week_and_merged_ones_are_not(
    client: DynamoDBClient, table: Table
) -> None:
    handle(table, event(Proof.PROVIDER, ANN_PHONE), event(Proof.PROVIDER, ANN))
    (joined,) = handle(table, event(Proof.COMPANY, ANN_PHONE, ANN))

    listed = client.scan(TableName=table.name, IndexName=ACTIVITY_INDEX)["Items"]
    assert [item["pk"]["S"] for item in listed] == [f"CONTACT#{COMPANY}#{joined}"]
    assert listed[0]["activity_pk"]["S"] == f"ACTIVITY#{COMPANY}#2026-02-26"


@pytest.mark.parametrize(
    ("claims", "first", "further"),
    [
        # Calls are counted; each is one unit, and the index of the week adds one to a first message.
        (event(Proof.PROVIDER, ANN_PHONE), 1 + 1, 0),
        (event(Proof.PROVIDER, ANN_PHONE, ANN), 2 + 3, 0),
    ],
)
def test_a_first_message_writes_a_profile_per_identifier_and_its_tokens_and_a_further_one_nothing(
    client: DynamoDBClient, table: Table, claims: Event, first: int, further: int
) -> None:
    writes: list[str] = []

    def count(model: object, **_: object) -> None:
        name = str(getattr(model, "name", ""))
        writes.extend([name] * (name in {"PutItem", "UpdateItem", "TransactWriteItems"}))

    client.meta.events.register("before-call.dynamodb", count, unique_id="writes")
    try:
        handle(table, claims)
        assert len(writes) == first
        handle(table, claims)
        assert len(writes) == first + further
    finally:
        client.meta.events.unregister("before-call.dynamodb", unique_id="writes")


IDENTIFIERS = [phone(1), phone(2), phone(3), email("ann"), email("ben"), email("cy")]
CLAIMS = st.tuples(
    st.sampled_from(list(Proof)), st.lists(st.sampled_from(IDENTIFIERS), min_size=1, max_size=3)
).map(lambda drawn: event(drawn[0], *drawn[1]))


def proven(events: list[Event]) -> set[frozenset[str]]:
    """The rule, without a table: groups of identifiers that provider or company proof in one event connects."""
    found = {claim.identifier.value: {claim.identifier.value} for each in events for claim in each}
    for each in events:
        if each[0].proof is not Proof.IMPORT:
            together = set().union(*(found[claim.identifier.value] for claim in each))
            found |= dict.fromkeys(together, together)
    return set(map(frozenset, found.values()))


@pytest.mark.long
@given(st.lists(CLAIMS, min_size=1, max_size=7), st.randoms())
def test_no_order_joins_two_people_or_splits_one(
    client: DynamoDBClient, events: list[Event], random: Random
) -> None:
    repeated = [*events, *events]
    random.shuffle(repeated)
    in_order = empty(client)

    handle(in_order, *events)
    expected = contacts(client, in_order)
    assert groups(in_order, events) == proven(events)
    shuffled = empty(client)
    handle(shuffled, *repeated)
    assert contacts(client, shuffled) == expected
    assert groups(shuffled, events) == proven(events)


PAIRS = st.sampled_from([(first, second) for first in IDENTIFIERS for second in IDENTIFIERS[:3]])


@pytest.mark.long
@given(st.lists(CLAIMS, max_size=3), PAIRS, st.lists(CLAIMS, min_size=1, max_size=6), st.randoms())
def test_no_order_joins_people_who_were_separated_or_others_than_events_prove(
    client: DynamoDBClient,
    before: list[Event],
    pair: tuple[Identifier, Identifier],
    events: list[Event],
    random: Random,
) -> None:
    """Events before a separation, the separation, and events after it, in two orders and with repetitions."""
    two = [event(Proof.PROVIDER, one) for one in pair]
    whole = proven([*before, *two, *events])
    results = []
    for _ in range(2):
        random.shuffle(events)
        table = empty(client)
        ids = handle(table, *before, *two)[-2:]
        is_separated = separate(table, *ids)
        handle(table, *events, *events)
        shown = groups(table, [*before, *two, *events])
        results.append(shown)

        assert all(any(person <= other for other in whole) for person in shown)
        assert not is_separated or not any({one.value for one in pair} <= one for one in shown)
        # Whom the separation does not concern is as without it.
        assert {one for one in whole if not {each.value for each in pair} <= one} <= shown
        one_place(client, table)
    if not is_separated:
        assert results[0] == results[1] == whole


def separate(table: Table, first: str, second: str) -> bool:
    """Merge two contacts and undo it, as people do; False if they are one already."""
    try:
        made = merges.merge(table, COMPANY, first, second, Act("merge", "api-key:1"))
    except merges.MergeRefused:
        return False
    merges.undo(table, made, Act("undo", "api-key:1"))
    return True


def one_place(client: DynamoDBClient, table: Table) -> None:
    """No profile is a member of two contacts."""
    people = contacts(client, table)
    listed = [one for root, members in people.items() for one in (root, *members)]
    assert len(listed) == len(set(listed))


def test_names_of_events_leave_room_for_what_people_store_and_hide_no_identifier(
    table: Table,
) -> None:
    ann = event(Proof.PROVIDER, phone(1))
    for number in range(20):
        words = " ".join(f"w{number}x{word}" for word in range(8))
        resolve(table, COMPANY, ann, NOON, words)
    resolve(table, COMPANY, event(Proof.COMPANY, phone(1), email("ann")), NOON, "Ann Doe")

    (first,) = ids_of(COMPANY, phone(1))
    profile = Profile.read(table.get(Profile.key(COMPANY, first)) or {})
    assert len(profile.tokens) <= MOST_OF_EVENTS + 2
    for token in tokens.of_identifier(email("ann")):
        (partition,) = tokens.partitions(COMPANY, [token])
        assert tokens.found(table, partition, limit=2)[0] == [first]


@pytest.mark.parametrize("seed", range(6))
def test_merges_that_hold_make_one_person_after_any_order_of_merges_and_undos(
    client: DynamoDBClient, seed: int
) -> None:
    """Also merges of merged contacts, and undos of those in the middle; separated people stay two."""
    table, random = empty(client), Random(seed)  # noqa: S311 - the same order again
    own = [handle(table, event(Proof.PROVIDER, phone(n)))[0] for n in range(1, 6)]
    held: dict[str, Merge] = {}
    separated: list[Merge] = []

    def people() -> dict[str, frozenset[str]]:
        """Each contact with those that the merges which hold connect it with."""
        found = {one: frozenset({one}) for one in own}
        for merge in held.values():
            whole = found[merge.kept] | found[merge.merged]
            found |= dict.fromkeys(whole, whole)
        return found

    for step in range(14):
        one, other = random.sample(own, 2)
        known = people()
        if held and random.random() < 0.4:
            ended = held.pop(random.choice(sorted(held)))
            separated.append(merges.undo(table, ended, Act(f"undo {step}", "user:1")))
        elif known[one] is known[other] or any(
            {known[each.kept], known[each.merged]} == {known[one], known[other]}
            for each in separated
        ):
            with pytest.raises(MergeRefused):
                merges.merge(table, COMPANY, one, other, Act(f"merge {step}", "user:1"))
        else:
            made = merges.merge(table, COMPANY, one, other, Act(f"merge {step}", "user:1"))
            held[made.merge_id] = made
        for name, whole in people().items():
            found = current(table, COMPANY, name)
            assert found is not None
            assert {found.contact_id, *found.members} == whole
            assert found.contact_id == min(whole)
