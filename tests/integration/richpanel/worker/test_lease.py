"""Event leases over moto: claim, finish, takeover and release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from richpanel.store.items import TTL_ATTRIBUTE, Event, EventStatus, Mode, key_of
from richpanel.store.lease import Finish, Lease, hold
from shared.aws.dynamodb import Table
from shared.aws.tables.leases import Held, LeaseLost
from shared.runtime import clock
from shared.runtime.failures import Transient
from tests.integration.richpanel.conftest import NOW, Time
from tests.template import create_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

KEY = "evt:rp:t-1:m-1"
DONE = Finish(status=EventStatus.PROCESSED, intent="order_status_tracking", reason="stale")


@dataclass
class Invocation:
    aws_request_id: str = "request-1"
    left_ms: int = 60_000

    def get_remaining_time_in_millis(self) -> int:
        return self.left_ms


@pytest.fixture
def table(dynamodb: DynamoDBClient) -> Table:
    name = create_table(dynamodb, "RichpanelIdempotencyTable")
    return Table(dynamodb, name, TTL_ATTRIBUTE)


def a_row(owner: str = "request-1", **changes: Any) -> Event:
    now = clock.to_text(clock.now_ms())
    facts: dict[str, Any] = {
        "event_id": KEY,
        "conversation_id": "t-1",
        "source_message_id": "m-1",
        "created_at": now,
        "last_processed_at": now,
        "status": EventStatus.PROCESSING,
        "mode": Mode.ROUTE_ONLY,
        "safe_mode": True,
        "automation_enabled": False,
        "payload_sha256": "ab" * 32,
        "payload_bytes": 40,
        "lease_owner": owner,
        "expires_at": Event.time_to_live(),
    }
    return Event(**facts | changes)


def run(
    table: Table, work: Callable[[Event], Finish] = lambda _: DONE, owner: str = "request-1"
) -> Finish | None:
    return hold(Lease(table), a_row(owner), Invocation(owner), work)  # type: ignore[arg-type] # as much as is used


def stored(table: Table) -> dict[str, Any]:
    return table.get(key_of(Event, KEY)) or {}


def test_an_event_is_claimed_before_the_work_and_finished_after_it(
    table: Table, time: Time
) -> None:
    seen: list[dict[str, Any]] = []

    def work(_: Event) -> Finish:
        seen.append(stored(table))
        time.ms += 1_000
        return DONE

    assert run(table, work)
    assert seen[0]["status"] == "processing"
    assert (seen[0]["lease_owner"], seen[0]["lease_until"]) == ("request-1", NOW + 65_000)
    assert stored(table) == {
        "event_id": KEY,
        "conversation_id": "t-1",
        "source_message_id": "m-1",
        "created_at": "2026-03-02T13:00:00.000Z",
        "last_processed_at": "2026-03-02T13:00:01.000Z",
        "status": "processed",
        "mode": "route_only",
        "safe_mode": True,
        "automation_enabled": False,
        "payload_sha256": "ab" * 32,
        "payload_bytes": 40,
        "attempts": 1,
        "intent": "order_status_tracking",
        "reason": "stale",
        "expires_at": NOW // 1_000 + 30 * 86_400,
    }


def test_a_finished_event_is_not_processed_again(table: Table, time: Time) -> None:
    assert run(table)
    time.ms += 29 * 86_400_000

    assert not run(table, owner="request-2")


def test_a_live_lease_is_waited_for(table: Table, time: Time) -> None:
    table.put(a_row("request-0", lease_until=NOW + 20_000).attributes())

    with pytest.raises(Held) as held:
        run(table)
    assert held.value.wait_ms == 21_000
    assert stored(table)["lease_owner"] == "request-0"


def test_an_expired_lease_is_taken_over_and_the_first_claim_keeps_its_time(
    table: Table, time: Time
) -> None:
    table.put(a_row("request-0", lease_until=NOW + 20_000).attributes())
    time.ms += 20_001
    created: list[str] = []

    def work(row: Event) -> Finish:
        created.append(row.created_at)
        return DONE

    assert run(table, work)
    assert created == ["2026-03-02T13:00:00.000Z"]
    assert (stored(table)["attempts"], stored(table)["status"]) == (2, "processed")


def test_work_that_fails_frees_the_event_at_once_and_deletes_nothing(
    table: Table, time: Time
) -> None:
    def fails(_: Event) -> Finish:
        raise Transient("throttled")

    with pytest.raises(Transient, match="throttled"):
        run(table, fails)
    assert (stored(table)["status"], stored(table)["lease_until"]) == ("processing", 0)
    assert run(table, owner="request-2")
    assert stored(table)["attempts"] == 2


def test_a_worker_whose_lease_expired_neither_finishes_nor_releases_the_event_of_another(
    table: Table, time: Time
) -> None:
    def overtaken(_: Event) -> Finish:
        table.update(key_of(Event, KEY), put={"lease_owner": "request-2"})
        return DONE

    with pytest.raises(LeaseLost):
        run(table, overtaken)
    assert (stored(table)["status"], stored(table)["lease_owner"]) == ("processing", "request-2")

    def fails(_: Event) -> Finish:
        table.update(key_of(Event, KEY), put={"lease_owner": "request-3", "lease_until": NOW + 9})
        raise Transient("throttled")

    time.ms += 70_000
    with pytest.raises(Transient, match="throttled"):
        run(table, fails)
    assert (stored(table)["lease_owner"], stored(table)["lease_until"]) == ("request-3", NOW + 9)


def test_a_claim_whose_response_was_lost_is_recognised_as_the_workers_own(
    table: Table, time: Time
) -> None:
    table.put(a_row("request-1", lease_until=NOW + 20_000).attributes())

    assert run(table)


def test_a_finish_whose_response_was_lost_is_complete(table: Table, time: Time) -> None:
    def work(_: Event) -> Finish:
        table.update(
            key_of(Event, KEY), put={"status": "processed"}, drop=["lease_owner", "lease_until"]
        )
        return DONE

    assert run(table, work)


def test_an_expired_row_does_not_prevent_a_claim(table: Table, time: Time) -> None:
    assert run(table)
    time.ms += 31 * 86_400_000
    assert run(table, owner="request-2")
    assert stored(table)["created_at"] == "2026-04-02T13:00:00.000Z"


def test_of_two_that_take_over_one_wins(
    table: Table, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.put(a_row("request-0", lease_until=NOW - 1).attributes())
    update = table.update

    def slow(key: dict[str, Any], **arguments: Any) -> dict[str, Any]:
        monkeypatch.setattr(table, "update", update)
        table.update(key, put={"lease_owner": "request-9", "lease_until": NOW + 50_000})
        return update(key, **arguments)

    monkeypatch.setattr(table, "update", slow)
    with pytest.raises(Held):
        run(table)
    assert stored(table)["lease_owner"] == "request-9"


def test_a_failure_of_the_table_is_raised_unchanged(
    table: Table, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise Transient("throttled")

    monkeypatch.setattr(table, "put", fails)
    with pytest.raises(Transient, match="throttled"):
        run(table)


def test_the_key_is_stored_in_the_form_of_the_contract(table: Table, time: Time) -> None:
    """The library would hash the key and prefix it with the function's name."""
    run(table)
    rows = table._client.scan(TableName=table.name)["Items"]

    assert [row["event_id"]["S"] for row in rows] == [KEY]
