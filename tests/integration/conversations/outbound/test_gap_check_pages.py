"""A list of messages that is too long for one run of the gap check is read to its end by the next runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.recovery import gap_check
from events.conversations import twilio
from local.sandbox.accounts.text_messages import TextMessage
from shared.providers.outcomes import InDoubt, Refused
from shared.providers.twilio.messages import Twilio
from tests.integration.conversations.steps import MINUTE_MS
from tests.integration.logs import recorded

if TYPE_CHECKING:
    from collections.abc import Callable

    from shared.providers.twilio.messages import Page
    from tests.simulation.conversations.system import System

PAGE = 4
PAGES = 3


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shared.providers.twilio.messages._PAGE_SIZE", PAGE)
    monkeypatch.setattr(gap_check, "PAGES_A_RUN", PAGES)


def lose(system: System, *names: str) -> list[str]:
    """Customers' messages whose webhooks are lost; returns their ids."""
    sids = [twilio.sid_of(name) for name in names]
    system.sandbox.texts.messages += [
        TextMessage(
            sid=sid, account_sid=twilio.ACCOUNT, direction="inbound", sender=twilio.CUSTOMER,
            to=twilio.SMS_NUMBER, body="Hello", status="received", at=system.clock.ms / 1_000, segments=1,
        )
        for sid in sids
    ]  # fmt: skip
    return sids


def found(system: System) -> list[str]:
    """The ids of the messages that the gap check has enqueued."""
    queue = system.fifo_queues.queues[system._queue_named("inbound.fifo")]
    return [sid for sid in ALL if any(sid in message.body for message in queue.messages)]


ALL = [twilio.sid_of(f"{kind}{number}") for kind in ("old", "new") for number in range(30)]


def run_at(system: System, minutes: int = 15) -> None:
    """Run the gap check so much later."""
    system.clock.ms += minutes * MINUTE_MS
    system.sweep()


def watch(
    monkeypatch: pytest.MonkeyPatch, before: Callable[[str | None], None] = lambda _: None
) -> list[str | None]:
    """The paths of the pages that the gap check requests; *before* is called with each."""
    list_page, paths = Twilio.between, list[str | None]()

    def between(
        self: Twilio, account: Any, since: int, until: int, path: str | None = None
    ) -> Page:
        paths.append(path)
        before(path)
        return list_page(self, account, since, until, path)

    monkeypatch.setattr(Twilio, "between", between)
    return paths


def test_more_pages_than_one_run_reads_are_read_by_the_next_runs(system: System) -> None:
    sids = lose(system, *(f"old{number}" for number in range(30)))

    run_at(system)
    assert len(found(system)) == PAGE * PAGES
    run_at(system)
    run_at(system)

    assert set(found(system)) == set(sids)


def test_an_unfinished_list_is_continued_every_minute_and_no_other_is_begun(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    sids = lose(system, *(f"old{number}" for number in range(30)))
    run_at(system)
    paths = watch(monkeypatch)

    for _ in range(4):
        run_at(system, 1)

    assert set(found(system)) == set(sids)
    assert None not in paths  # the first page of a list


def test_an_account_that_is_a_day_behind_is_reported(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = recorded(monkeypatch)
    lose(system, *(f"old{number}" for number in range(30)))
    run_at(system)

    run_at(system, 25 * 60)

    assert '"reason":"far_behind"' in log.getvalue()


def test_messages_that_arrive_while_a_period_is_read_are_found_in_the_next_period(
    system: System,
) -> None:
    old = lose(system, *(f"old{number}" for number in range(30)))
    run_at(system)
    new = lose(system, "new0", "new1")
    # Longer than a period looks back: three runs read the first one.
    for _ in range(2):
        run_at(system, 45)
    assert set(found(system)) == set(old)

    run_at(system)

    assert set(found(system)) == {*old, *new}


def test_a_period_begins_where_the_last_complete_one_ended(system: System) -> None:
    run_at(system)
    system.sandbox.faults.add(kind="status", provider="twilio", status=503, times=100)
    sids = lose(system, "old0")
    for _ in range(6):
        run_at(system)
    system.sandbox.faults._queue.clear()

    run_at(system)

    assert found(system) == sids


def test_a_page_that_twilio_no_longer_knows_restarts_the_period(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    sids = lose(system, *(f"old{number}" for number in range(20)))
    run_at(system)

    def refuse(path: str | None) -> None:
        if path is not None and "Page=3" in path and not restarted:
            restarted.append(path)
            raise Refused("twilio_20404")

    restarted: list[str] = []
    paths = watch(monkeypatch, refuse)
    for _ in range(3):
        run_at(system)

    assert len(restarted) == 1
    assert paths[1] is None
    assert set(found(system)) == set(sids)


def test_a_page_is_read_again_if_the_run_ends_before_it_was_handled(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    sids = lose(system, *(f"old{number}" for number in range(10)))
    enqueue, calls = gap_check._missing, 0

    def fail_once(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 2:
            raise InDoubt("the run ends")
        return enqueue(*arguments)

    monkeypatch.setattr(gap_check, "_missing", fail_once)
    run_at(system)
    assert len(found(system)) == PAGE

    run_at(system)

    assert set(found(system)) == set(sids)


def test_a_list_that_takes_all_the_time_of_a_run_is_continued(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    sids = lose(system, *(f"old{number}" for number in range(10)))
    deps = system.functions["ConversationsSweeper"].deps
    system.clock.ms += 15 * MINUTE_MS
    left_ms = iter([gap_check.NEEDED_MS, gap_check.PAGE_MS, 0, 0])

    gap_check.close_gaps(deps, lambda: next(left_ms))
    assert len(found(system)) == PAGE
    run_at(system)

    assert set(found(system)) == set(sids)
