"""Lists of a company whose changes exceed one partition of the index: doubled when throttled, merged on reading."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from botocore.exceptions import ClientError

from shared.aws.dynamodb import Table
from shared.inbox.items import Context, Entry, Head
from shared.inbox.lists import partitions
from shared.runtime import clock
from tests.integration.console.system import GLOBEX, InboxSystem, Listed
from tests.integration.whatsapp.conftest import NOW

HOT = "IndexWriteKeyRangeThroughputExceeded"
CHANGES = 4_000


class Clock:
    """A clock that tests move."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    moved = Clock()
    monkeypatch.setattr(clock, "now_ms", moved)
    return moved


def another_process(inbox: InboxSystem) -> Table:
    """The table as a process sees it that has read nothing yet."""
    return inbox.table.beside(inbox.table.name)


def doubled(inbox: InboxSystem, time: Clock, times: int = 1) -> None:
    for _ in range(times):
        partitions.double(inbox.table, "acme")
        time.now += partitions.EFFECT_MS + partitions.REREAD_MS


def stored(inbox: InboxSystem) -> Counter[str]:
    """The number of entries in each partition."""
    return Counter(str(item["list_pk"]) for item in inbox.entries().values() if "list_pk" in item)


def throttled(monkeypatch: pytest.MonkeyPatch, reason: str, index: str) -> None:
    arn = f"arn:aws:dynamodb:eu-west-1:1:table/inbox/index/{index}"
    answer: Any = {
        "Error": {"Code": "ThrottlingException", "Message": "throttled"},
        "ThrottlingReasons": [{"reason": reason, "resource": arn}],
    }
    put = Table.put

    def refuse(table: Table, item: dict[str, Any], **more: Any) -> None:
        if str(item["pk"]).startswith("ENTRY#"):
            raise ClientError(answer, "PutItem")
        put(table, item, **more)

    monkeypatch.setattr(Table, "put", refuse)


def test_the_changes_of_a_second_exceed_no_partition_once_the_number_is_the_largest() -> None:
    heads = (
        Head(
            company_id="acme",
            context=Context.WHATSAPP,
            reference=f"CONV#1#{number}",
            channel="whatsapp",
            address="1",
            last_activity_at="2026-01-01T12:00:00.000Z",
            status="open",
        )
        for number in range(CHANGES)
    )
    sizes = Counter(Entry.of(head, partitions.MOST).list_pk for head in heads)

    assert len(sizes) == partitions.MOST
    # A change deletes one entry of the index and writes one, and a partition takes 1,000 units a second.
    assert 2 * max(sizes.values()) < 1.2 * 1_000


def test_a_company_without_throttled_writes_has_one_partition_and_pays_no_query_more(
    inbox: InboxSystem, listed: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed.show("one")
    queries: list[str] = []
    query = Table.query

    def count(table: Table, index: str | None, *args: Any, **more: Any) -> Any:
        queries.append(str(index))
        return query(table, index, *args, **more)

    monkeypatch.setattr(Table, "query", count)
    inbox.rows()

    assert stored(inbox) == {"acme#open#read": 1}
    assert len(queries) == 6  # open, snoozed, resolved; unread and read


@pytest.mark.parametrize(
    ("throttle", "wanted"),
    [
        ((HOT, "gsi_list"), 2),
        ((HOT, "gsi_assignee"), 1),
        (("IndexWriteAccountLimitExceeded", "gsi_list"), 1),
        (("TableWriteKeyRangeThroughputExceeded", "gsi_list"), 1),
    ],
)
def test_only_a_throttled_partition_of_the_list_doubles_the_partitions(
    inbox: InboxSystem,
    listed: Listed,
    monkeypatch: pytest.MonkeyPatch,
    throttle: tuple[str, str],
    wanted: int,
) -> None:
    listed.show("one")
    with monkeypatch.context() as patch:
        throttled(patch, *throttle)
        with pytest.raises(ClientError):
            listed.show("one", 1)

    assert partitions.merged(another_process(inbox), "acme") == wanted
    assert partitions.merged(another_process(inbox), "globex") == 1


def test_readers_merge_the_further_partitions_before_a_writer_uses_them(
    inbox: InboxSystem, time: Clock
) -> None:
    reader, writer = another_process(inbox), another_process(inbox)
    assert partitions.merged(reader, "acme") == 1

    partitions.double(writer, "acme")
    assert partitions.written(writer, "acme") == 1
    time.now += partitions.REREAD_MS
    assert (partitions.merged(reader, "acme"), partitions.written(writer, "acme")) == (2, 1)

    time.now += partitions.REREAD_MS
    assert (partitions.merged(reader, "acme"), partitions.written(writer, "acme")) == (2, 2)


def test_throttled_writes_double_the_partitions_once_until_all_writers_use_them(
    inbox: InboxSystem, time: Clock
) -> None:
    for _ in range(5):
        partitions.double(inbox.table, "acme")
    assert partitions.merged(another_process(inbox), "acme") == 2

    doubled(inbox, time, 6)
    assert partitions.merged(another_process(inbox), "acme") == partitions.MOST


def test_entries_of_all_partitions_are_one_list_with_pages(
    inbox: InboxSystem, listed: Listed, time: Clock
) -> None:
    early = [f"early-{number}" for number in range(10)]
    for number, name in enumerate(early):
        listed.show(name, number)
    doubled(inbox, time, 2)
    late = [f"late-{number}" for number in range(20)]
    for number, name in enumerate(late, start=10):
        listed.show(name, number)

    first = inbox.get(limit=12)
    second = inbox.get(limit=100, cursor=first.body["cursor"])

    shown = [
        row["handle"] for row in (*first.result["conversations"], *second.result["conversations"])
    ]
    assert shown == [*late[::-1], *early[::-1]]
    assert len(stored(inbox)) == 4
    assert inbox.rows(GLOBEX) == []


def test_an_entry_of_the_first_partition_moves_when_it_changes(
    inbox: InboxSystem, listed: Listed, time: Clock
) -> None:
    names = [f"customer-{number}" for number in range(12)]
    for name in names:
        listed.show(name)
    doubled(inbox, time)
    assert stored(inbox) == {"acme#open#read": 12}

    for name in names:
        listed.show(name, 1)

    assert stored(inbox).keys() == {"acme#open#read", "acme#open#read#1"}
    assert sorted(row["handle"] for row in inbox.rows()) == sorted(names)
