"""Reading conversations: those of a company, those of one person, a single one, and its log."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conversations.api import open_conversations
from conversations.lifecycle.status import Status
from conversations.store import due, states, unreachable
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Delivery, DueKind
from conversations.store.items.records import Unreachable
from conversations.store.items.turn import Stage, Turn, TurnKind
from events.conversations import cast
from tests.integration.conversations.agency import (
    ANN,
    COMPANY,
    NEIGHBOUR,
    OTHER_PROJECT,
    PROJECT,
    Agency,
    caller,
)

BEN = "+447700900124"
SEARCH = "POST /conversations/search"


def listed(agency: Agency, **query: Any) -> list[list[str]]:
    """All pages of a list."""
    pages, cursor = [], None
    while True:
        given = query | ({"cursor": cursor} if cursor else {})
        answer = agency.call("GET /conversations", query=given)
        pages.append(answer.refs)
        cursor = answer.body.get("cursor")
        if cursor is None:
            return pages


def found(agency: Agency, **body: Any) -> list[list[str]]:
    """All pages of a search."""
    pages, cursor = [], None
    while True:
        given = {"recipient": ANN} | body | ({"cursor": cursor} if cursor else {})
        answer = agency.call(SEARCH, given)
        pages.append(answer.refs)
        cursor = answer.body.get("cursor")
        if cursor is None:
            return pages


# Conversations of a company


def test_open_conversations_are_listed_newest_first_in_three_pages(agency: Agency) -> None:
    begun = [agency.begin(f"req-{number}") for number in range(5)]

    pages = listed(agency, project_id=PROJECT, limit=2)

    newest_first = begun[::-1]
    assert pages == [newest_first[:2], newest_first[2:4], newest_first[4:]]


def test_parts_of_the_open_list_lose_and_duplicate_no_entry(
    agency: Agency, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_conversations, "CHUNK", 3)
    begun = [
        agency.begin(f"req-{number}", project=PROJECT if number % 3 else OTHER_PROJECT)
        for number in range(10)
    ]

    for limit in (1, 2, 3, 4, 10):
        pages = listed(agency, limit=limit)
        assert sorted(ref for page in pages for ref in page) == sorted(begun)
        assert all(len(page) <= limit for page in pages)


def test_opening_and_closing_conversations_between_pages_moves_no_other_entry(
    agency: Agency, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_conversations, "CHUNK", 4)
    begun = {agency.begin(f"req-{number}") for number in range(8)}
    first = agency.call("GET /conversations", query={"limit": 2})
    gone = {ref for ref in sorted(begun) if ref not in first.refs}.pop()
    agency.on(gone, "close")
    later = {agency.begin(f"later-{number}") for number in range(4)}

    seen, cursor = list(first.refs), first.body.get("cursor")
    while cursor:
        answer = agency.call("GET /conversations", query={"limit": 2, "cursor": cursor})
        seen += answer.refs
        cursor = answer.body.get("cursor")

    assert len(seen) == len(set(seen))
    assert begun - {gone} <= set(seen) <= begun | later


def test_a_status_of_open_conversations_is_listed_from_the_open_list(agency: Agency) -> None:
    agency.begin("req-1")
    waiting = agency.begin("req-2", Status.HANDOFF_PENDING, hand_off_to_human=True)

    (shown,) = agency.call("GET /conversations", query={"status": "handoff_pending"}).result[
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
def test_statuses_outside_the_open_list_are_listed_by_the_index_in_three_pages(
    agency: Agency, status: str
) -> None:
    over = {agency.begin(f"req-{number}", Status(status)) for number in range(5)}
    agency.begin("open")
    agency.begin("other", Status(status), project=OTHER_PROJECT)

    pages = listed(agency, project_id=PROJECT, status=status, limit=2)

    assert [len(page) for page in pages] == [2, 2, 1]
    assert {ref for page in pages for ref in page} == over
    assert len(listed(agency, status=status)[0]) == 6


def test_without_a_status_only_open_conversations_are_listed(agency: Agency) -> None:
    ref = agency.begin()
    agency.begin("closed", Status.CLOSED)
    agency.begin("failed", Status.FAILED)

    assert listed(agency) == [[ref]]


def test_a_cursor_is_valid_for_its_own_query_and_company_only(agency: Agency) -> None:
    for number in range(3):
        agency.begin(f"req-{number}")
    cursor = agency.call("GET /conversations", query={"limit": 1}).body["cursor"]

    for who, query in (
        (caller(), {"cursor": cursor, "project_id": PROJECT}),
        (caller(), {"cursor": cursor, "status": "reply_sent"}),
        (caller(), {"cursor": cursor[:-1]}),
        (caller(), {"cursor": "x"}),
        (caller(NEIGHBOUR), {"cursor": cursor}),
        (caller(projects=PROJECT), {"cursor": cursor}),
    ):
        answer = agency.call("GET /conversations", who=who, query=query)
        assert (answer.status, answer.error) == (400, "invalid_cursor")
    assert ANN not in cursor


def test_lists_show_no_address_and_no_name(agency: Agency) -> None:
    agency.begin()
    agency.begin("over", Status.CLOSED)

    for query in ({}, {"status": "closed"}):
        shown = json.dumps(agency.call("GET /conversations", query=query).body)
        assert "900123" not in shown
        assert "Ann" not in shown


# Conversations of one person


def test_a_person_is_found_by_their_number_newest_first_in_three_pages(agency: Agency) -> None:
    begun = [agency.begin(f"req-{number}") for number in range(5)]
    agency.begin("bens", customer=BEN)
    agency.begin("theirs", company=NEIGHBOUR)

    newest_first = begun[::-1]
    assert found(agency, limit=2) == [newest_first[:2], newest_first[2:4], newest_first[4:]]
    assert found(agency, recipient="whatsapp:+44 7700 900123") == [newest_first]


def test_an_email_address_is_found_in_any_letter_case(agency: Agency) -> None:
    ref = agency.begin(channel=ChannelMethod.EMAIL, customer="ann.doe@example.com")

    assert found(agency, recipient="Ann.Doe@Example.com") == [[ref]]


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
    agency: Agency, criteria: dict[str, Any], expected: list[str], limit: int
) -> None:
    names = {
        "sms-open": agency.begin("sms-open"),
        "sms-closed": agency.begin("sms-closed", Status.CLOSED),
        "mail-closed": agency.begin("mail-closed", Status.CLOSED, channel=ChannelMethod.EMAIL),
        "whatsapp-new": agency.begin(
            "whatsapp-new", Status.PROCESSING, channel=ChannelMethod.WHATSAPP, task_complete=0
        ),
    }

    pages = found(agency, limit=limit, **criteria)

    assert sorted(ref for page in pages for ref in page) == sorted(names[one] for one in expected)


def test_conversations_of_other_companies_take_no_place_on_a_page_of_a_search(
    agency: Agency,
) -> None:
    for number in range(4):
        agency.begin(f"theirs-{number}", company=NEIGHBOUR)
    ours = agency.begin()
    for number in range(4, 8):
        agency.begin(f"theirs-{number}", company=NEIGHBOUR)

    answer = agency.call(SEARCH, {"recipient": ANN, "limit": 1})

    assert answer.refs == [ours]


def test_a_cursor_of_one_person_is_invalid_for_another(agency: Agency) -> None:
    for number in range(2):
        agency.begin(f"req-{number}")
    cursor = agency.call(SEARCH, {"recipient": ANN, "limit": 1}).body["cursor"]

    answer = agency.call(SEARCH, {"recipient": BEN, "limit": 1, "cursor": cursor})

    assert (answer.status, answer.error) == (400, "invalid_cursor")


# A single conversation


def test_a_conversation_shows_item_and_state_and_each_address_once(agency: Agency) -> None:
    ref = agency.begin(hand_off_to_human_reason="User requested agent", language="en")
    agency.says(ref, "Hello?")

    answer = agency.call("GET /conversations/{ref}", ref=ref)

    shown = answer.result
    assert json.dumps(shown).count("7700900123") == 1
    assert "conversation_id" not in shown
    assert shown["recipient"] == {
        "first_name": "Ann",
        "last_name": "Doe",
        "tel": ANN,
        "email": cast.CANDIDATE_EMAIL,
    }
    assert shown["project_data"] == {"jobRole": "Nurse", "rate": 17.5}
    assert (shown["conversation_status"], shown["mode"]) == ("reply_sent", "ai")
    assert shown["last_inbound_at"] == "2026-01-01T12:00:02.000Z"
    assert shown["task_complete"] is True


def test_a_running_turn_and_the_due_time_of_a_first_message_are_shown(agency: Agency) -> None:
    ref = agency.begin(status=Status.DEFERRED, task_complete=0)
    due.put(agency.resources.log, ref, DueKind.RESUME, agency.now[0] + 60_000, reason="quiet_hours")
    turn = Turn(
        turn_id="initial",
        kind=TurnKind.INITIAL,
        message_sk="MSG#2026-01-01T12:00:02.000Z#the-entry",
        generation=0,
        stage=Stage.CLAIMED,
        owner="worker",
        lease_until=agency.now[0],
    )
    states.claim(agency.resources.log, ref, agency.state(ref), turn)

    shown = agency.look(ref)

    assert shown["turn"] == {"entry_id": "the-entry", "kind": "initial", "stage": "claimed"}
    assert shown["resumes_at"] == "2026-01-01T12:01:01.000Z"


def test_changes_are_shown_newest_first_with_actor_and_reason(agency: Agency) -> None:
    ref = agency.begin()
    agency.on(ref, "take-over", {"agent_id": "carol"})
    agency.on(ref, "close", {"agent_id": "dan", "force": True})

    newest, oldest = agency.look(ref)["changes"]

    assert (newest["who"], newest["from_status"], newest["to_status"]) == (
        "human:dan",
        "handoff_active",
        "closed",
    )
    assert (oldest["who"], oldest["reason"]) == ("human:carol", "taken_over")


def test_an_address_that_the_channel_does_not_reach_is_shown_with_the_reason(
    agency: Agency,
) -> None:
    ref = agency.begin()
    assert agency.look(ref).get("unreachable") is None
    at = agency.later()
    found = Unreachable(reason="21614", at=at, evidence="entry-1")

    unreachable.note(agency.resources.log, COMPANY, ANN, "sms", found)

    assert agency.look(ref)["unreachable"] == {"reason": "21614", "since": at}


def test_an_erased_conversation_is_not_found(agency: Agency) -> None:
    ref = agency.begin()
    states.note(agency.resources.log, ref, erased_at=agency.later())

    assert agency.call("GET /conversations/{ref}", ref=ref).status == 404
    assert agency.on(ref, "take-over", {"agent_id": "carol"}).status == 404


# The log of a conversation


def test_a_log_is_read_newest_first_in_three_pages(agency: Agency) -> None:
    ref = agency.begin()
    entry_ids = [agency.says(ref, f"message {number}").entry_id for number in range(5)]

    pages: list[list[str]] = []
    before = None
    while not pages or before:
        query = {"limit": 2} | ({"before": before} if before else {})
        answer = agency.call("GET /conversations/{ref}/messages", query=query, ref=ref)
        pages.append([one["entry_id"] for one in answer.result["messages"]])
        before = answer.result.get("before")

    assert pages == [entry_ids[:2:-1], entry_ids[2:0:-1], entry_ids[:1]]


def test_a_message_shows_its_delivery_and_links_to_its_stored_files(agency: Agency) -> None:
    ref = agency.begin()
    file = {
        "name": "cv.pdf",
        "mime_type": "application/pdf",
        "url": "https://x",
        "key": f"conversations/{ref}/file-1",
    }
    agency.says(ref, "Long", content_key=f"conversations/{ref}/text-1", media=[file])
    agency.says(ref, "No", author="ai", delivery_status=Delivery.FAILED, error_code="30007")

    answer, question = agency.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]

    assert (answer["author"], answer["delivery_status"], answer["error_code"]) == (
        "ai",
        "failed",
        "30007",
    )
    assert f"conversations/{ref}/text-1" in question["whole_text"]["link"]
    (shown,) = question["media"]
    assert (shown["name"], shown["mime_type"]) == ("cv.pdf", "application/pdf")
    assert f"conversations/{ref}/file-1" in shown["download"]["link"]
    assert "https://x" not in json.dumps(question)


def test_the_log_of_one_conversation_holds_nothing_of_another(agency: Agency) -> None:
    ref, other = agency.begin(), agency.begin("req-2")
    agency.says(other, "Elsewhere")

    assert agency.call("GET /conversations/{ref}/messages", ref=ref).result == {"messages": []}
