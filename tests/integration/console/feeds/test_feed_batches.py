"""A batch of a feed: how often it reads, what fails with one item of it, and records that are hours old."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from shared.aws.dynamodb import Table
from shared.inbox import entries
from shared.inbox.feed import LATE_MS, RETRIED_FOR_MS
from shared.inbox.items import Context
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.integration.console.feeds.test_whatsapp_feed import ADA, BEN, receive
from tests.integration.whatsapp.conftest import PHONE, Harness
from tests.template import properties, resources
from whatsapp.store.items import Conversation

if TYPE_CHECKING:
    from tests.integration.console.system import Fed, InboxSystem

CUSTOMERS = [f"4477009{n:05}" for n in range(30)]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the feed reads one item, and a batch."""
    found: Counter[str] = Counter()
    get, batch = Table.get, Table._get_at_once

    def counted(self: Table, key: dict[str, Any]) -> Any:
        found["one"] += 1
        return get(self, key)

    def counted_batch(self: Table, *values: Any, **options: Any) -> Any:
        found["batch"] += 1
        return batch(self, *values, **options)

    monkeypatch.setattr(Table, "get", counted)
    monkeypatch.setattr(Table, "_get_at_once", counted_batch)
    return found


def aged(records: list[dict[str, Any]], age_ms: float) -> list[dict[str, Any]]:
    at = (clock.now_ms() - age_ms) / 1_000
    return [
        {**one, "dynamodb": {**one["dynamodb"], "ApproximateCreationDateTime": at}}
        for one in records
    ]


def test_a_batch_reads_all_its_entries_in_one_call_and_all_its_heads_in_another(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, reads: Counter[str]
) -> None:
    for n, customer in enumerate(CUSTOMERS):
        receive(harness, f"wamid.{n}", sender=customer)
    whatsapp.take()
    for n, customer in enumerate(CUSTOMERS):
        receive(harness, f"wamid.next{n}", sender=customer, at=30)
    records = whatsapp.pending()
    reads.clear()

    assert whatsapp.take(records) == []

    assert reads == {"batch": 2}
    assert len(inbox.entries()) == len(CUSTOMERS)


def test_records_of_one_conversation_lead_to_the_same_entry_in_any_order_and_in_any_batches(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed
) -> None:
    receive(harness, "wamid.1")
    receive(harness, "wamid.2", at=40, body="and scooters?")
    receive(harness, "wamid.3", sender=BEN)
    changed = whatsapp.pending()
    heads = [one for one in changed if one["dynamodb"]["Keys"]["pk"]["S"].startswith("CONV#")]
    records = [heads[0], heads[1], heads[-1]]
    assert len({one["dynamodb"]["Keys"]["pk"]["S"] for one in records}) == 2
    found = []
    for order in permutations(records):
        for cut in range(len(order) + 1):
            for key in inbox.entries():
                inbox.table.delete({"pk": key})
            for batch in (list(order[:cut]), list(order[cut:])):
                assert whatsapp.take(batch) == []
            shown = inbox.entries()
            found.append({key: {**entry, "version": 0} for key, entry in shown.items()})

    assert found == [found[0]] * len(found)
    assert len(found[0]) == 2


@pytest.mark.parametrize(("call", "before"), [("get_many", 2), ("transact_once", 1)])
def test_a_run_beside_another_one_of_the_same_conversation_shows_what_is_stored_last(  # noqa: PLR0917 - fixtures
    harness: Harness,
    inbox: InboxSystem,
    whatsapp: Fed,
    monkeypatch: pytest.MonkeyPatch,
    call: str,
    before: int,
) -> None:
    """Between the reads of entries and of heads, or before the write."""
    receive(harness, "wamid.1", body="first")
    records = whatsapp.pending()
    original, calls = getattr(Table, call), Counter[str]()

    def beside(self: Table, *values: Any, **options: Any) -> Any:
        calls[call] += 1
        if calls[call] == before:
            receive(harness, "wamid.2", at=30, body="second")
            whatsapp.take(whatsapp.pending())
        return original(self, *values, **options)

    monkeypatch.setattr(Table, call, beside)

    assert whatsapp.take(records) == []
    assert [counts["opened"] for counts in inbox.counts().values()] == [1]

    assert [row["preview"] for row in inbox.rows()] == ["second"]


@pytest.mark.parametrize("failure", [Transient("batch_get_throttled"), ValueError("one item")])
def test_a_batch_that_cannot_be_read_is_read_one_by_one(
    harness: Harness,
    inbox: InboxSystem,
    whatsapp: Fed,
    monkeypatch: pytest.MonkeyPatch,
    failure: Exception,
) -> None:
    receive(harness, "wamid.1")
    receive(harness, "wamid.2", sender=BEN)

    get_many = Table.get_many

    def fails(self: Table, keys: Any) -> Any:
        if self.name != inbox.tables.contacts.name:
            raise failure
        return get_many(self, keys)

    monkeypatch.setattr(Table, "get_many", fails)

    assert whatsapp.take() == []

    monkeypatch.undo()
    assert {row["handle"] for row in inbox.rows()} == {ADA, BEN}


def test_a_record_that_is_hours_old_leads_to_the_present_entry_and_is_reported_as_late(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, counted: list[str]
) -> None:
    receive(harness, "wamid.1")
    records = whatsapp.pending()
    receive(harness, "wamid.2", at=30, body="the newest")

    assert whatsapp.take(aged(records, LATE_MS - 1_000)) == []
    assert "FeedLate" not in counted
    assert whatsapp.take(aged(records, LATE_MS)) == []
    assert "FeedLate" in counted
    assert whatsapp.take(aged(records, 5 * RETRIED_FOR_MS)) == []

    assert [row["preview"] for row in inbox.rows()] == ["the newest"]


def test_a_record_that_fails_is_retried_for_an_hour_and_its_head_is_parked_then(
    harness: Harness, inbox: InboxSystem, whatsapp: Fed, monkeypatch: pytest.MonkeyPatch
) -> None:
    receive(harness, "wamid.1")
    records = whatsapp.pending()

    def throttled(self: Table, *writes: Any) -> None:
        raise ClientError({"Error": {"Code": "ThrottlingException"}}, "TransactWriteItems")

    monkeypatch.setattr(Table, "transact_once", throttled)

    assert whatsapp.take(aged(records, RETRIED_FOR_MS - 60_000)) != []
    assert list(entries.parked(inbox.table, Context.WHATSAPP)) == []
    assert whatsapp.take(aged(records, RETRIED_FOR_MS + 60_000)) == []

    (parked,) = entries.parked(inbox.table, Context.WHATSAPP)
    assert (parked.reference, parked.reason) == (
        Conversation.key(PHONE, ADA),
        "retries_exhausted",
    )


def test_lambda_drops_no_record_and_handles_ten_batches_of_a_shard_at_the_same_time() -> None:
    sources = [
        event["Properties"]
        for name in resources("AWS::Serverless::Function")
        for event in properties(name).get("Events", {}).values()
        if event["Type"] == "DynamoDB"
    ]

    assert len(sources) == 4
    for source in sources:
        assert source["MaximumRecordAgeInSeconds"] == source["MaximumRetryAttempts"] == -1
        assert int(source["ParallelizationFactor"]) == 10
        assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]
        # A record that kills its process does not hold up the others of its batch.
        assert source["BisectBatchOnFunctionError"] is True
