"""Approved drafts that are sent later: after the undo time of the mailbox, or at a time that a person chooses."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from email_threads.store.deadlines import scheduled_sends
from shared.aws.dynamodb import Table
from shared.runtime import clock
from tests.integration.email_threads.api.thread_calls import refused, thread_of
from tests.integration.email_threads.drafting import (
    again,
    approve,
    asked,
    begun,
    changes_of,
    composed,
    shown,
    status_of,
    thread_path,
    waiting,
)
from tests.integration.email_threads.sends.scheduled_sends import HOUR_MS, at, step
from tests.simulation.email_threads.system import MAILBOX, System, mail
from tests.simulation.interceptor import Died, When

if TYPE_CHECKING:
    from collections.abc import Callable


def refusal(system: System, draft: str, **given: Any) -> tuple[int, str, list[str]]:
    return refused(system.call("POST", f"{draft}/approve", {"version": 1, **given}))


def undoable(system: System, seconds: int = 30) -> str:
    """A draft of a mailbox with an undo time."""
    system.register(MAILBOX, undo_seconds=seconds)
    return composed(system, asked(system))


def until(system: System, moment: str, *, every_ms: int = 300_000) -> None:
    """The time passes, the schedule runs again and again, and the queues are emptied."""
    end = clock.from_text(moment)
    while system.clock.ms < end:
        system.clock.ms = min(end, system.clock.ms + every_ms)
        system.run_schedule()
        if system.clock.ms < end:
            run_visible(system)
    system.drain()


def run_visible(system: System) -> None:
    """The messages that are visible now are handled, and those that follow from them."""
    for _ in range(4):
        for queue, message in system.fifo_queues.receive():
            if queue in system.workers:
                system.run_worker(queue, message)


@pytest.mark.parametrize("seconds", [1, 30, 60])
def test_an_approved_draft_is_sent_after_the_undo_time_of_its_mailbox(
    system: System, seconds: int
) -> None:
    draft = undoable(system, seconds)
    approved_at = system.clock.ms

    state = approve(system, draft)
    assert state["send_at"] == clock.to_text(approved_at + seconds * 1_000)
    run_visible(system)
    assert not system.sent()
    system.drain()

    assert len(system.sent()) == 1
    assert system.clock.ms >= approved_at + seconds * 1_000
    assert status_of(system, draft) == ("sent", None)


def test_a_mailbox_without_an_undo_time_sends_at_once(system: System) -> None:
    draft = composed(system, asked(system))
    assert "send_at" not in approve(system, draft)
    run_visible(system)

    assert len(system.sent()) == 1


def test_an_approval_is_undone_in_time(system: System) -> None:
    draft = undoable(system)
    approve(system, draft)
    system.clock.ms += 29_000
    step(system, draft, "undo")
    system.drain()

    assert not system.sent()
    assert status_of(system, draft) == ("amended", "undone")
    assert "send_at" not in shown(system, draft)
    assert waiting(system) == [draft]
    assert ("key-1", "undo", draft.rpartition("/")[2]) in changes_of(system, thread_path(draft))
    approve(system, draft)
    system.drain()
    assert len(system.sent()) == 1


def test_an_undo_after_the_send_is_refused(system: System) -> None:
    draft = undoable(system)
    approve(system, draft)
    system.drain()

    answer = system.call("POST", f"{draft}/undo", {"version": 1})
    assert refused(answer)[:2] == (409, "invalid_transition")
    assert len(system.sent()) == 1


def test_a_draft_that_was_not_approved_cannot_be_undone(system: System) -> None:
    draft = composed(system, asked(system))
    answer = system.call("POST", f"{draft}/undo", {"version": 1})
    assert refused(answer)[:2] == (409, "invalid_transition")


def test_an_undone_draft_that_is_approved_for_later_is_not_sent_by_the_first_event(
    system: System,
) -> None:
    draft = undoable(system)
    approve(system, draft)
    step(system, draft, "undo")
    later = at(system, 5 * HOUR_MS)
    approve(system, draft, send_at=later)
    system.clock.ms += 60_000
    run_visible(system)
    assert not system.sent()

    until(system, later)
    assert len(system.sent()) == 1


@pytest.mark.parametrize(
    "wait_ms", [20_000, 14 * 60_000, 16 * 60_000, HOUR_MS, 28 * 86_400_000 - 1]
)
def test_a_scheduled_draft_is_sent_once_at_its_time(system: System, wait_ms: int) -> None:
    draft = composed(system, asked(system))
    later = at(system, wait_ms)
    assert approve(system, draft, send_at=later)["send_at"] == later
    if wait_ms > HOUR_MS:
        an_hour_before = clock.to_text(clock.from_text(later) - HOUR_MS)
        until(system, an_hour_before, every_ms=6 * HOUR_MS)
    until(system, clock.to_text(clock.from_text(later) - 15_000))
    assert not [one for one in system.sent() if system.clock.ms < clock.from_text(later)]
    until(system, later)

    assert len(system.sent()) == 1
    assert status_of(system, draft) == ("sent", None)
    assert not [key for key in system.rows() if "#send#" in key]


@pytest.mark.parametrize(
    ("given", "zone", "moment"),
    [
        ("2026-01-01T18:00:00+02:00", None, "2026-01-01T16:00:00.000Z"),
        ("2026-01-01T18:00:00Z", None, "2026-01-01T18:00:00.000Z"),
        ("2026-01-02T09:00:00", "Europe/Berlin", "2026-01-02T08:00:00.000Z"),
        ("2026-01-02T09:00:00", "America/New_York", "2026-01-02T14:00:00.000Z"),
        ("2026-01-02T09:00", "Asia/Kolkata", "2026-01-02T03:30:00.000Z"),
        ("2026-01-02T09:00:00", "recipient", "2026-01-02T16:00:00.000Z"),
    ],
)
def test_a_time_is_in_its_own_zone_or_in_that_of_the_recipient(
    system: System, given: str, zone: str | None, moment: str
) -> None:
    date = "Date: Thu, 01 Jan 2026 05:00:00 -0700"
    draft = composed(system, thread_of(system, mail("a@x", more=date)))
    named: dict[str, Any] = {"time_zone": zone} if zone else {}

    assert approve(system, draft, send_at=given, **named)["send_at"] == moment


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda now: {"send_at": now(-1)}, "send_at"),
        (lambda now: {"send_at": now(0)}, "send_at"),
        (lambda _: {"send_at": "1970-01-01T00:00:00Z"}, "send_at"),
        (lambda now: {"send_at": now(29 * 86_400_000)}, "send_at"),
        (lambda _: {"send_at": "9999-12-31T23:59:59Z"}, "send_at"),
        (lambda _: {"send_at": "0001-01-01T00:00:00+14:00"}, "send_at"),
        (lambda _: {"send_at": "tomorrow"}, "send_at"),
        (lambda _: {"send_at": 1_800_000_000}, "send_at"),
        (lambda _: {"send_at": "1800000000"}, "send_at"),
        (lambda _: {"send_at": "2026-01-02", "time_zone": "Europe/Berlin"}, "send_at"),
        (lambda _: {"send_at": "2026-01-02T09:00:00", "time_zone": "Europe"}, "time_zone"),
        (lambda _: {"send_at": "2026-01-02T09:00:00"}, "send_at"),
        (lambda now: {"send_at": now(HOUR_MS), "time_zone": "Europe/Berlin"}, "time_zone"),
        (lambda _: {"send_at": "2026-01-02T09:00:00", "time_zone": "Mars/Base"}, "time_zone"),
        (lambda _: {"send_at": "2026-01-02T09:00:00", "time_zone": "../etc"}, "time_zone"),
        (lambda _: {"send_at": "2026-01-02T09:00:00", "time_zone": "a\r\nBcc: b"}, "time_zone"),
        (lambda _: {"send_at": "2026-01-02T09:00:00", "time_zone": "recipient"}, "time_zone"),
        (lambda _: {"time_zone": "Europe/Berlin"}, "time_zone"),
    ],
)
def test_a_time_at_which_no_mail_can_be_sent_is_refused_and_the_draft_stays(
    system: System, make: Callable[[Callable[[int], str]], dict[str, Any]], field: str
) -> None:
    draft = composed(system, asked(system))
    before = shown(system, draft)

    assert refusal(system, draft, **make(lambda ms: at(system, ms))) == (
        422,
        "invalid_input",
        [field],
    )
    assert shown(system, draft) == before


def test_a_time_after_the_deletion_of_the_thread_is_refused(system: System) -> None:
    system.register(MAILBOX, retention_days=1)
    draft = composed(system, asked(system))
    given = {"send_at": at(system, 25 * HOUR_MS)}

    assert refusal(system, draft, **given) == (422, "invalid_input", ["send_at"])


def test_a_scheduled_answer_over_which_the_customer_writes_waits_for_a_person(
    system: System,
) -> None:
    draft = composed(system, asked(system))
    later = at(system, HOUR_MS)
    approve(system, draft, send_at=later)
    again(system)
    until(system, later)

    assert not system.sent()
    assert status_of(system, draft) == ("amended", "newer_mail")


def test_a_scheduled_draft_is_undone_and_erased_from_the_schedule(system: System) -> None:
    draft = begun(system)
    later = at(system, 2 * HOUR_MS)
    approve(system, draft, send_at=later)
    assert waiting(system) == []
    step(system, draft, "undo")
    until(system, later)

    assert not system.sent()
    assert not [key for key in system.rows() if "#send#" in key]


@pytest.mark.parametrize("seconds", [-1, 61, 1.5, "30", True])
def test_an_undo_time_that_is_none_is_refused(system: System, seconds: object) -> None:
    given = {"automation": "none", "undo_seconds": seconds}
    answer = system.call("PUT", f"/email-mailboxes/{MAILBOX}", given)
    assert refused(answer) == (400, "invalid_input", ["undo_seconds"])


@pytest.mark.parametrize("name", ["undo", "withdraw", "restore"])
def test_a_step_twice_changes_nothing_more(system: System, name: str) -> None:
    draft = composed(system, asked(system))
    if name == "undo":
        approve(system, draft, send_at=at(system, HOUR_MS))
    elif name == "restore":
        step(system, draft, "reject")
    step(system, draft, name)
    before = shown(system, draft)
    step(system, draft, name)

    assert shown(system, draft) == before


@pytest.mark.parametrize("name", ["undo", "withdraw", "restore"])
def test_a_step_of_another_version_is_refused(system: System, name: str) -> None:
    draft = composed(system, asked(system))
    if name == "undo":
        approve(system, draft, send_at=at(system, HOUR_MS))
    elif name == "restore":
        step(system, draft, "reject")
    answer = system.call("POST", f"{draft}/{name}", {"version": 2})
    assert refused(answer)[:2] == (409, "stale_version")


@pytest.mark.long
def test_a_schedule_that_is_cut_off_at_any_call_sends_once_after_the_next_run(
    system: System,
) -> None:
    draft = composed(system, asked(system))
    later = at(system, HOUR_MS)
    approve(system, draft, send_at=later)
    system.clock.ms = clock.from_text(later) - 9 * 60_000
    start = system.snapshot()
    system.restore(start)
    system.run_schedule()
    points = [
        (number, when)
        for number in range(1, len(system.interceptor.calls) + 1)
        for when in (When.BEFORE, When.AFTER)
    ]
    for point in points:
        system.restore(start)
        system.interceptor.die_at = point
        with suppress(Died):
            system.run_schedule()
        system.interceptor.rewind()
        until(system, later)

        assert len(system.sent()) == 1, point
        assert not [key for key in system.rows() if "#send#" in key], point
        assert not system.fifo_queues.dead_letters, point


def test_a_schedule_keeps_the_time_to_which_a_draft_was_moved_while_it_ran(system: System) -> None:
    draft = composed(system, asked(system))
    first, second = at(system, HOUR_MS), at(system, 5 * HOUR_MS)
    approve(system, draft, send_at=first)
    (before,) = scheduled_sends.due(table_of(system), 2 * 3_600)
    step(system, draft, "undo")
    approve(system, draft, send_at=second)
    scheduled_sends.remove(table_of(system), before)
    until(system, second)

    assert len(system.sent()) == 1


def table_of(system: System) -> Table:
    return Table(system.dynamodb, system.table)
