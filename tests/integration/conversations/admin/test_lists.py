"""Lists and searches of conversations: order, pages and cursors."""

from __future__ import annotations

import json
from typing import Any

import boto3
import pytest

from conversations.api import open_conversations
from conversations.lifecycle.status import Status
from conversations.store.items.conversation import ChannelMethod
from conversations.store.lists import open_list
from operations.contexts.inbox.ended import list_ended
from tests.integration.conversations.harness import (
    ANN,
    COMPANY,
    OTHER_PROJECT,
    PROJECT,
    SECOND_COMPANY,
    Harness,
    caller,
)

BEN = "+447700900124"
SEARCH = "POST /conversations/search"


def listed(harness: Harness, **query: Any) -> list[list[str]]:
    """All pages of a list."""
    pages, cursor = [], None
    while True:
        given = query | ({"cursor": cursor} if cursor else {})
        answer = harness.call("GET /conversations", query=given)
        pages.append(answer.refs)
        cursor = answer.body.get("cursor")
        if cursor is None:
            return pages


def found(harness: Harness, **body: Any) -> list[list[str]]:
    """All pages of a search."""
    pages, cursor = [], None
    while True:
        given = {"recipient": ANN} | body | ({"cursor": cursor} if cursor else {})
        answer = harness.call(SEARCH, given)
        pages.append(answer.refs)
        cursor = answer.body.get("cursor")
        if cursor is None:
            return pages


# Conversations of a company


def test_open_conversations_are_listed_newest_first_in_three_pages(harness: Harness) -> None:
    begun = [harness.begin(f"req-{number}") for number in range(5)]

    pages = listed(harness, project_id=PROJECT, limit=2)

    newest_first = begun[::-1]
    assert pages == [newest_first[:2], newest_first[2:4], newest_first[4:]]


@pytest.mark.long
def test_parts_of_the_open_list_lose_and_duplicate_no_entry(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_conversations, "CHUNK", 3)
    begun = [
        harness.begin(f"req-{number}", project=PROJECT if number % 3 else OTHER_PROJECT)
        for number in range(10)
    ]

    for limit in (1, 2, 3, 4, 10):
        pages = listed(harness, limit=limit)
        assert sorted(ref for page in pages for ref in page) == sorted(begun)
        assert all(len(page) <= limit for page in pages)


def test_opening_and_closing_conversations_between_pages_moves_no_other_entry(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_conversations, "CHUNK", 4)
    begun = {harness.begin(f"req-{number}") for number in range(8)}
    first = harness.call("GET /conversations", query={"limit": 2})
    gone = {ref for ref in sorted(begun) if ref not in first.refs}.pop()
    harness.on(gone, "close")
    later = {harness.begin(f"later-{number}") for number in range(4)}

    seen, cursor = list(first.refs), first.body.get("cursor")
    while cursor:
        answer = harness.call("GET /conversations", query={"limit": 2, "cursor": cursor})
        seen += answer.refs
        cursor = answer.body.get("cursor")

    assert len(seen) == len(set(seen))
    assert begun - {gone} <= set(seen) <= begun | later


def test_a_status_of_open_conversations_is_listed_from_the_open_list(harness: Harness) -> None:
    harness.begin("req-1")
    waiting = harness.begin("req-2", Status.HANDOFF_PENDING, hand_off_to_human=True)

    (shown,) = harness.call("GET /conversations", query={"status": "handoff_pending"}).result[
        "conversations"
    ]

    assert shown == {
        "ref": waiting,
        "project_id": PROJECT,
        "conversation_status": "handoff_pending",
        "channel_method": "sms",
        "hand_off_to_human": True,
        "since": "2026-01-01T12:00:02.000Z",
        "last_activity_at": "2026-01-01T12:00:00.000Z",
    }


@pytest.mark.parametrize("status", ["closed", "opted_out", "failed", "blocked"])
def test_ended_conversations_are_listed_newest_first_in_three_pages(
    harness: Harness, status: str
) -> None:
    over = [harness.begin(f"req-{number}", Status(status)) for number in range(5)]
    harness.begin("open")
    other = harness.begin("other", Status(status), project=OTHER_PROJECT)

    pages = listed(harness, project_id=PROJECT, status=status, limit=2)

    newest_first = over[::-1]
    assert pages == [newest_first[:2], newest_first[2:4], newest_first[4:]]
    for limit in (1, 4, 5, 6, 50):
        pages = listed(harness, status=status, limit=limit)
        assert sorted(ref for page in pages for ref in page) == sorted([*over, other])
        assert all(len(page) <= limit for page in pages)


def test_an_ended_conversation_leaves_the_list_while_it_is_open_again(harness: Harness) -> None:
    ref, later = harness.begin(), harness.begin("req-2")
    shown: list[Any] = []
    for route in ("close", "reopen", "close"):
        for one in (ref, later) if route == "close" and not shown else (ref,):
            assert harness.on(one, route).status < 300
        shown.append([listed(harness, status=status) for status in ("closed", "reply_sent")])

    assert shown == [[[[later, ref]], [[]]], [[[later]], [[ref]]], [[[later, ref]], [[]]]]


def test_conversations_that_ended_before_there_was_a_list_are_listed_once_by_the_command(
    harness: Harness,
) -> None:
    log, client = harness.resources.log, boto3.client("dynamodb")
    over = [harness.begin(f"req-{number}", Status.CLOSED) for number in range(3)]
    harness.begin("open")
    for ref in over[:2]:
        state = harness.state(ref)
        open_list.forget_ended(log, COMPANY, PROJECT, state.created_at, ref)
    counts = [
        list_ended(client, harness.resources.table.name, log, apply=apply)
        for apply in (False, True, True)
    ]

    assert counts == [3, 2, 0]
    assert listed(harness, status="closed") == [over[::-1]]


def test_without_a_status_only_open_conversations_are_listed(harness: Harness) -> None:
    ref = harness.begin()
    harness.begin("closed", Status.CLOSED)
    harness.begin("failed", Status.FAILED)

    assert listed(harness) == [[ref]]


def test_a_cursor_is_valid_for_its_own_query_and_company_only(harness: Harness) -> None:
    for number in range(3):
        harness.begin(f"req-{number}")
    cursor = harness.call("GET /conversations", query={"limit": 1}).body["cursor"]

    for who, query in (
        (caller(), {"cursor": cursor, "project_id": PROJECT}),
        (caller(), {"cursor": cursor, "status": "reply_sent"}),
        (caller(), {"cursor": cursor[:-1]}),
        (caller(), {"cursor": "x"}),
        (caller(SECOND_COMPANY), {"cursor": cursor}),
        (caller(projects=PROJECT), {"cursor": cursor}),
    ):
        answer = harness.call("GET /conversations", who=who, query=query)
        assert (answer.status, answer.error) == (400, "invalid_cursor")
    assert ANN not in cursor


def test_lists_show_no_address_and_no_name(harness: Harness) -> None:
    harness.begin()
    harness.begin("over", Status.CLOSED)

    for query in ({}, {"status": "closed"}):
        shown = json.dumps(harness.call("GET /conversations", query=query).body)
        assert "900123" not in shown
        assert "Ann" not in shown


# Conversations of one person


def test_a_person_is_found_by_their_number_newest_first_in_three_pages(harness: Harness) -> None:
    begun = [harness.begin(f"req-{number}") for number in range(5)]
    harness.begin("bens", customer=BEN)
    harness.begin("theirs", company=SECOND_COMPANY)

    newest_first = begun[::-1]
    assert found(harness, limit=2) == [newest_first[:2], newest_first[2:4], newest_first[4:]]
    assert found(harness, recipient="whatsapp:+44 7700 900123") == [newest_first]


@pytest.mark.parametrize(
    ("one", "other"),
    [("+5531987654321", "+553187654321"), ("+5491123456789", "+541123456789")],
    ids=["Brazil", "Argentina"],
)
def test_a_person_is_found_and_opts_out_under_each_spelling_of_their_number(
    harness: Harness, one: str, other: str
) -> None:
    refs = {harness.begin(f"req-{each}-{n}", customer=each) for each in (one, other) for n in "12"}
    consent = {"recipient": other, "channels": ["*"], "evidence": "a call"}
    opted_out = harness.call("POST /opt-outs", consent)

    for spelling in (one, other):
        for limit in (1, 2, 3, 50):
            pages = found(harness, recipient=spelling, limit=limit)
            assert sorted(ref for page in pages for ref in page) == sorted(refs)
    assert set(opted_out.result["refs"]) == refs


def test_an_email_address_is_found_in_any_letter_case(harness: Harness) -> None:
    ref = harness.begin(channel=ChannelMethod.EMAIL, customer="ann.doe@example.com")

    assert found(harness, recipient="Ann.Doe@Example.com") == [[ref]]


@pytest.mark.parametrize(
    ("criteria", "expected"),
    [
        ({"status": "closed"}, ["sms-closed", "mail-closed"]),
        ({"channel_method": "whatsapp"}, ["whatsapp-new"]),
        ({"task_complete": False}, ["whatsapp-new"]),
        ({"task_complete": True, "channel_method": "sms"}, ["sms-open", "sms-closed"]),
        ({"status": "closed", "channel_method": "email"}, ["mail-closed"]),
        ({"from": "2026-01-01T12:00:03Z"}, ["whatsapp-new", "mail-closed"]),
        ({"to": "2026-01-01T13:00:02+01:00"}, ["sms-closed", "sms-open"]),
        (
            {"from": "2026-01-01T12:00:02Z", "to": "2026-01-01T12:00:03Z"},
            ["mail-closed", "sms-closed"],
        ),
        ({"status": "closed", "from": "2026-01-01T12:00:03Z"}, ["mail-closed"]),
        ({"from": "2030-01-01T00:00:00Z"}, []),
    ],
)
@pytest.mark.parametrize("limit", [1, 25])
def test_a_search_narrows_by_each_of_the_local_indexes(
    harness: Harness, criteria: dict[str, Any], expected: list[str], limit: int
) -> None:
    names = {
        "sms-open": harness.begin("sms-open"),
        "sms-closed": harness.begin("sms-closed", Status.CLOSED),
        "mail-closed": harness.begin("mail-closed", Status.CLOSED, channel=ChannelMethod.EMAIL),
        "whatsapp-new": harness.begin(
            "whatsapp-new", Status.PROCESSING, channel=ChannelMethod.WHATSAPP, task_complete=0
        ),
    }

    pages = found(harness, limit=limit, **criteria)

    assert sorted(ref for page in pages for ref in page) == sorted(names[one] for one in expected)


def test_conversations_of_other_companies_take_no_place_on_a_page_of_a_search(
    harness: Harness,
) -> None:
    for number in range(4):
        harness.begin(f"theirs-{number}", company=SECOND_COMPANY)
    ours = harness.begin()
    for number in range(4, 8):
        harness.begin(f"theirs-{number}", company=SECOND_COMPANY)

    answer = harness.call(SEARCH, {"recipient": ANN, "limit": 1})

    assert answer.refs == [ours]


def test_a_cursor_of_one_person_is_invalid_for_another(harness: Harness) -> None:
    for number in range(2):
        harness.begin(f"req-{number}")
    cursor = harness.call(SEARCH, {"recipient": ANN, "limit": 1}).body["cursor"]

    answer = harness.call(SEARCH, {"recipient": BEN, "limit": 1, "cursor": cursor})

    assert (answer.status, answer.error) == (400, "invalid_cursor")
