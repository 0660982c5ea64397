"""Companies share the queue of the worker: only analyses wait, and a removal of many threads fills no queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.inbound.events import EmailAnalyse, entry
from shared.aws.sqs_fifo import FifoQueue
from shared.aws.workers.fair_shares import LATE_MS, POSTPONED_SECONDS
from tests.integration.email_threads import desk
from tests.simulation.email_threads.steps import occupy
from tests.simulation.email_threads.system import ASSISTED, MAILBOX, mail
from tests.simulation.processes import quiet

if TYPE_CHECKING:
    import pytest

    from tests.simulation.email_threads.system import System

LONG_MS = 60 * 60_000


def wait_on_the_queue(system: System, name: str) -> None:
    """A mail is stored, and its analysis waits for long, as does a mail to another mailbox behind it."""
    system.deliver(mail(name, desk.ORDER, to=ASSISTED), name=name, address=ASSISTED)
    with quiet():
        desk.store_waiting(system)
    system.deliver(mail("plain@x", to=MAILBOX, subject="Tables"), name="plain@x", address=MAILBOX)
    system.clock.ms += LATE_MS + 1


def test_an_analysis_above_the_share_is_delayed_and_mails_behind_it_are_stored(
    system: System,
) -> None:
    runs, begun = occupy(system)
    wait_on_the_queue(system, "a@x")
    with quiet():
        for _ in range(4):
            desk.store_waiting(system)
    before = (desk.asked(system), len(system.threads()), len(system.drafts()))
    for run in begun:
        runs.end(run)
    system.clock.ms += POSTPONED_SECONDS[1] * 1_000
    system.drain()

    assert before == (0, 2, 0)
    assert (desk.asked(system), len(system.drafts())) == (1, 1)
    assert system.parked() == []


def test_an_analysis_runs_while_its_company_is_within_its_share(system: System) -> None:
    occupy(system, "neighbour")
    wait_on_the_queue(system, "a@x")
    system.drain()

    assert (desk.asked(system), len(system.drafts())) == (1, 1)


def test_an_analysis_that_was_delayed_twice_by_a_crash_asks_the_model_once(system: System) -> None:
    desk.receive(system, "a@x")
    (thread,) = system.threads()
    event = EmailAnalyse(conversation_id=thread["conversation_id"], n=1)
    for _ in range(2):
        system.fifo_queues.put(system.inbound, entry(event))
        system.clock.ms += LONG_MS
        system.drain()

    assert (desk.asked(system), len(system.drafts())) == (1, 1)


def test_a_removal_of_many_threads_leaves_room_on_the_queue_of_mails(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    expired = [f"thread-{number}" for number in range(10)]
    monkeypatch.setattr(system.scheduled.retention, "expired", lambda _: iter(expired))
    monkeypatch.setattr(system.scheduled, "MOST_REMOVED", 4)
    sent: list[str] = []
    monkeypatch.setattr(
        FifoQueue, "send", lambda _, entries: sent.extend(entry.body for entry in entries)
    )
    waiting = iter([0, 3, 4])
    monkeypatch.setattr(system.scheduled, "messages_in", lambda *_: next(waiting))
    counts = []
    for _ in range(3):
        sent.clear()
        system.run_schedule()
        counts.append(len(sent))

    assert counts == [4, 1, 0]
