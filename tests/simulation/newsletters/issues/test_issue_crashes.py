"""
An issue whose API, worker and schedule are killed before or after any call, or whose calls fail: each reader has at
most one mail, and all are accounted for. A mail whose answer was lost is unknown, and never sent again.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import pytest

from newsletters.issues.delivery import dispatch
from newsletters.issues.delivery.recipients import audience
from newsletters.store.items import IssueState, RecipientState
from tests.simulation.crashes.disturbances import failures, unlike
from tests.simulation.crashes.recorded_run import RecordedRun
from tests.simulation.newsletters.final_state import state_of
from tests.simulation.newsletters.scenarios import EXPORTED, configured, settled
from tests.simulation.newsletters.steps.issues import (
    READY,
    addressed,
    approved,
    changed,
    drafted,
    issue_of,
    ledger,
    made_list,
    notified,
    opted,
    ordered,
    reader,
    sent,
    stats,
    warm,
    with_readers,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from tests.simulation.newsletters.steps.issues import Steps
    from tests.simulation.newsletters.system import System

DOUBTFUL = {RecipientState.SENT, RecipientState.UNKNOWN}


@dataclass(frozen=True)
class Scenario:
    """*before* is done and settled; every call of the *acts*, and of the work that they cause, is disturbed."""

    name: str
    acts: Sequence[Steps]
    before: Steps

    def __str__(self) -> str:
        return self.name


def of_two_lists(system: System) -> None:
    """A second list with a reader of the first, another contact without an address, and one who has opted out."""
    other = made_list(system, "Others")
    reader(system, other, "ann@orchard.example")
    reader(system, other, "dora@field.example")
    opted(system, "dora@field.example", out=True)
    drafted(system, list_ids=[made_list(system), other])
    approved(system)


def where_days_begin(system: System) -> None:
    """A reader gets the issue an hour before the others."""
    reader(system, made_list(system), "ann@orchard.example", zone="Pacific/Kiritimati")


def sample_is_sent(system: System) -> None:
    """The sample of a subject test has its mails."""
    system.settle(is_over=lambda: issue_of(system).decide_at is not None)


def at_the_end_of_a_day(system: System) -> None:
    """Two mails a day of the new domain, and the day is over in a quarter of an hour."""
    warm(system, 2)
    system.clock.ms += DAY_MS - system.clock.ms % DAY_MS - 15 * 60_000


def one_mail_in_five_minutes(system: System) -> None:
    """Two of the three readers have a domain whose provider is bounded."""
    hosted = {"google": {"per_hour": 12, "domains": ["orchard.example", "mill.example"]}}
    configured(system, mailbox_providers=hosted)
    warm(system)


BY_PEOPLE = {
    "subjects": ["Other"],
    "sample_percent": 50,
    "wait_minutes": 30,
    "decided_by": "person",
}
DAY_MS = 24 * 3_600_000
SCENARIOS = [
    Scenario("sent", [sent], settled(EXPORTED, with_readers(), of_two_lists)),
    Scenario("made and approved", [drafted, approved], settled(EXPORTED, with_readers())),
    Scenario("paused and resumed", [sent, ordered("pause"), ordered("resume")], READY),
    Scenario(
        "scheduled",
        [changed("schedule", local="2026-01-01T18:00", timezone="Europe/Berlin")],
        READY,
    ),
    Scenario(
        "scheduled in the zone of each reader",
        [
            changed(
                "schedule",
                local="2026-01-02T08:00",
                timezone="Pacific/Auckland",
                in_reader_zone=True,
            )
        ],
        settled(EXPORTED, with_readers(), where_days_begin, drafted, approved),
    ),
    Scenario(
        "sent after a subject test",
        [sent, sample_is_sent, changed("winner", variant="b")],
        settled(EXPORTED, with_readers(), partial(drafted, subject_test=BY_PEOPLE), approved),
    ),
    Scenario(
        "sent in a warm-up",
        [sent],
        settled(EXPORTED, with_readers(), at_the_end_of_a_day, drafted, approved),
    ),
    Scenario(
        "sent at the pace of a mailbox provider",
        [sent],
        settled(EXPORTED, with_readers(), one_mail_in_five_minutes, drafted, approved),
    ),
]


def outcomes(system: System) -> dict[str, RecipientState]:
    return {one.recipient: one.state for one in ledger(system)}


def with_mails(system: System) -> Hashable:
    return state_of(system), tuple(addressed(system))


def check(system: System, clean: dict[str, RecipientState], state: IssueState) -> None:
    """What holds after any disturbance."""
    assert not system.fifo_queues.dead_letters
    assert not system.open_work()
    assert issue_of(system).state is state
    assert notified(system) == [system.issue_id] * (state is IssueState.SENT)
    mailed = Counter(addressed(system))
    assert set(mailed.values()) <= {1}, mailed
    counts, found = stats(system), outcomes(system)
    ended = sum(counts.get(name, 0) for name in ("sent", "skipped", "failed", "unknown"))
    assert counts.get("audience", 0) == ended
    assert found.keys() == clean.keys()
    doubtful = {name for name, one in found.items() if one is not clean[name]}
    assert {found[name] for name in doubtful} <= DOUBTFUL
    assert len(doubtful) <= 1, doubtful
    of_mails = sum(one in DOUBTFUL for one in found.values())
    assert len(mailed) in {of_mails, of_mails - len(doubtful)}


@dataclass(frozen=True)
class Case:
    """A scenario's undisturbed run, and how it ends. *earlier*: the calls of the scenarios before it."""

    run: RecordedRun[System]
    clean: dict[str, RecipientState]
    state: IssueState
    earlier: list[list[str]]

    def check(self) -> None:
        """What holds after any disturbance."""
        check(self.run.system, self.clean, self.state)


@pytest.fixture(scope="module")
def earlier() -> list[list[str]]:
    """The calls of the scenarios that were recorded."""
    return []


@pytest.fixture(scope="module")
def small() -> Iterator[None]:
    """Batches and pages of two people."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dispatch, "BATCH", 2)
        patch.setattr(audience, "PAGE", 2)
        yield


@pytest.fixture(
    scope="module",
    params=[SCENARIOS[0], *(pytest.param(one, marks=pytest.mark.long) for one in SCENARIOS[1:])],
    ids=str,
)
def case(
    request: pytest.FixtureRequest, _system: System, small: None, earlier: list[list[str]]
) -> Case:
    """A scenario, recorded once for all tests."""
    del small
    scenario, system = request.param, _system.reset()
    scenario.before(system)
    system.sandbox.forget_sent()
    run = RecordedRun(system, with_mails, system.settle, scenario.acts)
    run.record()
    case = Case(run, outcomes(system), issue_of(system).state, [*earlier])
    case.check()
    earlier.append(run.calls)
    return case


@pytest.mark.long
def test_a_crash_at_any_call_sends_to_no_one_twice_and_forgets_no_one(case: Case) -> None:
    for _ in case.run.kills():
        case.check()


@pytest.mark.long
def test_a_failing_call_sends_to_no_one_twice_and_forgets_no_one(case: Case) -> None:
    calls = case.run.calls
    known = [(failures(one), one) for one in case.earlier]
    for _ in case.run.faults(unlike(failures(calls), calls, known)):
        case.check()


@pytest.mark.long
def test_events_that_are_delivered_twice_change_nothing(case: Case) -> None:
    system = case.run.system
    case.run.restart()
    for act in case.run.acts:
        act(system)
    while not system.fifo_queues.is_empty or system.open_work():
        batch = system.fifo_queues.receive()
        for queue, message in batch:
            assert not system.invoke_worker(queue, message)
            system.run_worker(queue, message)
        if not batch:
            system.pass_time()
    case.check()
    assert outcomes(system) == case.clean
