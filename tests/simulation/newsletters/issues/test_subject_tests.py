"""Subject tests of an issue: who is in the sample, which subject wins, and when people choose."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pytest

from newsletters.store import issues
from shared.aws.dynamodb import Table
from tests.simulation.newsletters.scenarios import EXPORTED, configured, settled
from tests.simulation.newsletters.steps.issues import (
    ONE,
    approved,
    changed,
    drafted,
    issue_of,
    ledger,
    mails,
    reported,
    sent,
    stats,
    with_readers,
)

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

MANY: Final = [f"reader{number}@orchard.example" for number in range(12)]
TEST: Final[dict[str, Any]] = {
    "subjects": ["Other {{first_name|friend}}"],
    "sample_percent": 50,
    "wait_minutes": 240,
    "decided_by": "clicks",
}
MINUTE: Final = 60_000


def sampled(**fields: Any) -> Any:
    """An issue with a subject test whose sample has its mails."""
    test = {**TEST, **fields}

    def steps(system: System) -> None:
        settled(EXPORTED, with_readers(*MANY), partial(configured, track_clicks=True))(system)
        drafted(system, subject="First", subject_test=test)
        approved(system)
        system.sandbox.forget_sent()
        sent(system)
        system.drain()

    return steps


def subjects(system: System) -> Counter[str]:
    return Counter(str(one["Content"]["Simple"]["Subject"]["Data"]) for one in mails(system))


def clicked(system: System, subject: str, times: int = 1) -> None:
    found = [one for one in mails(system) if one["Content"]["Simple"]["Subject"]["Data"] == subject]
    system.clock.ms += MINUTE
    for one in found[:times]:
        reported(system, one, "Click")
    system.drain()


def later(system: System, minutes: int) -> None:
    system.clock.ms += minutes * MINUTE
    system.run_schedule()
    system.drain()


def test_the_sample_gets_the_subjects_and_all_others_the_one_with_the_most_clicks(
    system: System,
) -> None:
    sampled()(system)
    sample = subjects(system)
    assert sample.keys() == {"First", "Other friend"}
    assert 1 < sample.total() < len(MANY)
    assert stats(system) == {"audience": len(MANY), "sent": sample.total()}
    clicked(system, "Other friend")
    later(system, 230)
    assert subjects(system) == sample

    later(system, 10)
    system.settle()

    assert subjects(system) == sample + Counter({"Other friend": len(MANY) - sample.total()})
    assert issue_of(system).winner == "b"
    assert issue_of(system).state == "sent"
    found = {one["variant"]: one for one in system.read(f"{ONE}/stats")["variants"]}
    assert {name: (one["subject"], one["sent"], one["clicked"]) for name, one in found.items()} == {
        "a": ("First", sample["First"], 0),
        "b": ("Other {{first_name|friend}}", sample["Other friend"], 1),
    }
    of_sample = Counter(one.variant for one in ledger(system) if one.variant)
    assert of_sample == {"a": sample["First"], "b": sample["Other friend"]}


def test_a_round_that_is_repeated_after_a_crash_does_not_wait_anew(system: System) -> None:
    sampled()(system)
    decide_at = issue_of(system).decide_at
    system.clock.ms += 60 * MINUTE
    table = Table(system.dynamodb, system.table)
    assert issues.next_turn(table, issue_of(system), system.clock.ms)

    later(system, 5)

    assert issue_of(system).turn > 1
    assert issue_of(system).decide_at == decide_at


def test_without_a_clear_winner_people_choose(system: System) -> None:
    sampled()(system)
    sample = subjects(system).total()
    for subject, count in subjects(system).items():
        clicked(system, subject, count)
    later(system, 240)
    assert (issue_of(system).state, issue_of(system).pause_reason) == ("paused", "no_winner")
    assert subjects(system).total() == sample
    version = system.read(ONE)["version"]
    status, answer = system.call("POST", f"{ONE}/winner", {"version": version, "variant": "c"})
    assert (status, answer["error"]["details"][0]["field"]) == (400, "variant")

    changed("winner", variant="a")(system)
    system.settle()

    assert subjects(system)["First"] > len(MANY) - sample
    assert stats(system)["sent"] == len(MANY)


def test_people_choose_before_the_end_of_the_wait(system: System) -> None:
    sampled(decided_by="person")(system)
    sample = subjects(system).total()
    clicked(system, "Other friend")

    changed("winner", variant="a")(system)
    system.drain()

    assert subjects(system).total() == len(MANY)
    system.settle()
    assert issue_of(system).state == "sent"
    assert sample < len(MANY)
    version = system.read(ONE)["version"]
    status, answer = system.call("POST", f"{ONE}/winner", {"version": version, "variant": "b"})
    assert (status, answer["error"]["code"]) == (409, "wrong_state")


def test_people_who_want_to_choose_are_waited_for(system: System) -> None:
    sampled(decided_by="person", wait_minutes=30)(system)
    sample = subjects(system)
    clicked(system, "Other friend")
    later(system, 30)
    assert (issue_of(system).state, issue_of(system).pause_reason) == (
        "paused",
        "choice_of_subject",
    )
    system.act("POST", f"{ONE}/resume", {})
    system.settle()
    assert issue_of(system).state == "paused"  # as no subject is chosen
    assert subjects(system) == sample


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"subjects": []}, "subject_test.subjects"),
        ({"subjects": ["B", "C", "D", "E"]}, "subject_test.subjects"),
        ({"subjects": ["B", "B"]}, "subject_test.subjects.1"),
        ({"subjects": ["News of the week"]}, "subject_test.subjects.0"),
        ({"subjects": ["B" * 151]}, "subject_test.subjects.0"),
        ({"sample_percent": 51}, "subject_test.sample_percent"),
        ({"wait_minutes": 29}, "subject_test.wait_minutes"),
        ({"decided_by": "opens"}, "subject_test.decided_by"),
    ],
)
def test_a_test_that_cannot_decide_is_refused(
    system: System, fields: dict[str, Any], field: str
) -> None:
    settled(EXPORTED, with_readers())(system)
    drafted(system)
    status, answer = system.call("PATCH", ONE, {"version": 1, "subject_test": {**TEST, **fields}})
    assert (status, answer["error"]["details"][0]["field"]) == (400, field)


def test_clicks_decide_only_if_they_are_counted_and_at_one_time(system: System) -> None:
    settled(EXPORTED, with_readers())(system)
    drafted(system, subject_test={**TEST, "subjects": ["{{city|x}}"]})

    def codes() -> set[str]:
        return {one["code"] for one in system.read(f"{ONE}/checklist")["checks"]}

    assert {"clicks_not_counted", "unknown_placeholder"} <= codes()
    system.act("PATCH", ONE, {"version": 1, "subject_test": TEST}, key="second")
    configured(system, track_clicks=True)
    assert not {"clicks_not_counted", "unknown_placeholder"} & codes()
    approved(system)
    soon = datetime.fromtimestamp(system.clock.ms / 1_000 + 172_800).isoformat()[:16]  # noqa: DTZ006 - any zone
    body = {"version": system.read(ONE)["version"], "local": soon, "timezone": "UTC"}
    status, answer = system.call("POST", f"{ONE}/schedule", {**body, "in_reader_zone": True})
    assert (status, answer["error"]["details"][0]["field"]) == (400, "in_reader_zone")
