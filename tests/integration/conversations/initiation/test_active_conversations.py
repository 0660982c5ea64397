"""The limit of a project's active conversations: exact under concurrency, at a cost that does not grow."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from boto3.dynamodb.conditions import Key
from botocore.exceptions import ClientError

from conversations.store.items.base import key
from conversations.store.items.routes import Active, Open
from conversations.store.limits import active_recount
from conversations.store.lists import open_list
from events.conversations import sample_data
from shared.aws.dynamodb import TransactionRefused
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from tests.integration.conversations.initiation.deaths import Died, let_writes_die
from tests.integration.conversations.steps import direct_resources

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.aws.dynamodb import Attributes, Table
    from tests.simulation.conversations.system import System

PROJECT = (sample_data.COMPANY, sample_data.PROJECT)
MOST = 3
COUNTER = key(Active.partition(*PROJECT))


@pytest.fixture
def log(system: System) -> Table:
    return direct_resources(system).log


def opening(ref: str) -> Open:
    now = clock.to_text(clock.now_ms())
    return Open(
        ref=ref,
        conversation_status="processing",
        channel_method="sms",
        since=now,
        last_activity_at=open_list.hour_of(now),
    )


def list_as_an_earlier_release(log: Table, ref: str) -> None:
    item = opening(ref).attributes(open_list.key_of(*PROJECT, ref))
    item.pop("is_counted")
    log.put(item)


def admit(log: Table, ref: str, most: int = MOST) -> bool:
    return open_list.admit(log, *PROJECT, opening(ref), most)


def active(log: Table) -> int:
    item = log.get(COUNTER)
    return Active.read(item).active if item else 0


def flagged(log: Table) -> int:
    entries, _ = log.query(None, Key("pk").eq(Open.partition(*PROJECT)))
    return sum(bool(entry.get("is_counted")) for entry in entries)


def overtaken_by(
    log: Table, monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]
) -> list[str]:
    """Let a change happen while the recount reads a part, once; return the parts that it has read."""
    read, parts = active_recount._read_part, list[str]()

    def overtaken(table: Table, company: str, project: str, part: str) -> Any:
        found = read(table, company, project, part)
        parts.append(part)
        if len(parts) == 1:
            change()
        return found

    monkeypatch.setattr(active_recount, "_read_part", overtaken)
    return parts


def test_a_request_that_another_one_overtakes_is_refused_at_the_limit(
    log: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(MOST - 1):
        assert admit(log, f"cc{number}")
    send = log.transact_once

    def overtaken(*writes: Attributes) -> None:
        monkeypatch.setattr(log, "transact_once", send)
        assert admit(log, "faster")
        send(*writes)

    monkeypatch.setattr(log, "transact_once", overtaken)

    assert not admit(log, "slower")
    assert active(log) == flagged(log) == MOST


def test_a_repeated_admission_counts_once_also_at_the_limit(log: Table) -> None:
    for _ in range(2):
        assert admit(log, "one", 1)

    assert active(log) == 1


def test_removing_twice_subtracts_once(log: Table) -> None:
    admit(log, "one")
    admit(log, "two")

    open_list.remove(log, *PROJECT, "one")
    open_list.remove(log, *PROJECT, "one")

    assert active(log) == 1


def test_an_idle_conversation_gives_way_at_the_limit_and_is_counted_again_at_its_next_activity(
    log: Table, system: System
) -> None:
    admit(log, "one", 1)
    open_list.keep(log, *PROJECT, opening("one"))
    system.clock.ms += 73 * clock.HOUR_MS

    assert admit(log, "two", 1)
    assert active(log) == 1
    open_list.keep(log, *PROJECT, opening("one"))
    open_list.keep(log, *PROJECT, opening("one"))
    assert active(log) == flagged(log) == 2


def test_a_conversation_that_no_worker_begins_is_not_listed_and_gives_way_after_an_hour(
    log: Table, system: System
) -> None:
    admit(log, "lost", 1)

    assert open_list.page(log, *PROJECT, 10, None) == ([], None)
    assert not admit(log, "next", 1)
    system.clock.ms += clock.HOUR_MS + 1
    assert admit(log, "next", 1)


def test_conversations_of_an_earlier_release_are_counted_before_the_first_admission(
    log: Table,
) -> None:
    for number in range(MOST):
        list_as_an_earlier_release(log, f"old{number}")
    open_list.keep(
        log, *PROJECT, opening("old0")
    )  # A worker writes it before a request is counted.

    assert not admit(log, "new")
    assert active(log) == flagged(log) == MOST


def test_two_requests_that_count_an_earlier_release_at_the_same_time_admit_no_more_than_the_limit(
    log: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(MOST - 1):
        list_as_an_earlier_release(log, f"old{number}")
    overtaken_by(log, monkeypatch, lambda: admit(log, "faster"))

    assert not admit(log, "slower")
    assert active(log) == flagged(log) == MOST


def test_a_conversation_of_an_earlier_release_that_is_not_counted_is_not_subtracted(
    log: Table,
) -> None:
    list_as_an_earlier_release(log, "old")

    open_list.remove(log, *PROJECT, "old")

    assert active(log) == 0
    assert open_list.page(log, *PROJECT, 10, None) == ([], None)


def test_a_count_with_expired_entries_is_corrected_at_the_limit(log: Table) -> None:
    for number in range(MOST):
        admit(log, f"cc{number}")
    log.update(COUNTER, put={"recounted_at": clock.to_text(0)})
    log.delete(open_list.key_of(*PROJECT, "cc0"))  # As DynamoDB does when it expires.

    assert admit(log, "next")
    assert active(log) == flagged(log) == MOST


def test_a_recount_does_not_overwrite_a_change_made_meanwhile(
    log: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ref in ("one0", "one1"):
        admit(log, ref)
    log.delete(open_list.key_of(*PROJECT, "one0"))  # As DynamoDB does when it expires.
    log.update(COUNTER, put={"recounted_at": clock.to_text(0)})
    parts = overtaken_by(log, monkeypatch, lambda: admit(log, "one2"))
    active_recount.recount(log, *PROJECT)

    assert parts == ["one", "one"]
    assert active(log) == flagged(log) == 2


def test_two_recounts_of_a_part_and_a_repeated_call_of_the_sdk_correct_it_once(
    log: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ref in ("aaa1", "aaa2", "aaa3"):
        admit(log, ref)
    log.update(COUNTER, put={"recounted_at": clock.to_text(0)})
    log.delete(open_list.key_of(*PROJECT, "aaa1"))  # As DynamoDB does when it expires.
    overtaken_by(log, monkeypatch, lambda: active_recount.recount(log, *PROJECT))
    update = log.update

    def repeated(*given: Any, **named: Any) -> Attributes:
        update(*given, **named)
        return update(*given, **named)  # The response of the first attempt was lost.

    monkeypatch.setattr(log, "update", repeated)
    for _ in range(4):
        active_recount.recount(log, *PROJECT)

    assert active(log) == flagged(log) == 2


def test_a_recount_under_way_keeps_changes_before_and_after_its_position(
    log: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(active_recount, "PARTS_A_CALL", 1)
    for ref in ("aaa", "bbb", "ccc", "ddd"):
        admit(log, ref, 9)
    log.update(COUNTER, put={"recounted_at": clock.to_text(0)})
    log.delete(open_list.key_of(*PROJECT, "aaa"))  # As DynamoDB does when it expires.
    log.delete(open_list.key_of(*PROJECT, "ddd"))
    for step in range(4):
        active_recount.recount(log, *PROJECT)
        admit(log, f"aab{step}", 99)
        open_list.remove(log, *PROJECT, ("bbb", "aab0", "ccc", "aab1")[step])
        admit(log, f"eee{step}", 99)

    while (log.get(COUNTER) or {}).get("position"):
        active_recount.recount(log, *PROJECT)
    assert active(log) == flagged(log) == 6
    assert Active.read(log.get(COUNTER) or {}).parts == {"aab": 2, "eee": 4}


def test_a_recount_of_many_conversations_is_continued_by_later_calls_with_bounded_reads(
    log: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(active_recount, "PARTS_A_CALL", 4)
    for number in range(90):
        list_as_an_earlier_release(log, f"{chr(97 + number // 9)}{number % 9}x{number}")
    calls: list[dict[str, Any]] = []
    log._client.meta.events.register(
        "provide-client-params.dynamodb.Query", lambda params, **_: calls.append(params)
    )
    per_call = []
    while not (log.get(COUNTER) or {}).get("is_complete"):
        calls.clear()
        active_recount.recount(log, *PROJECT)
        per_call.append(len(calls))

    assert all("ProjectionExpression" in call for call in calls)
    assert active(log) == flagged(log) == 90
    # Each part has one page, and the search of the next one.
    assert max(per_call) == 8
    assert len(per_call) == 23


def test_a_recount_that_dies_after_any_call_is_continued(
    log: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    for ref in ("aaa", "bbb", "ccc"):
        list_as_an_earlier_release(log, ref)
    left = [0]
    for name in ("get_many", "query", "update", "transact_once"):
        call = getattr(log, name)

        def die_at_last(*given: Any, _call: Any = call, **named: Any) -> Any:
            done = _call(*given, **named)
            left[0] -= 1
            if not left[0]:
                raise Died
            return done

        monkeypatch.setattr(log, name, die_at_last)
    for calls in range(1, 40):
        left[0] = calls
        with suppress(Died):
            active_recount.recount(log, *PROJECT)
    monkeypatch.undo()

    assert active(log) == flagged(log) == 3


def test_a_count_of_an_earlier_release_without_parts_is_split_by_the_first_recount(
    log: Table,
) -> None:
    for ref in ("aaa", "bbb"):
        log.put(opening(ref).attributes(open_list.key_of(*PROJECT, ref)) | {"is_counted": True})
    stored = {"item_type": "ACTIVE", "active": 5, "changes": 7, "is_complete": True}
    log.put(COUNTER | stored | {"recounted_at": clock.to_text(0)})
    open_list.remove(log, *PROJECT, "aaa")
    assert active(log) == 4

    assert admit(log, "ccc", 3)

    assert active(log) == flagged(log) == 2


def test_the_list_is_read_once_a_minute_at_the_limit(
    log: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    admit(log, "one", 1)
    log.update(COUNTER, put={"recounted_at": clock.to_text(0)})
    assert not admit(log, "two", 1)
    monkeypatch.delattr(active_recount, "_read_part")

    assert not admit(log, "two", 1)
    open_list.remove(log, *PROJECT, "one")
    assert admit(log, "two", 1)


@pytest.mark.parametrize("seed", range(8))
def test_the_count_equals_the_counted_entries_after_any_sequence_with_crashes(
    log: Table, system: System, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    rng = random.Random(seed)  # noqa: S311
    list_as_an_earlier_release(log, "cc0")
    let_writes_die(log, monkeypatch, rng, share=0.1)
    for _ in range(60):
        ref = f"cc{rng.randrange(6)}"
        step = rng.choice(["accept", "activity", "end", "idle"])
        try:
            if step == "accept":
                admit(log, ref)
            elif step == "activity":
                open_list.keep(log, *PROJECT, opening(ref))
            elif step == "end":
                open_list.remove(log, *PROJECT, ref)
            else:
                system.clock.ms += rng.choice([1, 30, 73]) * clock.HOUR_MS
        except Died:
            pass
        assert active(log) == flagged(log)


def cancelled(*codes: str, message: str = "") -> ClientError:
    reasons = [{"Code": code, "Message": message} for code in codes]
    answer: Any = {
        "Error": {"Code": "TransactionCanceledException", "Message": "cancelled"},
        "CancellationReasons": reasons,
    }
    return ClientError(answer, "TransactWriteItems")


@pytest.mark.parametrize(
    ("failure", "expected"),
    [
        (cancelled("None", "TransactionConflict"), Transient),
        (cancelled("ThrottlingError", "None"), Transient),
        (cancelled("None", "ProvisionedThroughputExceeded"), Transient),
        (cancelled("ConditionalCheckFailed", "TransactionConflict"), TransactionRefused),
        (cancelled("ValidationError", message="Item size has exceeded the maximum"), Permanent),
        (cancelled("ItemCollectionSizeLimitExceeded"), ClientError),
        (cancelled(), ClientError),
    ],
)
def test_each_reason_of_a_cancelled_transaction_has_its_error(
    log: Table, monkeypatch: pytest.MonkeyPatch, failure: ClientError, expected: type[Exception]
) -> None:
    def refuse(**_: object) -> None:
        raise failure

    monkeypatch.setattr(log._client, "transact_write_items", refuse)
    began = clock.now_ms()

    with pytest.raises(expected):
        log.transact()
    assert clock.now_ms() - began < 4_000
