"""Steps of sequences that come twice, late, after a crash or an erasure."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import boto3
import pytest

from shared.ai.spending import usage
from shared.ai.spending.bounds import Kind
from shared.runtime import clock
from tests.integration.whatsapp.actions.analytics.test_sequence_steps import MINUTE_MS
from tests.integration.whatsapp.actions.analytics.welcomes import GRACE, HELLO, LATER, Welcomes
from tests.integration.whatsapp.actions.campaigns.runs import Killed, Killer, shuffled
from tests.integration.whatsapp.conftest import PHONE
from whatsapp.privacy import erasure
from whatsapp.store.sending import sequences
from whatsapp.worker.dispatcher import Invocation, process

if TYPE_CHECKING:
    from collections.abc import Callable
MOST_CALLS = 28  # of a job


@pytest.mark.parametrize("seed", range(3))
def test_jobs_that_come_twice_and_out_of_order_send_each_step_once(
    welcomes: Welcomes, seed: int
) -> None:
    welcomes.set_up(HELLO, HELLO | {"text": "And?"}, {"delayMinutes": 5, "text": "Bye"})
    customers = [f"4477009006{n:02d}" for n in range(5)]
    for customer in customers:
        welcomes.write(customer)
    for _ in range(12):
        while bodies := welcomes.runs.events():
            for body in shuffled(bodies, seed):
                welcomes.runs.job(body)
        welcomes.runs.wait()

    assert sorted(welcomes.sent()) == sorted(["Hello!", "And?", "Bye"] * 5)
    assert {welcomes.run(customer)["state"] for customer in customers} == {"completed"}


@pytest.mark.long
def test_a_process_killed_after_any_call_neither_loses_nor_doubles_a_step(
    welcomes: Welcomes,
) -> None:
    """The jobs and the schedule of a sequence die at each of their calls in turn, with a customer for each call."""
    welcomes.set_up(HELLO, {"delayMinutes": 2, "text": "Bye"})
    spending = welcomes.actions.harness.resources.spending.table
    usage.set_percents(spending, "acme", {Kind.SEQUENCE_MESSAGE: 1_000}, by="a person")
    kills = 0
    for at in range(1, MOST_CALLS):
        customer = f"4477009007{at:02d}"
        welcomes.write(customer)
        for _ in range(4):
            for body in welcomes.runs.events():
                kills += killed(welcomes, at, partial(welcomes.runs.job, body))
            welcomes.runs.now += MINUTE_MS
            kills += killed(welcomes, at, partial(run_schedule, welcomes))
        welcomes.runs.drain()
        assert welcomes.run(customer)["state"] == "completed", at
    sent = [
        (one.body["to"], one.body["text"]["body"])  # type: ignore[index] # a JSON object
        for one in welcomes.actions.wire
        if one.operation == "send_message"
    ]

    assert kills > MOST_CALLS
    assert len(sent) == len(set(sent)) <= 2 * (MOST_CALLS - 1)
    for at in range(1, MOST_CALLS):
        outcomes = welcomes.run(f"4477009007{at:02d}")["outcomes"]
        assert set(outcomes.values()) <= {"sent", "in_doubt"}, at


def killed(welcomes: Welcomes, at: int, call: Callable[[], object]) -> bool:
    """Kill a process at one of its calls, if it makes so many; it is repeated three minutes later."""
    try:
        with Killer(at, after=True):
            call()
    except Killed:
        welcomes.runs.now += 3 * MINUTE_MS
        call()
        return True
    return False


def run_schedule(welcomes: Welcomes) -> None:
    """The schedule of the current minute, without the jobs that it queues."""
    time = clock.to_text(welcomes.runs.now)
    welcomes.runs.scheduled.handler({"time": time}, welcomes.runs.context())


def test_steps_of_an_outage_of_the_schedule_follow_afterwards(welcomes: Welcomes) -> None:
    welcomes.set_up(LATER | {"delayMinutes": 10})
    welcomes.write()
    welcomes.runs.now += 12 * 60 * MINUTE_MS
    welcomes.runs.wait(3)

    assert welcomes.sent() == ["Any questions?"]


def test_the_schedule_reads_once_in_a_minute_without_a_step(welcomes: Welcomes) -> None:
    welcomes.set_up(LATER)
    welcomes.write()
    welcomes.runs.drain()
    calls_waiting = calls_of_the_schedule(welcomes)
    welcomes.runs.wait(33)

    assert welcomes.sent() == ["Any questions?"]
    for calls in (calls_waiting, calls_of_the_schedule(welcomes)):
        assert [call.split(" ")[0] for call in calls if "CAMPAIGNS" in call or "TIMER" in call] == [
            "GetItem"
        ]


def calls_of_the_schedule(welcomes: Welcomes) -> list[str]:
    """The calls of AWS that the schedule makes in the next minute."""
    with Killer(0, after=False) as calls:
        welcomes.runs.wait()
    return calls.seen


def test_an_event_that_names_the_run_of_another_number_does_nothing(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO)
    welcomes.write()
    (body,) = welcomes.runs.events()
    forged = body.replace(f'"phone":"{PHONE}"', '"phone":"306540352242944"')

    assert forged != body
    assert welcomes.runs.job(forged)
    assert (welcomes.sent(), welcomes.run()["step"]) == ([], 0)


def test_an_erased_customer_gets_no_further_step_and_the_run_is_deleted(
    welcomes: Welcomes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "SETTLES_MS", 0)
    welcomes.set_up(HELLO, LATER)
    welcomes.write()
    welcomes.runs.drain()
    key = welcomes.run()["pk"]
    harness = welcomes.actions.harness
    answer = welcomes.actions.run("erase_contact", {"contact": f"+{GRACE}", "confirm": True})
    assert answer.status == 202
    run_privacy_jobs(welcomes)

    assert harness.item(key) == {}
    assert harness.item(f"CONV#{PHONE}#{GRACE}") == {}
    welcomes.runs.wait(33)
    assert welcomes.sent() == ["Hello!"]
    assert [key for key in harness.keys() if GRACE in key and "ERASED" not in key] == []


def run_privacy_jobs(welcomes: Welcomes) -> None:
    """Handle the events of the queue that the actions and the worker share, until there are none."""
    harness, sqs = welcomes.actions.harness, boto3.client("sqs")
    url = welcomes.actions.module.resources.queue.url
    for _ in range(50):
        found = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        bodies = [message["Body"] for message in found]
        for message in found:
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        bodies += [entry.body for entry in harness.outbox.entries]
        harness.outbox.entries.clear()
        if not bodies:
            return
        for body in bodies:
            process(harness.resources, body, Invocation("request-1", lambda: 60_000))


def test_a_run_that_was_moved_by_another_worker_is_not_moved_again(welcomes: Welcomes) -> None:
    welcomes.set_up(HELLO, LATER)
    welcomes.write()
    table = welcomes.actions.harness.resources.table
    seen = sequences.get_run(table, welcomes.run()["runId"])
    assert seen is not None
    moved = sequences.advance(table, seen, "sent", "2026-01-01T12:30:00.000Z")

    assert moved is not None
    assert sequences.advance(table, seen, "sent", "2026-01-01T12:31:00.000Z") is None
    assert sequences.postpone(table, seen, "2026-01-01T12:01:00.000Z") is None
    # A repetition by the SDK, whose first response was lost.
    assert sequences.advance(table, seen, "sent", "2026-01-01T12:30:00.000Z") == moved
