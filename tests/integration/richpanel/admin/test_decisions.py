"""The decisions of a day over the admin API, filtered by intent, team, gate and outcome."""

from __future__ import annotations

import json
from typing import Any

import pytest

from richpanel.api import decisions
from tests.integration.richpanel.admin.conftest import (
    CONVERSATION,
    DECISIONS,
    DISPUTE,
    READER,
    WHERE,
    Admin,
)

DAY = "2026-03-02"
DAY_MS = 86_400_000


def listed(admin: Admin, **query: Any) -> list[dict[str, Any]]:
    """All decisions that match, of all pages."""
    answer = admin.call(f"GET {DECISIONS}", READER, day=DAY, **query)
    found: list[dict[str, Any]] = answer.result["decisions"]
    while cursor := answer.body.get("cursor"):
        answer = admin.call(f"GET {DECISIONS}", READER, day=DAY, **query, cursor=cursor)
        found += answer.result["decisions"]
    return found


@pytest.fixture
def decided(admin: Admin) -> Admin:
    """A reply, a hand-over, a dry run, and a decision of the day before."""
    harness = admin.harness
    harness.ticket(WHERE, ticket="yesterday")
    harness.time.ms -= DAY_MS
    harness.handle(harness.event("yesterday"))
    harness.time.ms += DAY_MS
    harness.ticket(WHERE)
    harness.handle()
    harness.time.ms += 1_000
    harness.ticket(DISPUTE, ticket="t-2")
    harness.handle(harness.event("t-2"))
    harness.time.ms += 1_000
    harness.switch(dry_run="true")
    harness.ticket(WHERE, ticket="t-3")
    harness.handle(harness.event("t-3"))
    return admin


def test_the_decisions_of_a_day_are_listed_newest_first_with_their_outcome(decided: Admin) -> None:
    found = listed(decided)

    assert [(one["conversation_id"], one["outcome"]) for one in found] == [
        ("t-3", "dry_run"),
        ("t-2", "handed_over"),
        ("t-1", "replied"),
    ]
    assert found[1]["gate"] == "tier0_always_handoff"
    assert found[2]["template"] == "t_order_status_ask_order_number"
    assert "bank" not in json.dumps(found), "no text of a customer"


@pytest.mark.parametrize(
    ("query", "tickets"),
    [
        ({"intent": "chargeback_dispute"}, ["t-2"]),
        ({"team": "email"}, ["t-3", "t-1"]),
        ({"gate": "tier1_safe_assist"}, ["t-3", "t-1"]),
        ({"outcome": "dry_run"}, ["t-3"]),
        ({"outcome": "replied", "intent": "order_status_tracking", "team": "email"}, ["t-1"]),
        ({"outcome": "routed"}, []),
    ],
)
def test_decisions_are_filtered(decided: Admin, query: dict[str, str], tickets: list[str]) -> None:
    assert [one["conversation_id"] for one in listed(decided, **query)] == tickets


@pytest.mark.parametrize("limit", [1, 2])
def test_pages_and_bounded_reads_lose_and_repeat_nothing(
    decided: Admin, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(decisions, "READ_AT_ONCE", 1)
    monkeypatch.setattr(decisions, "MOST_READ", 2)

    assert len(listed(decided, limit=limit)) == 3
    assert [one["conversation_id"] for one in listed(decided, team="email", limit=limit)] == [
        "t-3",
        "t-1",
    ]


def test_a_redelivery_adds_no_decision(decided: Admin) -> None:
    decided.harness.switch(dry_run="false")
    decided.harness.handle()

    assert len(listed(decided)) == 3


def test_an_erased_conversation_has_no_decision_left(decided: Admin) -> None:
    decided.call(f"DELETE {CONVERSATION}", ticket="t-2")

    assert [one["conversation_id"] for one in listed(decided)] == ["t-3", "t-1"]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"day": "yesterday"}, "day"),
        ({"day": DAY, "intent": "no_intent"}, "intent"),
        ({"day": DAY, "team": "Email Support Team"}, "team"),
        ({"day": DAY, "gate": "Not A Gate"}, "gate"),
        ({"day": DAY, "outcome": "won"}, "outcome"),
        ({"day": DAY, "limit": "51"}, "limit"),
        ({"day": DAY, "sort": "oldest"}, "sort"),
    ],
)
def test_a_bad_query_names_the_field(admin: Admin, query: dict[str, str], field: str) -> None:
    answer = admin.call(f"GET {DECISIONS}", READER, **query)

    assert (answer.status, list(answer.problems)) == (400, [field])
