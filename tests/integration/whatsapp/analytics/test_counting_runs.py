"""Runs of the count: due hours, concurrent runs, and runs with too little time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import boto3
import pytest

from shared.runtime import clock
from tests.integration.whatsapp.analytics.counting import (
    GLOBEX_PHONE,
    INBOX,
    MINUTE,
    CountsHarness,
    counts_harness_for,
    ms,
)
from tests.integration.whatsapp.conftest import PHONE, Harness
from whatsapp import store
from whatsapp.jobs import rollup
from whatsapp.jobs.rollup import CountResult
from whatsapp.store.items import Message, PhoneCompanies, pk
from whatsapp.store.items.analytics.counts import Counting


@pytest.fixture
def counts_harness(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> CountsHarness:
    return counts_harness_for(harness, monkeypatch)


def test_a_run_without_messages_reads_the_current_hour_and_writes_nothing(
    counts_harness: CountsHarness,
) -> None:
    counts_harness.run("2026-01-01T12:30:00Z")
    assert counts_harness.writes == ["PutItem"]
    counts_harness.run("2026-01-01T12:35:00Z")
    # Reads: the companies, their numbers, the progress; two partitions of each number, and the stored hours.
    assert (counts_harness.reads, counts_harness.writes) == (
        ["GetItem", "BatchGetItem", "GetItem", *["Query"] * 4, "BatchGetItem"],
        [],
    )
    assert counts_harness.counted() == {}


def test_an_hour_that_is_over_is_read_once_if_nothing_changes(
    counts_harness: CountsHarness,
) -> None:
    counts_harness.sent(1, "2026-01-01T12:00:00.000Z", campaign_id="spring")
    counts_harness.run("2026-01-01T12:30:00Z")
    before = counts_harness.hour("2026010112")
    counted = []
    for number in range(13 * 12, 15 * 12):
        at = f"2026-01-01T{number // 12}:{number % 12 * 5:02d}:00Z"
        counted.append(counts_harness.run(at).hours)

    # Hours 12 and 13 at their end, hours 13 and 14 while they last.
    assert counted == [1, 2, *[1] * 10, 1, 2, *[1] * 10]
    assert counts_harness.hour("2026010112") == before
    assert before["summed"] is True


def test_an_hour_is_counted_again_after_a_change(counts_harness: CountsHarness) -> None:
    message = counts_harness.sent(1, "2026-01-01T12:00:00.000Z")
    counts_harness.run("2026-01-01T13:05:00Z")
    counts_harness.move(message, "delivered")
    assert counts_harness.run("2026-01-01T14:00:00Z").written == 0

    assert counts_harness.run("2026-01-01T14:05:00Z") == CountResult(hours=3, written=2)
    assert counts_harness.hour("2026010112")["counts"] == {"sent": 1, "delivered": 1}
    assert counts_harness.day()["messagesDelivered"] == 1


def test_a_message_that_arrives_late_is_counted(counts_harness: CountsHarness) -> None:
    counts_harness.run("2026-01-01T13:05:00Z")
    counts_harness.received(1, "2026-01-01T12:00:00.000Z")
    counts_harness.run("2026-01-01T14:05:00Z")

    assert counts_harness.hour("2026010112")["counts"] == {"received": 1}


def test_changes_of_an_hour_are_noted_once_in_an_hour(counts_harness: CountsHarness) -> None:
    for number in range(3):
        counts_harness.sent(number, "2026-01-01T12:00:00.000Z")
    counts_harness.run("2026-01-01T13:05:00Z")
    counts_harness.writes.clear()
    for number in range(3):
        counts_harness.move(Message.key(f"wamid.{number}"), "read")
    noted = counts_harness.harness.item("CHANGED_HOURS#2026010113")

    assert noted["hours"] == {"2026010112"}
    assert counts_harness.writes == ["UpdateItem"] * 4


def test_the_current_hour_is_read_three_times_if_it_is_large(
    counts_harness: CountsHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rollup, "LARGE", 1)
    counts_harness.sent(1, "2026-01-01T12:00:00.000Z")
    counts_harness.received(2, "2026-01-01T12:00:00.000Z")
    counts_harness.run("2026-01-01T12:05:00Z")
    minutes = range(10, 60, 5)
    counted = [
        minute for minute in minutes if counts_harness.run(f"2026-01-01T12:{minute}:00Z").hours
    ]

    assert counted == [10, 20, 40]


def test_without_numbers_there_is_nothing_to_count(counts_harness: CountsHarness) -> None:
    table = counts_harness.harness.resources.table
    table.delete(pk(PhoneCompanies.pk_pattern))

    assert counts_harness.run() == CountResult()
    assert counts_harness.writes == []


def meanwhile(action: Callable[[], object], *, at_call: int) -> Callable[[], int]:
    """A clock that runs another action in the middle of a run."""
    calls = iter(range(1, 10_000))

    def remaining_ms() -> int:
        if next(calls) == at_call:
            action()
        return 60_000

    return remaining_ms


def test_an_older_run_that_ends_later_does_not_overwrite_a_newer_one(
    counts_harness: CountsHarness,
) -> None:
    message = counts_harness.sent(1, "2026-01-01T12:00:00.000Z")

    def newer() -> None:
        counts_harness.move(message, "read")
        counts_harness.sent(2, "2026-01-01T12:00:00.000Z", "read")
        counts_harness.run("2026-01-01T12:30:00Z")
        assert counts_harness.hour("2026010112")["counts"] == {"sent": 2, "delivered": 2, "read": 2}

    # At its second read of the clock, the older run has read the statuses of this hour.
    counts_harness.run("2026-01-01T12:30:00Z", meanwhile(newer, at_call=2))

    assert counts_harness.hour("2026010112")["counts"] == {"sent": 2, "delivered": 2, "read": 2}
    assert counts_harness.day()["messagesRead"] == 2


@pytest.mark.parametrize("at_call", range(1, 14))
def test_two_concurrent_runs_give_the_same_counts_as_one(
    counts_harness: CountsHarness, at_call: int
) -> None:
    for number in range(6):
        at = f"2026-01-01T{10 + number % 3}:00:0{number}.000Z"
        counts_harness.sent(number, at, campaign_id="spring")

    counts_harness.run("2026-01-01T12:35:00Z", meanwhile(counts_harness.run, at_call=at_call))
    counts_harness.run()

    counts = [counts_harness.hour(f"20260101{hour}")["counts"] for hour in (10, 11, 12)]
    assert counts == [{"sent": 2}] * 3
    assert counts_harness.day()["messagesSent"] == 6
    assert counts_harness.hour("2026010112", of="spring")["counts"] == {"sent": 2}


def test_a_status_that_changes_between_two_pages_is_counted_once(
    counts_harness: CountsHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.counts, "ENTRIES_PER_QUERY", 1)
    sent = [counts_harness.sent(number, f"2026-01-01T12:00:0{number}.000Z") for number in range(3)]
    moved = iter(sent)

    def move_between_pages(model: Any, **_: Any) -> None:
        if model.name == "Query" and (message := next(moved, None)):
            counts_harness.move(message, "delivered")

    counts_harness.harness.resources.table._client.meta.events.register(
        "before-call.dynamodb", move_between_pages
    )
    counts_harness.run("2026-01-01T12:35:00Z")

    assert counts_harness.hour("2026010112")["counts"]["sent"] == 3


def test_a_count_reads_the_numbers_of_companies_and_no_index_that_all_of_them_share(
    counts_harness: CountsHarness,
) -> None:
    """Whether there are few or many messages of others: pages of each number's own messages."""
    for number in range(4):
        counts_harness.sent(number, "2026-01-01T12:00:00.000Z")
        counts_harness.sent(10 + number, "2026-01-01T12:00:00.000Z", phone=GLOBEX_PHONE)
    indexes: list[str] = []

    def note(model: Any, params: dict[str, Any], **_: Any) -> None:
        if model.name == "Query":
            indexes.append(json.loads(params["body"])["IndexName"])

    counts_harness.harness.resources.table._client.meta.events.register(
        "before-call.dynamodb", note
    )
    counts_harness.run("2026-01-01T12:35:00Z")

    assert set(indexes) == {"gsi_inbox"}


def test_a_page_of_a_thousand_messages_takes_eleven_calls(counts_harness: CountsHarness) -> None:
    counts_harness.run("2026-01-01T12:30:00Z")
    table = boto3.resource("dynamodb").Table(counts_harness.harness.resources.table.name)
    with table.batch_writer() as batch:
        for number in range(1_100):
            batch.put_item(Item=raw_message(number, f"2026-01-01T12:00:{number % 60:02d}.000Z"))
    counts_harness.run("2026-01-01T12:35:00Z")

    assert counts_harness.hour("2026010112")["counts"]["sent"] == 1_100
    # A second page, and the empty partitions of the other number; numbers and stored hours as without messages.
    assert counts_harness.reads.count("Query") == 5
    assert counts_harness.reads.count("BatchGetItem") == 11 + 4


def little_time(*, moments: int) -> Callable[[], int]:
    """A time limit that suffices for the start of a run and for *moments* timestamps of messages."""
    calls = iter(range(10_000))
    return lambda: 60_000 if next(calls) <= moments else 0


@pytest.mark.parametrize("moments", [2, 3, 5])
def test_an_hour_too_large_for_one_run_continues_in_the_next_and_is_never_stored_partially(
    counts_harness: CountsHarness, monkeypatch: pytest.MonkeyPatch, moments: int
) -> None:
    monkeypatch.setattr(store.counts, "ENTRIES_PER_QUERY", 2)
    monkeypatch.setattr(store.counts, "PART_CHARACTERS", 40)
    for number in range(12):
        status = ("sent", "delivered", "read", "failed")[number % 4]
        at = f"2026-01-01T12:00:0{number // 2}.000Z"  # two in each moment
        counts_harness.sent(number, at, status, template=f"t{number % 3}", campaign_id="spring")
        counts_harness.received(100 + number, at, ad_source="ad-7")
    expected = {
        "counts": {"sent": 12, "delivered": 6, "read": 3, "failed": 3, "received": 12},
        "templates": {"t0": 4, "t1": 4, "t2": 4},
    }

    runs = 0
    while counts_harness.hour("2026010112") == {}:
        # In this minute no hour is due: only the rest is counted.
        counts_harness.run(
            "2026-01-01T12:36:00Z" if runs else "2026-01-01T12:35:00Z", little_time(moments=moments)
        )
        runs += 1
        assert runs < 20

    assert runs > 1
    hour = counts_harness.hour("2026010112")
    assert {name: hour[name] for name in expected} == expected
    assert counts_harness.hour("2026010112", of="spring")["counts"]["sent"] == 12


def test_deleted_partial_sums_are_counted_again_from_the_beginning(
    counts_harness: CountsHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.counts, "ENTRIES_PER_QUERY", 1)
    for number in range(6):
        counts_harness.sent(number, f"2026-01-01T12:00:0{number}.000Z")
    assert counts_harness.run("2026-01-01T12:35:00Z", little_time(moments=3)).left == 14
    (kept,) = [key for key in counts_harness.harness.keys() if key.startswith("COUNTING#")]
    counts_harness.harness.resources.table.delete(pk(kept))
    counts_harness.run("2026-01-01T12:36:00Z")

    assert counts_harness.hour("2026010112")["counts"] == {"sent": 6}


def test_the_stored_progress_is_deleted_once_the_rest_is_counted(
    counts_harness: CountsHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.counts, "ENTRIES_PER_QUERY", 1)
    for number in range(6):
        counts_harness.sent(number, f"2026-01-01T12:00:0{number}.000Z")
    counts_harness.run("2026-01-01T12:35:00Z", little_time(moments=3))
    state = counts_harness.harness.item("COUNTING")
    assert (state["hour"], state["hours"][:2]) == ("2026010112", ["2026010111", "2026010110"])
    assert state["start"]["receivedAt"] == "2026-01-01T12:00:02.000Z"

    assert state["waitingSince"] == "2026-01-01T12:35:00.000Z"

    assert counts_harness.run("2026-01-01T12:40:00Z") == CountResult(hours=14, written=2, left=0)

    state = counts_harness.harness.item("COUNTING")
    assert state.keys() == {"pk", "itemType", "version", "closed", "partialParts"}


def test_a_run_with_older_progress_does_not_overwrite_the_stored_progress(
    counts_harness: CountsHarness,
) -> None:
    for number in range(6):
        counts_harness.sent(number, f"2026-01-01T12:00:0{number}.000Z")
    table = counts_harness.harness.resources.table
    before = store.counts.progress(table)
    counts_harness.run("2026-01-01T12:35:00Z")

    assert store.counts.save_progress(table, before) is False
    assert counts_harness.harness.item("COUNTING")["version"] == 2


def raw_message(number: int, at: str) -> dict[str, Any]:
    return {
        "pk": f"MSG#{number}", "itemType": "MESSAGE", "company": "acme", "phone": PHONE, "direction": "OUTBOUND",
        "inboxPk": INBOX, "deliveryStatus": "sent", "sentAt": at, "receivedAt": at,
    }  # fmt: skip


@pytest.mark.long
def test_hundreds_of_messages_of_two_days_add_up(counts_harness: CountsHarness) -> None:
    """Ten an hour, a quarter at each status."""
    statuses = ("sent", "delivered", "read", "failed")
    with (
        boto3.resource("dynamodb")
        .Table(counts_harness.harness.resources.table.name)
        .batch_writer() as batch
    ):
        for number in range(480):
            at = clock.to_text(ms("2025-12-31T00:00:00Z") + number * 6 * MINUTE + number % 7)
            batch.put_item(Item=raw_message(number, at) | {"deliveryStatus": statuses[number % 4]})

    # The first run of a deployment counts all hours.
    counts_harness.harness.resources.table.delete(pk(Counting.pk_pattern))
    counts_harness.run("2026-01-02T00:05:00Z")

    totals = ("messagesSent", "messagesDelivered", "messagesRead", "messagesFailed")
    assert [counts_harness.day("2025-12-31")[name] for name in totals] == [240, 120, 60, 60]
    assert [counts_harness.day("2026-01-01")[name] for name in totals] == [240, 120, 60, 60]
    assert counts_harness.hour("2026010100")["counts"]["sent"] == 10


def test_a_run_that_leaves_hours_reports_since_when(
    counts_harness: CountsHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.counts, "ENTRIES_PER_QUERY", 1)
    for number in range(9):
        counts_harness.sent(number, f"2026-01-01T12:00:0{number}.000Z")
    lags = [
        counts_harness.run(f"2026-01-01T12:{minute}:00Z", little_time(moments=1)).lag_ms
        for minute in (35, 40, 45)
    ]

    assert lags == [0, 300_000, 600_000]
