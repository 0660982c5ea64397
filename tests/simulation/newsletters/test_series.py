"""Series draft newsletters on a calendar: one for each run, up to the review or the approval, and never send."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from newsletters.store import series as store
from shared.aws.dynamodb import Table
from tests.simulation.crashes.recorded_run import RecordedRun
from tests.simulation.newsletters.final_state import state_of
from tests.simulation.newsletters.scenarios import configured, documents_added, settled
from tests.simulation.newsletters.steps.issues import (
    ONE as ISSUE,
)
from tests.simulation.newsletters.steps.issues import (
    addressed,
    issue_of,
    newest_issue,
    with_readers,
)
from tests.simulation.newsletters.steps.series import (
    ALL,
    FIRST,
    FRIDAYS,
    at,
    begun,
    is_idle,
    one,
    path,
    runs,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.simulation.newsletters.system import System

READY = settled(configured, documents_added, with_readers())


def newsletters_of(system: System) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = system.read("/newsletters")["newsletters"]
    return [row for row in rows if row["title"].startswith(FRIDAYS["title"])]


def changed(system: System, **fields: Any) -> None:
    body = {"version": one(system).version, **fields}
    system.act("PATCH", path(system), body, key=f"change {one(system).version}")


def test_a_run_drafts_a_newsletter_of_its_owner_and_the_next_run_is_a_week_later(
    system: System,
) -> None:
    READY(system)
    begun(system)
    assert system.read(path(system))["next_run"] == "2026-01-02T08:00:00Z"
    at(system, FIRST)

    (made,) = newsletters_of(system)
    assert (made["title"], made["status"]) == ("What the week taught us, 2026-01-02", "completed")
    assert runs(system) == [("2026-01-02", "done")]
    shown = system.read(path(system))
    assert shown["runs"][0]["newsletter_code"] == made["code"]
    assert shown["next_run"] == "2026-01-09T08:00:00Z"
    at(system, "2026-01-09T08:00")
    assert len(newsletters_of(system)) == 2
    assert runs(system) == [("2026-01-02", "done"), ("2026-01-09", "done")]


def test_with_an_issue_a_run_stops_before_the_approval(system: System) -> None:
    READY(system)
    begun(system, with_issue=True)
    at(system, FIRST)

    system.issue_id = newest_issue(system)
    assert one(system).runs[0].issue_id == system.issue_id
    issue = issue_of(system)
    assert (issue.state, issue.subject) == ("draft", "What the week taught us, 2026-01-02")
    codes = {row["code"] for row in system.read(f"{ISSUE}/checklist")["checks"]}
    assert "not_exported" not in codes
    for moment in ("2026-01-03T08:00", "2026-01-04T08:00"):
        at(system, moment)
    assert addressed(system) == []
    assert issue_of(system).state == "draft"


def test_runs_that_the_schedule_did_not_come_to_are_named_as_missed(system: System) -> None:
    READY(system)
    begun(system)
    at(system, "2026-01-17T10:00")

    assert runs(system) == [
        ("2026-01-02", "missed"),
        ("2026-01-09", "missed"),
        ("2026-01-16", "done"),
    ]
    assert [one["title"][-10:] for one in newsletters_of(system)] == ["2026-01-16"]
    assert system.read(path(system))["next_run"] == "2026-01-23T08:00:00Z"


def test_a_step_that_fails_ends_the_run_with_its_reason_and_the_next_one_runs(
    system: System,
) -> None:
    settled(configured, with_readers())(system)  # no documents
    begun(system)
    at(system, FIRST)

    (run,) = one(system).runs
    assert (run.state, run.reason) == ("failed", "topics: no_results")
    documents_added(system)
    at(system, "2026-01-09T08:00")
    assert runs(system)[-1] == ("2026-01-09", "done")


def test_a_run_ends_with_its_reason_if_a_type_of_the_series_does_not_exist_any_more(
    system: System,
) -> None:
    READY(system)
    begun(system)
    stored = one(system)
    gone = {"selected_types": ["Beekeeping of an earlier release"]}
    Table(system.dynamodb, system.table).update({"PK": stored.PK, "SK": stored.SK}, put=gone)
    at(system, FIRST)

    (run,) = one(system).runs
    assert (run.state, run.reason) == ("failed", "topics: type_removed")


def test_a_newsletter_that_is_deleted_during_its_run_is_not_made_again(system: System) -> None:
    READY(system)
    begun(system)
    system.clock.ms += 20 * 3_600_000
    system.run_schedule()
    system.settle(is_over=lambda: bool(newsletters_of(system)))
    system.code = newsletters_of(system)[0]["code"]
    system.act("DELETE", "/newsletters/{code}", {}, key="delete")
    system.settle(is_over=lambda: one(system).run is None)

    assert newsletters_of(system) == []
    assert [(run.state, run.reason) for run in one(system).runs] == [
        ("failed", "newsletter_deleted")
    ]


def test_a_disabled_series_does_not_run_and_an_enabled_one_counts_from_now_on(
    system: System,
) -> None:
    READY(system)
    begun(system)
    changed(system, enabled=False)
    assert "next_run" not in system.read(path(system))
    at(system, "2026-01-17T10:00")
    assert newsletters_of(system) == []

    changed(system, enabled=True)
    assert system.read(path(system))["next_run"] == "2026-01-23T08:00:00Z"
    changed(system, rule={"unit": "months", "day_of_month": 31, "time": "07:30"})
    assert system.read(path(system))["next_run"] == "2026-01-31T06:30:00Z"
    assert runs(system) == []


def test_only_the_owner_or_an_administrator_changes_a_series(system: System) -> None:
    READY(system)
    begun(system)
    line, body = path(system), {"version": 1, "enabled": False}
    writer = "newsletters:write"

    assert system.call("GET", line, user="ben", scopes=writer)[0] == 200
    assert system.call("PATCH", line, body, user="ben", scopes=writer)[0] == 403
    assert system.call("DELETE", line, {}, user="ben", scopes=writer)[0] == 403
    assert system.call("GET", line, company="other")[0] == 404
    assert system.call("PATCH", line, body, user="ben", scopes="newsletters:admin")[0] == 200
    system.act("DELETE", line, {}, key="delete")
    at_end = system.read(ALL)["series"]
    assert at_end == []


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"rule": {"unit": "weeks", "time": "09:00"}}, "rule"),
        ({"rule": {"unit": "days", "weekdays": [1], "time": "09:00"}}, "rule"),
        ({"rule": {"unit": "weeks", "weekdays": [7], "time": "09:00"}}, "rule.weekdays.0"),
        ({"rule": {"unit": "months", "day_of_month": 32, "time": "09:00"}}, "rule.day_of_month"),
        ({"rule": {"unit": "days", "every": 0, "time": "09:00"}}, "rule.every"),
        ({"rule": {"unit": "days", "time": "24:00"}}, "rule.time"),
        ({"timezone": "Europe/Nowhere"}, "timezone"),
        ({"selected_types": ["Gossip"]}, "selected_types.0"),
        ({"selected_types": ["events", "Events"]}, "selected_types.1"),
        ({"newsletter": {}}, "newsletter.target_audience"),
        ({"issue": {"sender": "a@shop.example"}}, "issue.sender_name"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_series_that_cannot_run_are_refused(
    system: System, fields: dict[str, Any], field: str
) -> None:
    READY(system)
    status, answer = system.call("POST", ALL, {**FRIDAYS, **fields})
    assert status == 400
    assert field in {each["field"] for each in answer["error"]["details"]}


TRIED: dict[str, Any] = {"sample_percent": 20, "wait_minutes": 60, "decided_by": "person"}


@pytest.mark.parametrize(
    ("subject", "subjects"),
    [
        ("News", ["X", "X"]),
        ("News", ["News"]),
        (None, ["What the week taught us, 2026-02-06"]),
        (None, ["X", "X"]),
    ],
)
def test_a_series_does_not_test_equal_subjects(
    system: System, subject: str | None, subjects: list[str]
) -> None:
    READY(system)
    begun(system, with_issue=True)
    named = {"subject": subject} if subject else {}
    issue = {**(one(system).issue or {}), **named, "subject_test": {**TRIED, "subjects": subjects}}
    status, answer = system.call("PATCH", path(system), {"version": 1, "issue": issue})
    assert status == 400
    [problem] = answer["error"]["details"]
    assert problem["field"] == f"issue.subject_test.subjects.{len(subjects) - 1}"
    assert "differ" in problem["problem"]


def test_a_change_of_the_title_does_not_make_it_a_subject_that_is_tested(system: System) -> None:
    READY(system)
    begun(system, with_issue=True)
    tried = {**TRIED, "subjects": ["Harvest, 2026-01-02", "What the week taught us"]}
    changed(system, issue={**(one(system).issue or {}), "subject_test": tried})

    body = {"version": one(system).version, "title": "Harvest"}
    status, answer = system.call("PATCH", path(system), body)

    assert (status, one(system).title) == (400, FRIDAYS["title"])
    assert answer["error"]["details"][0]["field"] == "issue.subject_test.subjects.0"


def test_a_repeated_call_of_the_last_possible_series_gets_it(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    READY(system)
    begun(system)
    monkeypatch.setattr("newsletters.store.series.MOST", 1)
    assert system.call("POST", ALL, {**FRIDAYS, "title": "More"})[0] == 409
    table = Table(system.dynamodb, system.table)
    made = one(system)

    assert store.create(table, made).series_id == made.series_id
    assert len(store.of_company(table, made.company_id)) == 1


def test_the_audience_of_a_series_is_the_companys(system: System) -> None:
    READY(system)
    begun(system, with_issue=True)
    issue = {**(one(system).issue or {}), "list_ids": ["0" * 16]}
    status, answer = system.call("PATCH", path(system), {"version": 1, "issue": issue})
    assert (status, answer["error"]["details"][0]["field"]) == (400, "list_ids.0")


def comes(system: System) -> None:
    """The time of the first run."""
    system.clock.ms = one(system).next_run
    system.run_schedule()


def goes_on(system: System, *, is_over: Callable[[], bool]) -> None:
    """The schedule and the workers go on until the run has ended, or *is_over*."""
    system.settle(is_over=lambda: is_over() or (is_idle(system) and bool(one(system).runs)))


@pytest.mark.long
def test_a_run_that_is_killed_at_any_call_makes_one_newsletter_and_one_issue(
    system: System,
) -> None:
    READY(system)
    begun(system, with_issue=True)
    run = RecordedRun(system, state_of, partial(goes_on, system), [comes])
    run.record()
    for _ in run.kills():
        assert runs(system) == [("2026-01-02", "done")]
        assert len(newsletters_of(system)) == 1
        issues = [key for key in system.rows() if key.startswith("NLISSUE#")]
        assert len(issues) == 1
        assert addressed(system) == []
        assert not system.fifo_queues.dead_letters
