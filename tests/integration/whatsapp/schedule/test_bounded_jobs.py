"""Jobs of the schedule with more work than time: later runs continue, and leave nothing out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.conftest import PHONE, Harness, Outbox
from whatsapp.actions.campaigns import schedule
from whatsapp.jobs import payment_checks, sequence_steps, unfinished_sends
from whatsapp.store.items import Intent
from whatsapp.store.items.accounts.tenants import PaymentOrder
from whatsapp.store.items.analytics.job_positions import JobPositions
from whatsapp.store.items.sending.campaigns import Campaign, OpenCampaigns
from whatsapp.store.items.sending.sequences import Timer
from whatsapp.store.sending import job_positions, timers

if TYPE_CHECKING:
    from collections.abc import Callable

NOW = clock.from_text("2026-01-01T12:00:00.000Z")
MINUTE = 60_000
ALWAYS = 10_000


def steps(number: int) -> Callable[[], int]:
    """A time limit that suffices for *number* steps of a job."""
    left = iter(range(number, -1, -1))
    return lambda: next(left, 0)


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(payment_checks, "PAGE", 2)
    monkeypatch.setattr(unfinished_sends, "PAGE", 2)


def order(harness: Harness, number: int, age_ms: int) -> str:
    facts = {
        "pk": PaymentOrder.key(f"ref-{number}"), "itemType": "PAYMENT_ORDER", "company": "acme", "phone": PHONE,
        "referenceId": f"ref-{number}", "paymentStatus": "pending", "createdAt": clock.to_text(NOW - age_ms),
    }  # fmt: skip
    harness.resources.table.put(facts)
    return f"ref-{number}"


def references(queue: Outbox) -> list[str]:
    return [entry.body.split('"reference":"')[1].split('"')[0] for entry in queue.entries]


def check(harness: Harness, queue: Any, at_ms: int, remaining_ms: Callable[[], int]) -> int:
    """Check the due payments; return the lag."""
    return payment_checks.check_due(harness.resources.table, queue, at_ms, remaining_ms)[1]


@pytest.mark.usefixtures("small_pages")
def test_payment_checks_continue_where_they_stopped(harness: Harness) -> None:
    orders = [order(harness, number, 15 * MINUTE + number) for number in range(7)]
    queue = Outbox()
    lags = [check(harness, queue, NOW + run * 2 * MINUTE, steps(2)) for run in range(3)]

    assert sorted(references(queue)) == orders
    assert lags == [0, 2 * MINUTE, 4 * MINUTE]
    assert check(harness, queue, NOW + 6 * MINUTE, lambda: ALWAYS) == 0
    assert sorted(references(queue)) == orders


@pytest.mark.usefixtures("small_pages")
def test_checks_that_become_due_during_a_long_round_follow_in_the_next_one(
    harness: Harness,
) -> None:
    first = [order(harness, number, 15 * MINUTE + number) for number in range(5)]
    later = order(harness, 5, 12 * MINUTE)
    queue = Outbox()
    check(harness, queue, NOW, steps(1))
    check(harness, queue, NOW + 4 * MINUTE, lambda: ALWAYS)

    assert sorted(references(queue)) == [*first, later]
    assert check(harness, queue, NOW + 6 * MINUTE, lambda: ALWAYS) == 0
    assert len(queue.entries) == 6


def test_a_repeated_event_of_the_schedule_queues_no_check_again(harness: Harness) -> None:
    order(harness, 1, 15 * MINUTE)
    queue = Outbox()
    for at_ms in (NOW, NOW, NOW - 2 * MINUTE):
        assert check(harness, queue, at_ms, lambda: ALWAYS) == 0

    assert len(queue.entries) == 1


def test_rounds_without_a_check_write_nothing(harness: Harness) -> None:
    for run in range(3):
        check(harness, Outbox(), NOW + run * 2 * MINUTE, lambda: ALWAYS)

    assert JobPositions.pk_pattern not in harness.keys()


class Died(BaseException):
    """The process ends."""


@pytest.mark.usefixtures("small_pages")
def test_a_run_that_dies_before_it_saves_its_position_loses_no_check(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = [order(harness, number, 15 * MINUTE + number) for number in range(5)]
    queue = Outbox()

    def die(*_: object) -> None:
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(job_positions, "put", die)
        with pytest.raises(Died):
            check(harness, queue, NOW, steps(2))
    check(harness, queue, NOW + 2 * MINUTE, lambda: ALWAYS)

    # Again under the same ids: the queue takes them once.
    assert len(queue.entries) == 9
    assert len({entry.deduplication for entry in queue.entries}) == 5
    assert {*references(queue)} == {*orders}


def intent(harness: Harness, number: int, at_ms: int) -> None:
    item = Intent(
        pk=Intent.key(f"action-{number:03d}"), company="acme", message={"type": "text"}, phone=PHONE,
        webhook_event_type=Intent.list_of(f"action-{number:03d}"), received_at=clock.to_text(at_ms),
    )  # fmt: skip
    harness.resources.table.put(item.attributes())


def test_an_unfinished_send_is_queued_after_3_6_12_24_minutes_and_so_on(harness: Harness) -> None:
    intent(harness, 1, NOW)
    queued = []
    for minute in (
        *range(1, 14),
        *(due + beside for due in (24, 48, 96, 192) for beside in (-1, 0, 1)),
    ):
        queue: Any = Outbox()
        at_ms = NOW + minute * MINUTE
        unfinished_sends.queue_due(harness.resources.table, queue, at_ms, lambda: ALWAYS)
        queued += [minute] * len(queue.entries)

    assert queued == [3, 6, 12, 24, 48, 96, 192]


@pytest.mark.usefixtures("small_pages")
def test_unfinished_sends_beyond_the_time_are_queued_by_later_runs(harness: Harness) -> None:
    for number in range(9):
        intent(harness, number, NOW + number)
    queue: Any = Outbox()
    lags = []
    for minute in (4, 5, 6):
        at_ms = NOW + minute * MINUTE
        lags.append(unfinished_sends.queue_due(harness.resources.table, queue, at_ms, steps(3))[1])

    assert len({entry.group for entry in queue.entries}) == 9
    assert lags == [0, MINUTE, 2 * MINUTE]


def test_without_an_unfinished_send_the_job_reads_each_partition_once(harness: Harness) -> None:
    queue: Any = Outbox()
    calls = []
    harness.resources.table._client.meta.events.register(
        "before-call.dynamodb", lambda model, **_: calls.append(model.name)
    )
    unfinished_sends.queue_due(harness.resources.table, queue, NOW, lambda: ALWAYS)

    assert calls == ["Query"] * len(Intent.lists())


def test_steps_of_a_full_minute_are_queued_by_several_runs_in_order(harness: Harness) -> None:
    table = harness.resources.table
    minute = timers.minute_of(NOW)
    for number in range(4):
        runs = {f"{PHONE}#{number}-{run:03d}" for run in range(100 if number < 3 else 1)}
        table.put(Timer(pk=Timer.of(minute, number), runs=runs).attributes())
    opened = OpenCampaigns(pk=OpenCampaigns.pk_pattern, timers_from=minute, timers_to=minute)
    table.put(opened.attributes())
    queue: Any = Outbox()
    counts = []
    for run in range(1, 4):
        opened = timers.opened(table)
        counts.append(sequence_steps.queue_due(table, queue, opened, NOW + run * MINUTE, steps(2)))

    assert counts == [(200, 0), (101, 0), (0, 0)]
    assert len({entry.deduplication for entry in queue.entries}) == 301
    assert not timers.opened(table).has_timers


@pytest.fixture
def open_campaigns(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """500 open campaigns; the ids that the schedule looks after, in order."""
    seen: list[str] = []

    def look(_table: object, _queue: object, campaign: Campaign, _at_ms: int) -> None:
        seen.append(campaign.campaign_id)
        if campaign.campaign_id == "c003":
            raise LookupError("a campaign's own failure")

    monkeypatch.setattr(schedule, "_continue", look)
    for number in range(500):
        name = f"c{number:03d}"
        campaign = Campaign(
            pk=Campaign.key(name), company="acme", campaign_id=name, waba_meta_id="1", name="Bikes", status="running",
            created_at=clock.to_text(NOW), phone=PHONE, created_by="api-key:client", kind="text", text="Hello",
        )  # fmt: skip
        harness.resources.table.put(campaign.attributes())
    return seen


def test_each_of_500_campaigns_has_its_turn_in_a_round_of_several_minutes(
    harness: Harness, open_campaigns: list[str]
) -> None:
    ids = {f"c{number:03d}" for number in range(500)}
    queue: Any = None  # not used
    table = harness.resources.table
    lags: list[int | None] = []
    for minute in range(3):
        at_ms = NOW + minute * MINUTE
        try:
            lags.append(schedule.run_due(table, queue, ids, at_ms, steps(200)))
        except LookupError:
            lags.append(None)

    assert open_campaigns == sorted(ids)
    # The campaign that fails is in the first run, which goes on and saves its position.
    assert lags == [None, MINUTE, 0]
    assert job_positions.get(harness.resources.table, "campaigns") == {}
