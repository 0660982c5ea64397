"""The report before going live: what dry run would have sent and assigned, and what people did instead."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest

from richpanel.api.dry_runs import forecast
from richpanel.configuration.account import CACHE_MS
from tests.integration.richpanel.admin.conftest import DISPUTE, READER, WHERE, Admin

FORECAST = "GET /admin/richpanel/forecast"
DAY_MS = 86_400_000


def shown(admin: Admin, **query: Any) -> Any:
    answer = admin.call(FORECAST, READER, **query)
    assert answer.status == 200, answer
    return answer.result


@pytest.fixture
def rehearsed(admin: Admin) -> Admin:
    """In dry run: two questions that would be answered and a dispute for people; before it a reply."""
    harness = admin.harness
    harness.ticket(WHERE, ticket="t-0")
    harness.handle(harness.event("t-0"))
    harness.switch(dry_run="true")
    for ticket, text in (("t-1", WHERE), ("t-2", DISPUTE), ("t-3", WHERE)):
        harness.time.ms += 1_000
        harness.ticket(text, ticket=ticket)
        harness.handle(harness.event(ticket))
    return admin


def test_the_report_counts_what_would_have_been_sent_handed_over_and_routed(
    rehearsed: Admin,
) -> None:
    report = shown(rehearsed)

    assert (report["decisions"], report["others"], report["is_complete"]) == (3, 1, True)
    status, dispute = report["by_intent"]
    assert (status["decisions"], status["would_reply"], status["would_hand_over"]) == (2, 2, 0)
    assert status["reasons"] == {}
    assert (dispute["decisions"], dispute["would_reply"]) == (1, 0)
    assert dispute["would_hand_over"] + dispute["would_route"] == 1
    assert sum(dispute["reasons"].values()) == 1
    assert sum(status["teams"].values()) == 2


def test_a_switch_that_would_hold_a_reply_back_is_its_reason(admin: Admin) -> None:
    admin.harness.switch(dry_run="true", safe_mode="true")
    admin.harness.ticket(WHERE)
    admin.harness.handle()

    (line,) = shown(admin)["by_intent"]

    assert line["would_reply"] == 0
    assert line["reasons"] == {"safe_mode_route_only": 1}


def test_days_before_the_period_are_not_counted(rehearsed: Admin) -> None:
    rehearsed.harness.time.ms += 2 * DAY_MS

    assert shown(rehearsed, days=2)["decisions"] == 0
    assert shown(rehearsed, days=3)["decisions"] == 3


def test_a_report_reads_a_bounded_number_of_decisions_and_says_that_it_is_not_complete(
    rehearsed: Admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forecast, "MOST_READ", 2)

    report = shown(rehearsed)

    assert (report["decisions"], report["is_complete"]) == (2, False)


def test_without_a_comparison_no_ticket_is_read(rehearsed: Admin) -> None:
    before = rehearsed.harness.calls()

    compared = shown(rehearsed)["compared"]

    assert rehearsed.harness.calls() == before
    assert sum(compared[one] for one in ("same_team", "other_team", "person", "not_read")) == 0


def test_the_newest_tickets_are_compared_with_who_has_them_now(admin: Admin) -> None:
    harness, teams = admin.harness, {"email": "agent-1", "returns": "agent-2"}
    boto3.client("ssm").put_parameter(
        Name=admin.module.deps.stored_account._name,
        Value=json.dumps({"bot_author_id": "bot-1", "team_assignees": teams}),
        Type="String",
        Overwrite=True,
    )
    harness.time.ms += CACHE_MS
    harness.switch(dry_run="true")
    for ticket in ("same", "other", "person", "none"):
        harness.ticket(WHERE, ticket=ticket)
        harness.handle(harness.event(ticket))
    team = admin.call("GET /admin/richpanel/decisions", READER, day="2026-03-02").result
    assert {one["team"] for one in team["decisions"]} == {"email"}
    has = {"same": "agent-1", "other": "agent-2", "person": "agent-of-theirs"}
    for ticket, assignee in has.items():
        harness.sandbox.help_desk.tickets[ticket].assignee_id = assignee

    compared = shown(admin, compare=20)["compared"]

    assert compared == {
        "same_team": 1,
        "other_team": 1,
        "person": 1,
        "unassigned": 1,
        "not_read": 0,
        "differing": {"other": "returns"},
    }


def test_tickets_that_the_help_desk_does_not_return_in_time_are_named_as_not_read(
    rehearsed: Admin,
) -> None:
    rehearsed.left_ms = 4_500

    compared = shown(rehearsed, compare=3)["compared"]

    assert compared["not_read"] == 3


@pytest.mark.parametrize("query", [{"days": 0}, {"days": 15}, {"compare": 21}])
def test_a_period_or_comparison_beyond_its_bound_is_refused(
    admin: Admin, query: dict[str, Any]
) -> None:
    assert admin.call(FORECAST, READER, **query).status == 400
