"""What a call writes is known before and after, at the calls and units that it has without being observed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from boto3.dynamodb.conditions import Key
from moto import mock_aws

from shared.api.audit_log.differences import FieldChange, of_call
from shared.aws.dynamodb import ConditionFailed, Table
from shared.aws.observation import current, note, observed
from shared.contacts.items import Segment
from tests.template import create_table

KEY = Segment.key("acme", "1")
ITEM = {**KEY, "company_id": "acme", "name": "People", "conditions": "{}", "created_by": "user:a"}


@pytest.fixture
def table() -> Iterator[Table]:
    with mock_aws():
        client = boto3.client("dynamodb")
        yield Table(client, create_table(client, "ContactsTable"))


def put(table: Table) -> None:
    table.put({**ITEM, "name": "Friends"})


def update(table: Table) -> None:
    table.get(KEY)
    table.update(KEY, put={"name": "Friends"})


def transact(table: Table) -> None:
    table.get(KEY)
    table.transact(table.to_update(KEY, put={"name": "Friends"}))


def transact_whole(table: Table) -> None:
    table.get(KEY)
    table.transact(table.to_put({**ITEM, "name": "Friends"}))


def unread(table: Table) -> None:
    table.update(KEY, put={"name": "Friends"})


def transact_unread(table: Table) -> None:
    table.transact(table.to_update(KEY, put={"name": "Friends"}))


def transact_after_a_deletion(table: Table) -> None:
    table.get(KEY)
    table.delete(KEY)
    table.transact(table.to_put({**ITEM, "name": "Friends"}))


@pytest.mark.parametrize(
    ("write", "before"),
    [
        (put, "People"),
        (update, "People"),
        (transact, "People"),
        (transact_whole, "People"),
        (unread, "?"),
        (transact_unread, "?"),
    ],
)
def test_a_write_has_the_state_before_and_after(
    table: Table, write: Callable[[Table], None], before: str
) -> None:
    table.put(ITEM)

    with observed() as seen:
        write(table)

    assert of_call(seen) == [FieldChange(field="name", before=before, after="Friends")]


def test_a_deletion_has_the_state_before(table: Table) -> None:
    table.put(ITEM)

    with observed() as seen:
        table.delete(KEY)

    assert FieldChange(field="name", before="People") in of_call(seen)


def test_a_put_in_a_transaction_of_an_item_that_was_not_read_has_an_unknown_state_before(
    table: Table,
) -> None:
    table.put(ITEM)

    with observed() as seen:
        table.transact(table.to_put({**ITEM, "name": "Friends"}))

    assert {one.before for one in of_call(seen)} == {"?"}
    assert FieldChange(field="name", before="?", after="Friends") in of_call(seen)


def created_after_a_read(table: Table) -> None:
    table.get(KEY)
    table.transact(table.to_put(ITEM))


def created_on_condition(table: Table) -> None:
    table.transact(table.to_put(ITEM, when=Segment.attr("pk").not_exists()))


@pytest.mark.parametrize("write", [created_after_a_read, created_on_condition])
def test_an_item_that_a_transaction_creates_has_no_state_before(
    table: Table, write: Callable[[Table], None]
) -> None:
    with observed() as seen:
        write(table)

    assert FieldChange(field="name", after="People") in of_call(seen)
    assert {one.before for one in of_call(seen)} == {None}


@pytest.mark.parametrize(("is_read", "before"), [(True, "3"), (False, "?")])
def test_all_parts_of_an_update_in_a_transaction_are_shown_and_unread_values_as_such(
    table: Table, is_read: bool, before: str
) -> None:
    table.put({**ITEM, "limit": 3, "tags": {"a", "b"}, "steps": ["x"]})

    with observed() as seen:
        if is_read:
            table.get(KEY)
        table.transact(
            table.to_update(
                KEY,
                put_once={"day": "monday"},
                add={"limit": 1},
                append={"steps": ["y"]},
                take_from_set={"tags": {"a"}},
                drop=("conditions",),
            )
        )

    found = {one.field: one for one in of_call(seen)}
    assert found.keys() >= {"day", "limit", "steps", "tags"}
    assert found["limit"] == FieldChange(field="limit", before=before, after="?")
    assert (found["tags"].after, found["steps"].after) == ("?", "?")
    if is_read:
        assert found["conditions"].after is None


def test_an_item_that_was_deleted_is_not_the_state_before_a_later_write(table: Table) -> None:
    table.put(ITEM)

    with observed() as seen:
        transact_after_a_deletion(table)

    assert of_call(seen)[-1] == FieldChange(field="name", before=None, after="Friends")


def test_of_the_items_that_a_call_reads_only_settings_are_kept(table: Table) -> None:
    members = [{"pk": "LIST#acme#1", "sk": f"{n:03}", "company_id": "acme"} for n in range(25)]
    table.put_many(members)
    table.put(ITEM)

    with observed() as seen:
        table.query(None, Key("pk").eq("LIST#acme#1"))
        table.get_many([{"pk": one["pk"], "sk": one["sk"]} for one in members])
        table.delete({"pk": "LIST#acme#1", "sk": "000"})
        table.get(KEY)

    assert list(seen.known.values()) == [ITEM]
    assert seen.written == []


def test_a_write_that_its_condition_refuses_is_no_change(table: Table) -> None:
    table.put(ITEM)

    with observed() as seen, pytest.raises(ConditionFailed):
        table.put({**ITEM, "name": "Friends"}, when=Segment.attr("name").not_exists())

    assert of_call(seen) == []


@pytest.mark.parametrize("write", [put, update, transact, transact_whole, unread, transact_unread])
def test_an_observed_call_makes_the_same_calls_at_the_same_units(
    table: Table, write: Callable[[Table], None]
) -> None:
    made: list[str] = []
    events = table._client.meta.events
    events.register("before-call.dynamodb", lambda model, **_: made.append(model.name))

    def measured(run: Callable[[], Any]) -> tuple[list[str], float]:
        table.put(ITEM)
        made.clear()
        table.forget_consumption()
        run()
        return [*made], table.consumed_write_units

    def observed_write() -> None:
        with observed():
            write(table)

    assert measured(observed_write) == measured(lambda: write(table))


def test_nothing_is_kept_of_a_call_that_is_not_observed_or_has_ended(table: Table) -> None:
    with observed():
        table.put(ITEM)
    note({"switch": False}, {"switch": True})

    assert current() is None
