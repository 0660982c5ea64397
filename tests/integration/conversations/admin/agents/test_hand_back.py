"""Agents hand a conversation back, close it and reopen it."""

from __future__ import annotations

from typing import Any

import pytest

from conversations.api.agents import agent_actions
from conversations.lifecycle import transitions
from conversations.lifecycle.status import Status
from conversations.store import states
from conversations.store.items.log import Delivery, Mode
from shared.events.versions import VERSION
from tests.integration.conversations.harness import CAROL, DAN, SMS, Harness

REPLIES = "ConversationsRepliesQueue"


BEFORE = "MSG#2025-12-31T12:00:00.000Z#x"


def handed_back(harness: Harness, ref: str, *, answer_pending: bool = False) -> None:
    answer = harness.on(ref, "hand-back", CAROL | {"answer_pending": answer_pending})
    assert answer.status == 200, answer.body


# Hand back


def test_a_hand_back_marks_all_messages_so_far_as_answered(harness: Harness) -> None:
    ref = harness.begin(status=Status.HANDOFF_PENDING, hand_off_to_human=True)
    harness.says(ref, "Hello", author="ai")
    newest = harness.says(ref, "I want a person")
    harness.on(ref, "take-over", CAROL)
    fence = harness.state(ref).generation

    handed_back(harness, ref)

    state = harness.state(ref)
    assert state.answered_up_to == newest.sk(newest.message_timestamp, newest.entry_id)
    assert (state.generation, state.mode, state.owner) == (fence + 1, Mode.AI, None)
    assert harness.queued(REPLIES) == []
    assert harness.item(ref).hand_off_to_human is False
    assert harness.changes(ref)[-1].who == "human:carol"


def test_the_model_answers_pending_messages_if_the_hand_back_requests_it(harness: Harness) -> None:
    ref = harness.begin(status=Status.HANDOFF_ACTIVE, owner="carol", answered_up_to=BEFORE)
    newest = harness.says(ref, "Are you there?")

    handed_back(harness, ref, answer_pending=True)

    assert harness.state(ref).answered_up_to == BEFORE
    (trigger,) = harness.queued(REPLIES)
    assert trigger == {
        "type": "reply_trigger",
        "v": 1,
        "ref": ref,
        "message_sk": newest.sk(newest.message_timestamp, newest.entry_id),
    }


def test_a_message_that_arrives_during_a_hand_back_is_answered(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stored while agents own the conversation, so intake requests no answer."""
    ref = harness.begin(status=Status.HANDOFF_ACTIVE, owner="carol")
    harness.says(ref, "First")
    given_back, late = states.set_mode, []

    def message_arrives_first(*args: object, **facts: object) -> object:
        late.append(harness.says(ref, "Second"))
        return given_back(*args, **facts)  # type: ignore[arg-type] # passed on unchanged

    monkeypatch.setattr(states, "set_mode", message_arrives_first)
    handed_back(harness, ref)

    (trigger,) = harness.queued(REPLIES)
    assert trigger["message_sk"].endswith(late[0].entry_id)
    assert harness.state(ref).answered_up_to != trigger["message_sk"]


@pytest.mark.parametrize(
    ("facts", "is_answered"),
    [
        ({}, True),
        ({"kind": "reaction"}, False),
        ({"extra": {"auto_answer_allowed": False}}, False),
    ],
)
def test_a_hand_back_requests_no_answer_to_reactions_and_automatic_messages(
    harness: Harness, facts: dict[str, Any], is_answered: bool
) -> None:
    ref = harness.begin(status=Status.HANDOFF_ACTIVE, owner="carol")
    harness.says(ref, "👍", **facts)

    handed_back(harness, ref, answer_pending=True)

    assert bool(harness.queued(REPLIES)) is is_answered


@pytest.mark.parametrize(
    ("log_entries", "task_complete", "expected"),
    [
        ([("ai", None), ("customer", None), ("ai", None)], 1, "reply_sent"),
        ([("ai", None), ("customer", None), ("human:carol", None)], 1, "reply_sent"),
        ([("ai", None), ("customer", None), ("human:external", "none")], 1, "reply_sent"),
        ([("ai", None), ("customer", None), ("ai", Delivery.FAILED)], 1, "initial_message_sent"),
        ([("ai", None), ("customer", None)], 1, "initial_message_sent"),
        ([("ai", None)], 1, "initial_message_sent"),
        ([("human:carol", None)], 0, "initial_message_sent"),
        ([("ai", Delivery.DISCARDED)], 0, "processing"),
        ([], 0, "processing"),
        ([("customer", None)], 0, "processing"),
    ],
)
def test_a_hand_back_sets_the_status_that_matches_the_progress_of_the_conversation(
    harness: Harness, log_entries: list[tuple[str, str | None]], task_complete: int, expected: str
) -> None:
    ref = harness.begin(status=Status.HANDOFF_ACTIVE, owner="carol", task_complete=task_complete)
    for number, (author, status) in enumerate(log_entries):
        facts: dict[str, Any] = {} if status is None else {"delivery_status": status}
        facts = {"delivery_status": None} if status == "none" else facts
        harness.says(ref, f"message {number}", author=author, **facts)

    handed_back(harness, ref)

    assert harness.standing(ref) == (expected, Mode.AI, None)


def test_a_hand_back_processes_an_unsent_first_message_again(harness: Harness) -> None:
    ref_of_request = harness.begin("req-1", Status.HANDOFF_ACTIVE, owner="carol", task_complete=0)
    by_customer = harness.begin(
        "in-1", Status.HANDOFF_ACTIVE, owner="carol", task_complete=0, context_hash="in-"
    )

    handed_back(harness, ref_of_request)
    handed_back(harness, by_customer)

    assert harness.queued(SMS) == [{"v": VERSION, "type": "resume", "ref": ref_of_request}]


def test_a_hand_back_of_a_conversation_of_the_model_changes_nothing(harness: Harness) -> None:
    ref = harness.begin()
    fence = harness.state(ref).generation

    handed_back(harness, ref)

    assert harness.standing(ref) == ("reply_sent", Mode.AI, None)
    assert (harness.state(ref).generation, harness.changes(ref)) == (fence, [])


def test_an_agent_hands_back_only_their_own_conversations(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", CAROL)

    assert harness.on(ref, "hand-back", DAN).error == "already_taken"
    assert harness.on(ref, "hand-back", CAROL).status == 200
    assert harness.on(ref, "take-over", DAN).status == 200


def test_a_hand_back_interrupted_after_the_fence_is_finished_by_its_repetition(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ref = harness.begin(status=Status.HANDOFF_ACTIVE, owner="carol")
    harness.says(ref, "Hello", author="ai")

    def dies(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(agent_actions, "move", dies)
    assert harness.on(ref, "hand-back", CAROL, key="hand-back-1").status == 500
    monkeypatch.setattr(agent_actions, "move", transitions.move)

    assert harness.on(ref, "hand-back", CAROL, key="hand-back-1").status == 200
    assert harness.standing(ref) == ("initial_message_sent", Mode.AI, None)


# Close and reopen


def test_a_closed_conversation_is_removed_from_the_open_list_and_added_when_reopened(
    harness: Harness,
) -> None:
    ref = harness.begin(status=Status.INITIAL_MESSAGE_SENT)

    closed = harness.on(ref, "close", CAROL)
    assert (closed.result["conversation_status"], closed.result["mode"]) == ("closed", "closed")
    assert harness.call("GET /conversations").refs == []

    opened = harness.on(ref, "reopen", DAN)
    assert opened.result["conversation_status"] == "initial_message_sent"
    assert harness.call("GET /conversations").refs == [ref]
    assert [change.who for change in harness.changes(ref)] == ["human:carol", "human:dan"]
    assert harness.standing(ref)[1] is Mode.AI


def test_reopening_restores_the_agent_who_owned_the_closed_conversation(harness: Harness) -> None:
    ref = harness.begin()
    harness.on(ref, "take-over", CAROL)
    harness.on(ref, "close", DAN)

    harness.on(ref, "reopen", DAN)

    assert harness.standing(ref) == ("handoff_active", Mode.HUMAN, "carol")


def test_reopening_restores_a_pending_hand_off_with_its_reason(harness: Harness) -> None:
    ref = harness.begin(
        status=Status.HANDOFF_PENDING,
        hand_off_to_human=True,
        hand_off_to_human_reason="User requested agent",
    )
    harness.on(ref, "close")

    harness.on(ref, "reopen")

    assert harness.standing(ref)[:2] == ("handoff_pending", Mode.HUMAN)
    assert harness.item(ref).hand_off_to_human_reason == "User requested agent"


def test_closing_a_closed_and_reopening_an_open_conversation_changes_nothing(
    harness: Harness,
) -> None:
    ref = harness.begin()
    assert harness.on(ref, "reopen").status == 200
    assert harness.changes(ref) == []

    harness.on(ref, "close")
    assert harness.on(ref, "close").status == 200
    assert len(harness.changes(ref)) == 1


def test_an_opted_out_conversation_is_neither_closed_nor_reopened(harness: Harness) -> None:
    ref = harness.begin(status=Status.OPTED_OUT)

    assert harness.on(ref, "close").error == "not_open"
    assert harness.on(ref, "reopen").error == "not_open"
    assert harness.item(ref).conversation_status == "opted_out"


def test_reopening_processes_a_held_first_message_again(harness: Harness) -> None:
    ref = harness.begin(status=Status.DEFERRED, task_complete=0)
    harness.on(ref, "close")

    harness.on(ref, "reopen")

    assert harness.queued(SMS) == [{"v": VERSION, "type": "resume", "ref": ref}]
