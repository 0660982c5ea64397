"""One conversation, its log and its messages, as agents see them."""

from __future__ import annotations

import json

from conversations.lifecycle.status import Status
from conversations.store import states
from conversations.store.items.log import Delivery
from conversations.store.items.parts.due import DueKind
from conversations.store.items.turn import Stage, Turn, TurnKind
from conversations.store.recovery import due
from events.conversations import sample_data
from shared.identity.addresses import displayed
from shared.policy.consent import unreachable
from shared.policy.consent.unreachable import Unreachable
from tests.integration.conversations.harness import ANN, COMPANY, Harness
from tests.simulation.conversations.invocations import PERSON

# A single conversation


def test_a_conversation_shows_item_and_state_and_each_address_once(harness: Harness) -> None:
    ref = harness.begin(hand_off_to_human_reason="User requested agent", language="en")
    harness.says(ref, "Hello?")

    answer = harness.call("GET /conversations/{ref}", ref=ref)

    shown = answer.result
    assert json.dumps(shown).count("7700900123") == 1
    assert "conversation_id" not in shown
    assert shown["recipient"] == {
        "first_name": "Ann",
        "last_name": "Doe",
        "tel": ANN,
        "tel_text": displayed(ANN),
        "email": sample_data.CANDIDATE_EMAIL,
    }
    assert shown["project_data"] == {"jobRole": "Nurse", "rate": 17.5}
    assert (shown["conversation_status"], shown["mode"]) == ("reply_sent", "ai")
    assert shown["last_inbound_at"] == "2026-01-01T12:00:02.000Z"
    assert shown["task_complete"] is True


def test_a_running_turn_and_the_due_time_of_a_first_message_are_shown(harness: Harness) -> None:
    ref = harness.begin(status=Status.DEFERRED, task_complete=0)
    due.put(
        harness.resources.log,
        ref,
        DueKind.RESUME,
        harness.now[0] + 60_000,
        company="acme",
        reason="quiet_hours",
    )
    turn = Turn(
        turn_id="initial",
        kind=TurnKind.INITIAL,
        message_sk="MSG#2026-01-01T12:00:02.000Z#the-entry",
        generation=0,
        stage=Stage.CLAIMED,
        owner="worker",
        lease_until=harness.now[0],
    )
    states.claim(harness.resources.log, ref, harness.state(ref), turn)

    shown = harness.look(ref)

    assert shown["turn"] == {"entry_id": "the-entry", "kind": "initial", "stage": "claimed"}
    assert shown["resumes_at"] == "2026-01-01T12:01:01.000Z"


def test_changes_are_shown_newest_first_with_actor_and_reason(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", {PERSON: "carol"})
    harness.on(ref, "close", {PERSON: "dan", "force": True})

    newest, oldest = harness.look(ref)["changes"]

    assert (newest["who"], newest["from_status"], newest["to_status"]) == (
        "human:dan",
        "handoff_active",
        "closed",
    )
    assert (oldest["who"], oldest["reason"]) == ("human:carol", "taken_over")


def test_an_address_that_the_channel_does_not_reach_is_shown_with_the_reason(
    harness: Harness,
) -> None:
    ref = harness.begin()
    assert harness.look(ref).get("unreachable") is None
    at = harness.later()
    found = Unreachable(reason="21614", at=at, evidence="entry-1")

    unreachable.note(harness.resources.log, COMPANY, ANN, "sms", found)

    assert harness.look(ref)["unreachable"] == {"reason": "21614", "since": at}


def test_an_erased_conversation_is_not_found(harness: Harness) -> None:
    ref = harness.begin()
    states.note(harness.resources.log, ref, erased_at=harness.later())

    assert harness.call("GET /conversations/{ref}", ref=ref).status == 404
    assert harness.on(ref, "take-over", {PERSON: "carol"}).status == 404


# The log of a conversation


def test_a_log_is_read_newest_first_in_three_pages(harness: Harness) -> None:
    ref = harness.begin()
    entry_ids = [harness.says(ref, f"message {number}").entry_id for number in range(5)]

    pages: list[list[str]] = []
    before = None
    while not pages or before:
        query = {"limit": 2} | ({"before": before} if before else {})
        answer = harness.call("GET /conversations/{ref}/messages", query=query, ref=ref)
        pages.append([one["entry_id"] for one in answer.result["messages"]])
        before = answer.result.get("before")

    assert pages == [entry_ids[:2:-1], entry_ids[2:0:-1], entry_ids[:1]]


def test_a_message_shows_its_delivery_and_links_to_its_stored_files(harness: Harness) -> None:
    ref = harness.begin()
    file = {
        "name": "cv.pdf",
        "mime_type": "application/pdf",
        "url": "https://x",
        "key": f"conversations/{ref}/file-1",
    }
    harness.says(ref, "Long", content_key=f"conversations/{ref}/text-1", media=[file])
    harness.says(ref, "No", author="ai", delivery_status=Delivery.FAILED, error_code="30007")

    answer, question = harness.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]

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


def test_the_log_of_one_conversation_holds_nothing_of_another(harness: Harness) -> None:
    ref, other = harness.begin(), harness.begin("req-2")
    harness.says(other, "Elsewhere")

    assert harness.call("GET /conversations/{ref}/messages", ref=ref).result == {"messages": []}


def test_a_message_of_the_model_shows_what_it_used(harness: Harness) -> None:
    ref = harness.begin()
    harness.says(
        ref,
        "The night shift begins at ten.",
        author="ai",
        calls=2,
        functions=["search_documents"],
        answers={"shift": "night"},
        retrieved=[
            {"chunk_id": "chunk-1", "score": "0.8100", "cited": "true"},
            {"chunk_id": "chunk-2", "score": "0.4200"},
        ],
    )

    (logged,) = harness.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]

    assert (logged["calls"], logged["functions"]) == (2, ["search_documents"])
    assert logged["answers"] == {"shift": "night"}
    assert logged["sources"] == [
        {"chunk_id": "chunk-1", "score": "0.8100", "cited": True},
        {"chunk_id": "chunk-2", "score": "0.4200", "cited": False},
    ]
