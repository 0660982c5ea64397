"""Refused input of the admin API: the error names the field, and nothing changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.integration.conversations.admin.routes import (
    CHANGES,
    CONSENT,
    ENTRY,
    Route,
    store_unmatched,
)
from tests.integration.conversations.harness import ANN, Harness


@pytest.mark.parametrize("route", CHANGES, ids=lambda route: route.line)
def test_a_change_without_an_idempotency_key_is_refused(harness: Harness, route: Route) -> None:
    ref, message = harness.begin(), store_unmatched(harness)
    before = harness.rows()

    answer = route.call(harness, ref, message, key=None)

    assert (answer.status, list(answer.problems)) == (400, ["Idempotency-Key"])
    assert harness.rows() == before


@pytest.mark.parametrize("key", ["short", "ä" * 8, "with blank", "k" * 256])
def test_an_idempotency_key_has_8_to_255_visible_ascii_characters(
    harness: Harness, key: str
) -> None:
    ref = harness.begin()

    assert list(harness.on(ref, "close", key=key).problems) == ["Idempotency-Key"]
    assert harness.on(ref, "close", key="k" * 255).status == 200


OF_REF = "/conversations/{ref}"


@pytest.mark.parametrize(
    ("line", "body", "field"),
    [
        (f"POST {OF_REF}/take-over", {"agent_id": "carol"}, "agent_id"),
        (f"POST {OF_REF}/messages", {"text": "a", "agent_id": "carol"}, "agent_id"),
        (f"POST {OF_REF}/take-over", {"assignee": "Carol Smith"}, "assignee"),
        (f"POST {OF_REF}/take-over", {"assignee": "external"}, "assignee"),
        (f"POST {OF_REF}/take-over", {"assignee": "carol", "force": "yes"}, "force"),
        (f"POST {OF_REF}/take-over", {"assignee": "carol", "forse": True}, "forse"),
        (f"POST {OF_REF}/take-over", "{", "body"),
        (f"POST {OF_REF}/take-over", [1], "body"),
        (f"POST {OF_REF}/messages", {}, "body"),
        (f"POST {OF_REF}/messages", {"text": "a", "template": "b"}, "body"),
        (f"POST {OF_REF}/messages", {"text": "a", "variables": {"x": "y"}}, "body"),
        (f"POST {OF_REF}/messages", {"text": " \n"}, "text"),
        (f"POST {OF_REF}/messages", {"text": "\ud83d"}, "text"),
        (f"POST {OF_REF}/messages", {"text": "x" * 20_001}, "text"),
        (f"POST {OF_REF}/messages", {"text": 5}, "text"),
        # The limits of the conversation's channel: an SMS of at most three parts, and no template.
        (f"POST {OF_REF}/messages", {"text": "x" * 1_601}, "text"),
        (f"POST {OF_REF}/messages", {"text": "x" * 460}, "text"),
        (f"POST {OF_REF}/messages", {"template": "invitation"}, "template"),
        (f"POST {OF_REF}/messages", {"template": "a b"}, "template"),
        (f"POST {OF_REF}/hand-back", {"answer_pending": "true"}, "answer_pending"),
        (f"POST {OF_REF}/release", {"draft_entry_id": "7"}, "draft_entry_id"),
        (f"POST {OF_REF}/release", {"draft_entry_id": ENTRY}, "draft_entry_id"),
        (f"POST {OF_REF}/resolve", {"outcome": "sent"}, "entry_id"),
        (f"POST {OF_REF}/resolve", {"entry_id": ENTRY, "outcome": "lost"}, "outcome"),
        (f"POST {OF_REF}/close", {"why": "done"}, "why"),
        (f"POST {OF_REF}/labels", {"labels": ["vip"]}, "revision"),
        (f"POST {OF_REF}/labels", {"revision": 0}, "labels"),
        (f"POST {OF_REF}/labels", {"labels": None, "revision": 0}, "labels"),
        (f"POST {OF_REF}/labels", {"labels": ["x" * 51], "revision": 0}, "labels.0"),
        (f"POST {OF_REF}/labels", {"labels": [""], "revision": 0}, "labels.0"),
        (f"POST {OF_REF}/labels", {"labels": [" x"], "revision": 0}, "labels.0"),
        (f"POST {OF_REF}/labels", {"labels": ["a\nb"], "revision": 0}, "labels.0"),
        (
            f"POST {OF_REF}/labels",
            {"labels": list("abcdefghijklmnopqrstu"), "revision": 0},
            "labels",
        ),
        (f"POST {OF_REF}/labels", {"labels": [], "revision": "0"}, "revision"),
        (f"POST {OF_REF}/labels", {"labels": [], "revision": -1}, "revision"),
        (f"POST {OF_REF}/snooze", {}, "snoozed_until"),
        (f"POST {OF_REF}/snooze", {"snoozed_until": None}, "snoozed_until"),
        (f"POST {OF_REF}/snooze", {"snoozed_until": "tomorrow"}, "snoozed_until"),
        (f"POST {OF_REF}/snooze", {"snoozed_until": "2026-06-01T12:00:00"}, "snoozed_until"),
        (f"POST {OF_REF}/snooze", {"snoozed_until": "2020-06-01T12:00:00Z"}, "snoozed_until"),
        (f"POST {OF_REF}/snooze", {"snoozed_until": "2029-06-01T12:00:00Z"}, "snoozed_until"),
        (f"POST {OF_REF}/wake", {"snoozed_until": None}, "snoozed_until"),
        (f"POST {OF_REF}/notes", {}, "text"),
        (f"POST {OF_REF}/notes", {"text": " \n"}, "text"),
        (f"POST {OF_REF}/notes", {"text": "x" * 4_001}, "text"),
        (f"POST {OF_REF}/notes", {"text": "a", "by": "carol"}, "by"),
        ("POST /conversations/search", {}, "recipient"),
        ("POST /conversations/search", {"recipient": "07700 900123"}, "recipient"),
        ("POST /conversations/search", {"recipient": "ann@"}, "recipient"),
        ("POST /conversations/search", {"recipient": ANN, "status": "lost"}, "status"),
        ("POST /conversations/search", {"recipient": ANN, "task_complete": 1}, "task_complete"),
        ("POST /conversations/search", {"recipient": ANN, "from": "2026-01-01T12:00:00"}, "from"),
        ("POST /conversations/search", {"recipient": ANN, "limit": 0}, "limit"),
        (
            "POST /conversations/search",
            {"recipient": ANN, "from": "2026-02-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"},
            "to",
        ),
        ("POST /opt-outs/search", {"recipient": "nobody"}, "recipient"),
        ("POST /opt-outs", CONSENT | {"channels": []}, "channels"),
        ("POST /opt-outs", CONSENT | {"channels": ["fax"]}, "channels.0"),
        ("POST /opt-outs", CONSENT | {"evidence": ""}, "evidence"),
        ("POST /opt-ins", CONSENT | {"channels": ["*"]}, "channels.0"),
        ("POST /opt-ins", CONSENT | {"channels": ["email"]}, "channels"),
        ("POST /opt-ins", CONSENT | {"recipient": "ann@example.com"}, "channels"),
    ],
)
def test_bad_input_names_the_field_and_changes_nothing(
    harness: Harness, line: str, body: Any, field: str
) -> None:
    ref = harness.begin()
    before = harness.rows()

    answer = harness.call(line, body, ref=ref if "{ref}" in line else None)

    assert (answer.status, answer.error, list(answer.problems)) == (400, "invalid_input", [field])
    assert harness.rows() == before
    assert harness.sqs.put == []


@pytest.mark.parametrize(
    ("line", "query", "field"),
    [
        ("GET /conversations", {"limit": 101}, "limit"),
        ("GET /conversations", {"limit": [5, 6]}, "limit"),
        ("GET /conversations", {"status": "lost"}, "status"),
        ("GET /conversations", {"project_id": "a b"}, "project_id"),
        ("GET /conversations", {"recipient": "x"}, "recipient"),
        (f"GET {OF_REF}/messages", {"before": "yesterday"}, "before"),
        (f"GET {OF_REF}/messages", {"limit": "many"}, "limit"),
        (f"GET {OF_REF}/notes", {"before": "yesterday"}, "before"),
        (f"GET {OF_REF}/notes", {"limit": 101}, "limit"),
        (f"GET {OF_REF}", {"fields": "all"}, "fields"),
        ("GET /unmatched", {"limit": 0}, "limit"),
    ],
)
def test_a_bad_query_is_refused(
    harness: Harness, line: str, query: dict[str, Any], field: str
) -> None:
    ref = harness.begin()

    answer = harness.call(line, query=query, ref=ref if "{ref}" in line else None)

    assert (answer.status, list(answer.problems)) == (400, [field])


@pytest.mark.parametrize("body", [{"recipient": "07700 900123"}, {"recipient": ANN, "status": ANN}])
def test_no_error_repeats_the_input(harness: Harness, body: dict[str, Any]) -> None:
    answer = harness.call("POST /conversations/search", body)

    assert "900123" not in json.dumps(answer.body)


@pytest.mark.parametrize("ref", ["a", "A" * 26, "a" * 25 + "#", "a" * 27, "a" * 25 + "1"])
def test_an_invalid_ref_is_not_found(harness: Harness, ref: str) -> None:
    assert harness.call("GET /conversations/{ref}", ref=ref).status == 404


def test_an_error_about_invalid_project_settings_contains_no_value(harness: Harness) -> None:
    ref = harness.begin()
    harness.set_up(timezone="Mars/Olympus")

    answer = harness.call("GET /conversations/{ref}", ref=ref)

    assert (answer.status, answer.error) == (500, "configuration_error")
    assert answer.body["error"]["message"] == "timezone"


def test_a_queue_error_is_reported_and_the_call_may_be_repeated(harness: Harness) -> None:
    ref = harness.begin()
    harness.sqs.refuses = True

    refused = harness.on(ref, "messages", {"text": "Hello"}, key="one-message")
    harness.sqs.refuses = False
    taken = harness.on(ref, "messages", {"text": "Hello"}, key="one-message")

    assert (refused.status, refused.error) == (503, "not_enqueued")
    assert taken.status == 202
    assert len(harness.queued("ConversationsAgentsQueue")) == 1
