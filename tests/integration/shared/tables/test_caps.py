"""Counters in a table: bounded, conditional, and idempotent for repeated actions."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import boto3
import pytest
from moto import mock_aws

from shared.aws.dynamodb import Attributes, Table
from shared.aws.tables.rate_limits.fixed_window import Quotas
from shared.aws.tables.rate_limits.frequency_cap import Caps
from shared.aws.tables.rate_limits.gcra import Pace
from shared.aws.tables.rate_limits.limit import Limit, Rate
from shared.runtime import clock
from tests.template import create_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

NOON = 1_772_452_800_000  # 2026-03-02T12:00Z
HOUR, DAY = 3_600_000, 86_400_000
TWO_A_DAY = (Limit(2, 86_400), Limit(5, 7 * 86_400))
PAIR = Rate(every_ms=6_000, burst=3)
REQUESTS = (Limit(3, 60), Limit(5, 86_400))


class Clock:
    now = NOON

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Clock:
    virtual = Clock()
    monkeypatch.setattr(clock, "now_ms", virtual)
    return virtual


@pytest.fixture(scope="module")
def client() -> Iterator["DynamoDBClient"]:
    with mock_aws():
        yield boto3.client("dynamodb")


@pytest.fixture(scope="module")
def table_name(client: "DynamoDBClient") -> str:
    return create_table(client, "WhatsAppTable")


@pytest.fixture
def table(time: Clock, client: "DynamoDBClient", table_name: str) -> Table:
    return Table(client, table_name)


@pytest.fixture
def calls(table: Table, client: "DynamoDBClient") -> Iterator[list[str]]:
    """The operations called after this."""
    seen: list[str] = []
    client.meta.events.register(
        "before-call", lambda model, **_: seen.append(model.name), unique_id="calls"
    )
    yield seen
    client.meta.events.unregister("before-call", unique_id="calls")


type Key = Callable[[str], Attributes]


@pytest.fixture
def key(request: pytest.FixtureRequest) -> Key:
    """Keys unique to this test: all tests share one table."""
    return lambda subject: {"pk": f"RATE#{request.node.name}#{subject}"}


@pytest.fixture
def caps(table: Table, key: Key) -> Caps:
    return Caps(table, key)


@pytest.fixture
def pace(table: Table, key: Key) -> Pace:
    return Pace(table, key)


@pytest.fixture
def quotas(table: Table, key: Key) -> Quotas:
    return Quotas(table, key)


def overtaken(table: Table, monkeypatch: pytest.MonkeyPatch, by: Callable[[], object]) -> None:
    """Run *by* between the next read of *table* and the write that depends on it."""
    real = table.get

    def read(of: Attributes) -> Attributes | None:
        seen = real(of)
        monkeypatch.setattr(table, "get", real)
        by()
        return seen

    monkeypatch.setattr(table, "get", read)


def lost_answer(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the next Put succeed twice: the SDK retries a request without a response."""
    real = table.put

    def put(item: Attributes, **more: Any) -> None:
        monkeypatch.setattr(table, "put", real)
        real(item, **more)
        real(item, **more)

    monkeypatch.setattr(table, "put", put)


# caps


def test_two_actions_pass_and_the_third_gets_its_retry_time(caps: Caps, time: Clock) -> None:
    assert caps.take("ann", "a1", TWO_A_DAY) is None
    time.now += HOUR
    assert caps.take("ann", "a2", TWO_A_DAY) is None
    assert caps.take("ann", "a3", TWO_A_DAY) == NOON + DAY
    assert caps.take("bob", "a3", TWO_A_DAY) is None

    time.now = NOON + DAY
    assert caps.take("ann", "a3", TWO_A_DAY) is None


def test_a_repeated_action_is_counted_once(caps: Caps) -> None:
    for _ in range(3):
        assert caps.take("ann", "a1", TWO_A_DAY) is None

    assert caps.take("ann", "a2", TWO_A_DAY) is None
    assert caps.take("ann", "a1", TWO_A_DAY) is None
    assert caps.take("ann", "a3", TWO_A_DAY) is not None


def test_reading_the_count_does_not_count(caps: Caps, table: Table, key: Key) -> None:
    assert caps.look("ann", "a1", TWO_A_DAY) is None
    assert table.get(key("ann")) is None

    caps.take("ann", "a1", TWO_A_DAY)
    caps.take("ann", "a2", TWO_A_DAY)

    assert caps.look("ann", "a3", TWO_A_DAY) == NOON + DAY
    assert caps.look("ann", "a2", TWO_A_DAY) is None


def test_a_counter_that_lost_the_race_includes_the_winners_count(
    caps: Caps, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    caps.take("ann", "a1", TWO_A_DAY)
    overtaken(table, monkeypatch, by=lambda: caps.take("ann", "a2", TWO_A_DAY))

    assert caps.take("ann", "a3", TWO_A_DAY) == NOON + DAY


def test_the_first_two_concurrent_actions_of_a_person_are_both_counted(
    caps: Caps, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    overtaken(table, monkeypatch, by=lambda: caps.take("ann", "a1", TWO_A_DAY))

    assert caps.take("ann", "a2", TWO_A_DAY) is None
    assert caps.take("ann", "a3", TWO_A_DAY) == NOON + DAY


def test_a_write_whose_response_was_lost_counts_once(
    caps: Caps, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost_answer(table, monkeypatch)

    assert caps.take("ann", "a1", TWO_A_DAY) is None
    assert caps.take("ann", "a2", TWO_A_DAY) is None


def test_the_count_of_an_unsent_action_is_given_back(caps: Caps) -> None:
    caps.take("ann", "a1", TWO_A_DAY)
    caps.take("ann", "a2", TWO_A_DAY)

    for _ in range(2):
        caps.give_back("ann", "a1", TWO_A_DAY)
        caps.give_back("nobody", "a1", TWO_A_DAY)

    assert caps.take("ann", "a3", TWO_A_DAY) is None
    assert caps.take("ann", "a4", TWO_A_DAY) is not None


def test_the_item_of_a_person_holds_at_most_as_many_times_as_the_highest_limit(
    caps: Caps, table: Table, time: Clock, key: Key
) -> None:
    answers = (Limit(20, 3_600), Limit(60, 86_400))
    for number in range(70):
        time.now += 5 * 60_000
        caps.take("ann", f"a{number}", answers)

    item = table.get(key("ann"))
    assert item is not None
    assert len(item["moments"]) == 60
    assert item["ttl"] > time.now // 1_000 + 86_400


def test_an_expired_item_that_is_not_deleted_yet_is_replaced(caps: Caps, time: Clock) -> None:
    caps.take("ann", "a1", TWO_A_DAY)
    caps.take("ann", "a2", TWO_A_DAY)
    time.now += 9 * DAY

    assert caps.take("ann", "a3", TWO_A_DAY) is None
    assert caps.take("ann", "a4", TWO_A_DAY) is None
    assert caps.take("ann", "a5", TWO_A_DAY) == time.now + DAY


def test_counting_in_all_windows_is_one_write(caps: Caps, calls: list[str]) -> None:
    caps.take("ann", "a1", TWO_A_DAY)

    assert calls == ["GetItem", "PutItem"]


# pace


def test_a_burst_passes_and_then_one_every_six_seconds(pace: Pace, time: Clock) -> None:
    assert [pace.take("pair", PAIR) for _ in range(4)] == [None, None, None, NOON + 6_000]

    time.now += 5_999
    assert pace.take("pair", PAIR) == NOON + 6_000
    time.now += 1
    assert pace.take("pair", PAIR) is None
    assert pace.take("pair", PAIR) == NOON + 12_000


def test_held_actions_pass_one_by_one_from_the_end_of_the_hold(pace: Pace, time: Clock) -> None:
    pace.hold("pair", NOON + 60_000, PAIR)
    pace.hold("pair", NOON + 30_000, PAIR)  # A hold with an earlier end does not shorten it.

    assert pace.take("pair", PAIR) == NOON + 60_000
    time.now += 60_000
    assert [pace.take("pair", PAIR) for _ in range(2)] == [None, NOON + 66_000]


def test_callers_that_line_up_get_separate_places(pace: Pace) -> None:
    begins = NOON + 60_000
    places = [pace.line_up("line", PAIR, begins) for _ in range(3)]

    assert places == [begins, begins + 6_000, begins + 12_000]
    assert (
        pace.line_up("line", PAIR, begins + 90_000) == begins + 90_000
    )  # The earlier places have passed.


def test_a_place_that_would_be_too_late_is_not_taken(pace: Pace, time: Clock) -> None:
    latest = NOON + 6_000
    places = [pace.line_up_until("line", PAIR, NOON, latest) for _ in range(4)]
    time.now += 1_000

    assert places == [NOON, NOON + 6_000, None, None]
    assert pace.line_up_until("line", PAIR, NOON, latest + 6_000) == NOON + 12_000


def test_a_pause_restores_the_burst(pace: Pace, time: Clock) -> None:
    for _ in range(3):
        pace.take("pair", PAIR)
    time.now += 18_000

    assert [pace.take("pair", PAIR) for _ in range(4)] == [None, None, None, time.now + 6_000]


def test_a_rate_without_burst_allows_one_action(pace: Pace, time: Clock) -> None:
    second = Rate(every_ms=1_000)

    assert [pace.take("number", second), pace.take("number", second)] == [None, NOON + 1_000]
    assert pace.take("other number", second) is None


def test_reading_the_free_time_takes_no_place(pace: Pace) -> None:
    assert [pace.look("pair", PAIR) for _ in range(5)] == [None] * 5

    for _ in range(3):
        pace.take("pair", PAIR)

    assert pace.look("pair", PAIR) == NOON + 6_000


def test_after_a_pause_a_place_is_one_write(pace: Pace, calls: list[str]) -> None:
    pace.take("pair", PAIR)

    assert calls == ["UpdateItem"]


def test_within_a_burst_a_caller_that_knows_the_free_time_needs_one_write(
    pace: Pace, calls: list[str]
) -> None:
    pace.take("pair", PAIR)
    calls.clear()

    assert pace.take("pair", PAIR, last_seen=NOON + 6_000) is None
    assert calls == ["UpdateItem"]


@pytest.mark.parametrize("known", [0, NOON - 1, NOON + 1, NOON + 6_000, NOON + DAY])
@pytest.mark.parametrize("taken", [0, 1, 2, 3])
def test_a_wrong_free_time_changes_no_answer(pace: Pace, taken: int, known: int) -> None:
    for _ in range(taken):
        pace.take("pair", PAIR)

    answer = pace.take("pair", PAIR, last_seen=known)

    assert answer == (None if taken < 3 else NOON + 6_000)
    assert pace.look("pair", PAIR) == (None if taken < 2 else NOON + 6_000)


# quotas


def test_a_minute_has_its_quota_and_so_has_the_day(quotas: Quotas, time: Clock) -> None:
    assert [quotas.take("acme", REQUESTS) for _ in range(4)] == [None, None, None, NOON + 60_000]

    time.now += 60_000
    assert [quotas.take("acme", REQUESTS) for _ in range(3)] == [None, None, NOON + DAY // 2]

    time.now = NOON + DAY // 2
    assert quotas.take("acme", REQUESTS) is None


def test_a_refused_call_is_not_counted(quotas: Quotas, time: Clock) -> None:
    for _ in range(10):
        quotas.take("acme", REQUESTS)
    time.now += 60_000

    assert quotas.take("acme", REQUESTS) is None


def test_quotas_of_two_subjects_are_two(quotas: Quotas) -> None:
    for _ in range(3):
        quotas.take("acme", REQUESTS)

    assert quotas.take("bolt", REQUESTS) is None


def test_a_clock_that_is_behind_does_not_restart_a_window(quotas: Quotas, time: Clock) -> None:
    for _ in range(2):
        quotas.take("acme", REQUESTS)
    time.now -= 1_000

    assert [quotas.take("acme", REQUESTS) for _ in range(2)] == [None, NOON + 60_000]


def test_a_new_limit_starts_with_the_counts_of_the_existing_limits(quotas: Quotas) -> None:
    quotas.take("acme", REQUESTS[:1])

    assert [quotas.take("acme", REQUESTS) for _ in range(3)] == [None, None, NOON + 60_000]


def test_counting_in_an_open_window_is_one_write_without_a_read(
    quotas: Quotas, calls: list[str]
) -> None:
    quotas.take("acme", REQUESTS)
    calls.clear()

    quotas.take("acme", REQUESTS)

    assert calls == ["UpdateItem"]
