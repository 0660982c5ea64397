"""What a call writes is known before and after, at the calls and units that it has without being observed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
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


@pytest.mark.parametrize(
    ("write", "before"),
    [
        (put, "People"),
        (update, "People"),
        (transact, "People"),
        (transact_whole, "People"),
        (unread, "?"),
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


def test_a_write_that_its_condition_refuses_is_no_change(table: Table) -> None:
    table.put(ITEM)

    with observed() as seen, pytest.raises(ConditionFailed):
        table.put({**ITEM, "name": "Friends"}, when=Segment.attr("name").not_exists())

    assert of_call(seen) == []


@pytest.mark.parametrize("write", [put, update, transact, transact_whole, unread])
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
