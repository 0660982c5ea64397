"""Leases over moto: claim and takeover of an item, and refused writes of a worker that lost its lease."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from shared.aws.dynamodb import Attributes, Table
from shared.aws.tables import leases
from shared.aws.tables.leases import Finished, Held, LeaseAttributes, LeaseLost, Leases
from shared.runtime import clock
from tests.template import create_table

NOW = 1_767_268_800_000
KEY = {"pk": "JOB#1"}


class Clock:
    now = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    virtual = Clock()
    monkeypatch.setattr(clock, "now_ms", virtual)
    return virtual


@pytest.fixture
def table(time: Clock) -> Iterator[Table]:
    with mock_aws():
        client = boto3.client("dynamodb")
        yield Table(client, create_table(client, "WhatsAppTable"))


@pytest.fixture
def jobs(table: Table) -> Leases:
    return Leases(table, LeaseAttributes("owner", "until", "attempts"))


def item(owner: str, remaining_ms: int = 30_000) -> Attributes:
    lease = {"owner": owner, "until": leases.expiry(remaining_ms), "attempts": 1}
    return {**KEY, "made_by": owner, "ttl": clock.expires_in(86_400), **lease}


def acquire(jobs: Leases, owner: str) -> Attributes:
    return jobs.acquire(KEY, item(owner), again={"seen_by": owner})


def stored(table: Table) -> dict[str, Any]:
    return table.get(KEY) or {}


def overtaken(table: Table, monkeypatch: pytest.MonkeyPatch, by: dict[str, Any]) -> None:
    """Write as another worker just before the next update."""
    update = table.update

    def late(key: Attributes, **arguments: Any) -> Attributes:
        monkeypatch.setattr(table, "update", update)
        table.update(key, put=by)
        return update(key, **arguments)

    monkeypatch.setattr(table, "update", late)


def test_the_first_worker_writes_the_item_with_its_lease(jobs: Leases, table: Table) -> None:
    assert acquire(jobs, "a") == stored(table) == item("a")


def test_a_live_lease_is_refused_with_the_time_until_it_expires(jobs: Leases) -> None:
    acquire(jobs, "a")

    with pytest.raises(Held) as held:
        acquire(jobs, "b")
    assert held.value.item["owner"] == "a"
    assert held.value.wait_ms == 30_000 + leases.GRACE_MS + leases.AFTER_LEASE_MS


def test_an_expired_lease_is_taken_over_and_the_rest_of_the_item_stays(
    jobs: Leases, table: Table, time: Clock
) -> None:
    acquire(jobs, "a")
    time.now += 30_000 + leases.GRACE_MS

    taken = acquire(jobs, "b")

    assert taken == stored(table)
    assert (taken["owner"], taken["attempts"], taken["until"]) == ("b", 2, leases.expiry(30_000))
    assert (taken["made_by"], taken["seen_by"]) == ("a", "b")


def test_an_item_without_a_count_of_attempts_counts_as_attempted_once(
    jobs: Leases, table: Table, time: Clock
) -> None:
    lease = {"owner": "a", "until": leases.expiry(30_000)}
    table.put({**KEY, **lease})
    time.now += 60_000

    assert acquire(jobs, "b")["attempts"] == 2


def test_of_two_workers_that_take_over_one_wins(
    jobs: Leases, table: Table, time: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquire(jobs, "a")
    time.now += 60_000
    overtaken(table, monkeypatch, by={"owner": "c", "until": leases.expiry(9_000)})

    with pytest.raises(Held) as held:
        acquire(jobs, "b")
    assert held.value.item["owner"] == "c"


def test_a_finished_item_is_never_taken_over(jobs: Leases, table: Table, time: Clock) -> None:
    acquire(jobs, "a")
    jobs.finish(KEY, "a", {"result": "done"})
    time.now += 3_600_000

    with pytest.raises(Finished) as finished:
        acquire(jobs, "b")
    assert finished.value.item == stored(table)
    assert stored(table)["result"] == "done"
    assert not jobs.is_held(stored(table))


def test_an_item_past_its_ttl_counts_as_absent_before_dynamodb_deletes_it(
    jobs: Leases, table: Table, time: Clock
) -> None:
    acquire(jobs, "a")
    jobs.finish(KEY, "a", {})
    time.now += 86_400_000

    assert acquire(jobs, "b")["made_by"] == "b"


def test_a_released_item_is_free_at_once(jobs: Leases) -> None:
    acquire(jobs, "a")
    jobs.release(KEY, "a")

    assert acquire(jobs, "b")["attempts"] == 2


def test_a_renewed_lease_lasts_longer(jobs: Leases, time: Clock) -> None:
    acquire(jobs, "a")
    time.now += 30_000
    jobs.renew(KEY, "a", leases.expiry(30_000))
    time.now += 30_000

    with pytest.raises(Held):
        acquire(jobs, "b")


def test_a_worker_that_lost_its_lease_changes_nothing(
    jobs: Leases, table: Table, time: Clock
) -> None:
    acquire(jobs, "a")
    time.now += 60_000
    acquire(jobs, "b")
    before = stored(table)

    jobs.release(KEY, "a")
    with pytest.raises(LeaseLost, match="lease_lost"):
        jobs.renew(KEY, "a", leases.expiry(30_000))
    with pytest.raises(LeaseLost):
        jobs.finish(KEY, "a", {"result": "late"})
    assert stored(table) == before


def test_a_write_whose_response_was_lost_is_recognised_as_the_workers_own(
    jobs: Leases, table: Table, time: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquire(jobs, "a")
    assert acquire(jobs, "a")["attempts"] == 1

    time.now += 60_000
    overtaken(table, monkeypatch, by={"owner": "b", "until": leases.expiry(30_000)})
    assert acquire(jobs, "b")["owner"] == "b"

    jobs.finish(KEY, "b", {"result": "done"})
    jobs.finish(KEY, "b", {"result": "done"})
    assert stored(table)["result"] == "done"


def test_a_claim_that_was_deleted_meanwhile_is_retried_by_the_caller(
    jobs: Leases, table: Table, time: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    acquire(jobs, "a")
    time.now += 60_000
    seen = stored(table)
    table.delete(KEY)

    with pytest.raises(Held) as held:
        jobs.take_over(KEY, seen, item("b"))
    assert held.value.wait_ms == leases.AFTER_LEASE_MS
