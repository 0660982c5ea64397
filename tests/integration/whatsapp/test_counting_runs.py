"""Runs of the count: due hours, concurrent runs, and runs with too little time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import pytest

from shared.runtime import clock
from tests.integration.whatsapp.conftest import PHONE, Desk
from tests.integration.whatsapp.counting import (
    MINUTE,
    Office,
    ms,
    opened_office,
)
from whatsapp import store
from whatsapp.jobs.rollup import CountResult
from whatsapp.store.items import pk


@pytest.fixture
def office(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Office:
    return opened_office(desk, monkeypatch)


def test_a_minute_without_due_hours_costs_one_read(office: Office) -> None:
    office.run("2026-01-01T12:30:00Z")
    office.run("2026-01-01T12:31:00Z")

    assert (office.reads, office.writes) == (["GetItem"], [])


def test_a_stack_without_messages_writes_no_counts(office: Office) -> None:
    office.run("2026-01-01T12:30:00Z")
    assert office.writes == ["PutItem"]
    office.run("2026-01-01T12:35:00Z")
    # Reads: the progress, the numbers; for each of 3 hours four statuses, the received messages, and the stored hours.
    assert (office.reads, office.writes) == (
        ["GetItem", "GetItem", *(["Query"] * 5 + ["BatchGetItem"]) * 3],
        [],
    )
    assert office.counted() == {}


def test_unchanged_hours_are_not_written_again(office: Office) -> None:
    office.sent(1, "2026-01-01T12:00:00.000Z", campaign_id="spring")
    office.run("2026-01-01T12:30:00Z")
    before = office.hour("2026010112")

    assert office.run("2026-01-01T13:30:00Z").written == 0

    assert office.writes == []
    assert office.hour("2026010112") == before
    assert before["summed"] is True


def test_without_numbers_there_is_nothing_to_count(office: Office) -> None:
    table = office.desk.resources.table
    table.delete(pk("CONFIG#PHONES"))

    assert office.run() == CountResult()
    assert office.writes == []


def meanwhile(action: Callable[[], object], *, at_call: int) -> Callable[[], int]:
    """A clock that runs another action in the middle of a run."""
    calls = iter(range(1, 10_000))

    def remaining_ms() -> int:
        if next(calls) == at_call:
            action()
        return 60_000

    return remaining_ms


def test_an_older_run_that_ends_later_does_not_overwrite_a_newer_one(office: Office) -> None:
    message = office.sent(1, "2026-01-01T12:00:00.000Z")

    def newer() -> None:
        office.move(message, "read")
        office.sent(2, "2026-01-01T12:00:00.000Z", "read")
        office.run("2026-01-01T12:30:00Z")
        assert office.hour("2026010112")["counts"] == {"sent": 2, "delivered": 2, "read": 2}

    # At its second read of the clock, the older run has read the statuses of this hour.
    office.run("2026-01-01T12:30:00Z", meanwhile(newer, at_call=2))

    assert office.hour("2026010112")["counts"] == {"sent": 2, "delivered": 2, "read": 2}
    assert office.day()["messagesRead"] == 2


@pytest.mark.parametrize("at_call", range(1, 14))
def test_two_concurrent_runs_give_the_same_counts_as_one(office: Office, at_call: int) -> None:
    for number in range(6):
        at = f"2026-01-01T{10 + number % 3}:00:0{number}.000Z"
        office.sent(number, at, campaign_id="spring")

    office.run("2026-01-01T12:35:00Z", meanwhile(office.run, at_call=at_call))
    office.run()

    counts = [office.hour(f"20260101{hour}")["counts"] for hour in (10, 11, 12)]
    assert counts == [{"sent": 2}] * 3
    assert office.day()["messagesSent"] == 6
    assert office.hour("2026010112", of="spring")["counts"] == {"sent": 2}


def test_a_status_that_changes_during_a_run_is_counted_once_and_corrected_by_the_next_run(
    office: Office,
) -> None:
    message = office.sent(1, "2026-01-01T12:00:00.000Z")
    second = office.sent(2, "2026-01-01T12:00:00.000Z", "delivered")
    moved = {"Query": 0}

    def move_between_queries(model: Any, **_: Any) -> None:
        if model.name == "Query":
            moved["Query"] += 1
            if moved["Query"] == 2:  # `sent` is read, `delivered` is not
                office.move(message, "delivered")
            if moved["Query"] == 4:
                office.move(second, "failed")

    office.desk.resources.table._client.meta.events.register(
        "before-call.dynamodb", move_between_queries
    )
    office.run("2026-01-01T12:35:00Z")

    counts = office.hour("2026010112")["counts"]
    assert counts == {"sent": 2, "delivered": 1, "failed": 1}


def little_time(*, moments: int) -> Callable[[], int]:
    """A time limit that suffices for the start of a run and for *moments* timestamps of messages."""
    calls = iter(range(10_000))
    return lambda: 60_000 if next(calls) <= moments else 0


@pytest.mark.parametrize("moments", [1, 2, 3, 5])
def test_an_hour_too_large_for_one_run_continues_in_the_next_and_is_never_stored_partially(
    office: Office, monkeypatch: pytest.MonkeyPatch, moments: int
) -> None:
    monkeypatch.setattr(store.counts, "ENTRIES_PER_QUERY", 2)
    monkeypatch.setattr(store.counts, "PART_CHARACTERS", 40)
    for number in range(12):
        status = ("sent", "delivered", "read", "failed")[number % 4]
        at = f"2026-01-01T12:00:0{number // 2}.000Z"  # two in each moment
        office.sent(number, at, status, template=f"t{number % 3}", campaign_id="spring")
        office.received(100 + number, at, ad_source="ad-7")
    expected = {
        "counts": {"sent": 12, "delivered": 6, "read": 3, "failed": 3, "received": 12},
        "templates": {"t0": 4, "t1": 4, "t2": 4},
    }

    runs = 0
    while office.hour("2026010112") == {}:
        # In this minute no hour is due: only the rest is counted.
        office.run(
            "2026-01-01T12:36:00Z" if runs else "2026-01-01T12:35:00Z", little_time(moments=moments)
        )
        runs += 1
        assert runs < 20

    assert runs > 1
    hour = office.hour("2026010112")
    assert {name: hour[name] for name in expected} == expected
    assert office.hour("2026010112", of="spring")["counts"]["sent"] == 12


def test_deleted_partial_sums_are_counted_again_from_the_beginning(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        office.sent(number, f"2026-01-01T12:00:0{number}.000Z")
    assert office.run("2026-01-01T12:35:00Z", little_time(moments=3)).left == 3
    (kept,) = [key for key in office.desk.keys() if key.startswith("COUNTING#")]
    office.desk.resources.table.delete(pk(kept))
    office.run("2026-01-01T12:36:00Z")

    assert office.hour("2026010112")["counts"] == {"sent": 6}


def test_the_stored_progress_is_deleted_once_the_rest_is_counted(office: Office) -> None:
    for number in range(6):
        office.sent(number, f"2026-01-01T12:00:0{number}.000Z")
    office.run("2026-01-01T12:35:00Z", little_time(moments=3))
    state = office.desk.item("COUNTING")
    assert (state["hour"], state["position"], state["hours"]) == (
        "2026010112",
        "2026-01-01T12:00:03.000Z",
        ["2026010111", "2026010110"],
    )

    assert office.run("2026-01-01T12:36:00Z") == CountResult(hours=3, written=2, left=0)

    state = office.desk.item("COUNTING")
    assert state.keys() == {"pk", "itemType", "version", "sweptOn", "partialParts"}
    assert office.run("2026-01-01T12:37:00Z") == CountResult()


def test_a_run_with_older_progress_does_not_overwrite_the_stored_progress(office: Office) -> None:
    for number in range(6):
        office.sent(number, f"2026-01-01T12:00:0{number}.000Z")
    table = office.desk.resources.table
    before = store.counts.progress(table)
    office.run("2026-01-01T12:35:00Z")

    assert store.counts.save_progress(table, before) is False
    assert office.desk.item("COUNTING")["version"] == 1


def test_hundreds_of_messages_of_two_days_add_up(office: Office) -> None:
    """Ten an hour, a quarter at each status."""
    statuses = ("sent", "delivered", "read", "failed")
    with boto3.resource("dynamodb").Table(office.desk.resources.table.name).batch_writer() as batch:
        for number in range(480):
            at = clock.to_text(ms("2025-12-31T00:00:00Z") + number * 6 * MINUTE + number % 7)
            batch.put_item(
                Item={
                    "pk": f"MSG#{number}", "itemType": "MESSAGE", "company": "acme", "phone": PHONE,
                    "deliveryStatus": statuses[number % 4], "sentAt": at,
                }
            )  # fmt: skip

    office.run("2026-01-02T00:00:00Z")
    office.run("2026-01-02T00:30:00Z")

    totals = ("messagesSent", "messagesDelivered", "messagesRead", "messagesFailed")
    assert [office.day("2025-12-31")[name] for name in totals] == [240, 120, 60, 60]
    assert [office.day("2026-01-01")[name] for name in totals] == [240, 120, 60, 60]
    assert office.hour("2026010100")["counts"]["sent"] == 10
