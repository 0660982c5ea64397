"""Operators' actions, killed before and after each outside call: a second run gives the normal result."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest import mock

import boto3
import pytest
from botocore.client import BaseClient

from shared.providers import http
from tests.integration.richpanel.admin.conftest import (
    CLEAR_RISK,
    CONVERSATION,
    DISPUTE,
    HOST,
    REDRIVE,
    REPLAY_ALL,
    SWITCHES,
    Admin,
    admin,
)
from tests.integration.richpanel.admin.test_operation import put_dead_letter
from tests.integration.richpanel.admin.test_replay import park
from tests.integration.richpanel.recovery.sweeper import Sweeper
from tests.template import create_queue, properties

if TYPE_CHECKING:
    from tests.integration.richpanel.harness import Harness

__all__ = ["admin"]  # a fixture

MOST_CALLS = 60


class Died(BaseException):
    """The process is killed here."""


@contextmanager
def dying(done: int) -> Iterator[None]:
    """Raise Died after *done* outside calls; a dead process makes no further call."""
    made = 0

    def through[Answer](real: Callable[..., Answer]) -> Callable[..., Answer]:
        def call(*args: Any, **options: Any) -> Answer:
            nonlocal made
            made += 1
            if made > done:
                raise Died
            answer = real(*args, **options)
            if made == done:
                raise Died
            return answer

        return call

    with (
        mock.patch.object(BaseClient, "_make_api_call", through(BaseClient._make_api_call)),  # type: ignore[attr-defined] # botocore's own
        mock.patch.object(http, "call", through(http.call)),
    ):
        yield


def outcomes(
    begin: Callable[[], None], act: Callable[[], Any], end: Callable[[], Any]
) -> Iterator[tuple[str, Any]]:
    """
    The end state after a crash before the first call or after any call, and a second run; the first entry has no crash.

    A crash before a call equals a crash after the previous one: the same calls have been made.
    """
    begin()
    act()
    yield "no accident", end()
    for done in range(MOST_CALLS):
        begin()
        try:
            with dying(done):
                act()
        except Died:
            act()
            yield f"died after call {done}", end()
        else:
            assert done > 3, "the action makes no outside calls"
            return
    raise AssertionError("it never ends")


def all_end_alike(ends: Iterator[tuple[str, Any]]) -> None:
    _, expected = next(ends)
    for accident, found in ends:
        assert found == expected, accident


def emptied(harness: Harness) -> None:
    """Delete all rows of all tables."""
    for table, names in (
        ("idempotency", ["event_id"]),
        ("state", ["conversation_id"]),
        ("audit", ["conversation_id", "ts_action_id"]),
    ):
        for row in harness.rows(table):
            getattr(harness.resources, table).delete({name: row[name] for name in names})


def test_a_sweep_that_is_killed_loses_no_ticket(sweeper: Sweeper) -> None:
    """A ticket that is enqueued twice is one message: the queue drops the second within five minutes."""
    numbers = iter(range(1_000_000))

    def begin() -> None:
        emptied(sweeper.harness)
        sweeper.found()
        sweeper.harness.sandbox.help_desk.tickets.clear()
        run = next(numbers)  # The queue's deduplication covers the tickets of the previous run.
        sweeper.ticket(f"mail-{run}", minutes_ago=5)
        sweeper.ticket(f"chat-{run}", minutes_ago=5, channel="livechat")

    def end() -> Any:
        names = sorted(name.partition("-")[0] for name in sweeper.found())
        return names, sweeper.noted()

    all_end_alike(outcomes(begin, sweeper.run, end))


def handled(admin: Admin) -> None:
    """A conversation with a risk flag and an audit, and default switches."""
    emptied(admin.harness)
    admin.harness.sandbox.help_desk.tickets.clear()
    admin.harness.time.ms += 60_000  # The help desk accepts 50 requests in 30 seconds.
    admin.harness.switch(safe_mode="false", tier2_paths="linked")
    admin.harness.ticket(DISPUTE)
    admin.harness.handle()


def left(admin: Admin) -> Any:
    """The stored rows and switches, without times, traces (each run writes its own) and version counters."""
    rows = [
        {name: "some time" if name.endswith("_at") else value for name, value in row.items()}
        | {"version": "some"}
        for row in admin.harness.rows("state")
        if not row["conversation_id"].startswith("sys:")
    ]
    audit = [row["action_type"] for row in admin.harness.rows("audit")]
    return rows, [kind for kind in audit if kind != "switch"], admin.stored()


@pytest.mark.parametrize(
    ("line", "body"),
    [
        (f"DELETE {CONVERSATION}", None),
        (f"POST {CLEAR_RISK}", None),
        (f"PUT {SWITCHES}", {"safe_mode": True, "tier2_paths": ["linked", "number"]}),
    ],
)
def test_an_interrupted_change_is_completed_by_repeating_the_call(
    admin: Admin, line: str, body: Any
) -> None:
    def act() -> None:
        assert admin.call(line, body=body).status == 200

    all_end_alike(outcomes(lambda: handled(admin), act, lambda: left(admin)))
    assert admin.traces(), "a change was made without a trace"


@pytest.mark.long
def test_an_interrupted_repair_is_completed_by_the_next_and_replies_once(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin() -> None:
        emptied(admin.harness)
        admin.harness.sandbox.help_desk.tickets.clear()
        admin.events()
        admin.harness.time.ms += 1_000_000  # Another time gives the call another id.
        park(admin, monkeypatch)

    def act() -> None:
        admin.harness.time.ms += 1
        assert admin.replay("repair").status == 202

    def end() -> Any:
        for event in admin.events():
            admin.harness.handle(json.dumps(event))
        return admin.harness.row("evt:rp:t-1:m-1")["status"], len(admin.harness.replies())

    all_end_alike(outcomes(begin, act, end))


@pytest.mark.long
def test_an_interrupted_replay_of_parked_events_is_completed_by_the_next_and_replies_once(
    admin: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    def begin() -> None:
        emptied(admin.harness)
        admin.harness.sandbox.help_desk.tickets.clear()
        admin.events()
        admin.harness.time.ms += 1_000_000  # Beyond the queue's deduplication of earlier replays.
        park(admin, monkeypatch)

    def act() -> None:
        admin.harness.time.ms += 1_000_000
        assert admin.call(f"POST {REPLAY_ALL}").status == 202

    def end() -> Any:
        for event in admin.events():
            admin.harness.handle(json.dumps(event))
        return admin.harness.row("evt:rp:t-1:m-1")["status"], len(admin.harness.replies())

    all_end_alike(outcomes(begin, act, end))


def queue_name(queue: str) -> str:
    return str(properties(queue)["QueueName"])


def test_a_dead_letter_is_always_in_at_least_one_queue(admin: Admin) -> None:
    numbers = iter(range(1_000_000))

    def begin() -> None:
        sqs = boto3.client("sqs")
        for queue in ("RichpanelQueue", "RichpanelDeadLetters"):
            sqs.delete_queue(QueueUrl=sqs.get_queue_url(QueueName=queue_name(queue))["QueueUrl"])
            create_queue(sqs, queue)
        put_dead_letter(admin, admin.harness.event(f"t-{next(numbers)}"))

    def act() -> None:
        assert admin.call(f"POST {REDRIVE}", HOST).status == 202

    ends = outcomes(begin, act, lambda: len(admin.events()))
    assert next(ends)[1] == 1
    for accident, found in ends:
        # A letter received by the killed process is invisible for two minutes: the second run does not receive it.
        waiting = admin.module.deps.dead_letters.count()
        assert found + waiting >= 1, accident
