"""Agents release drafts, first messages and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle.status import Status
from conversations.outbound.compose.functions.proposals import sk_of
from conversations.store import states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Delivery, Mode
from conversations.store.items.proposal import Proposal, Verdict
from tests.integration.conversations.harness import SMS, Harness
from tests.simulation.conversations.invocations import PERSON

if TYPE_CHECKING:
    from conversations.store.items.log import Message


# Release


@pytest.mark.parametrize("status", ["handoff_pending", "blocked", "failed", "deferred"])
def test_a_held_first_message_is_released(harness: Harness, status: str) -> None:
    ref = harness.begin(status=Status(status), task_complete=0)

    answer = harness.on(ref, "release", {PERSON: "carol"})

    assert (answer.status, answer.result) == (202, {"ref": ref})
    (record,) = harness.queued(SMS)
    assert (record["type"], record["ref"], record["agent_id"]) == ("release", ref, "carol")
    assert "text" not in record


def test_a_first_message_is_released_with_the_agents_text(harness: Harness) -> None:
    ref = harness.begin(status=Status.HANDOFF_PENDING, task_complete=0)

    answer = harness.on(ref, "release", {"text": "Hello Ann", PERSON: "carol"})

    (record,) = harness.queued(SMS)
    assert (record["type"], record["text"]) == ("release", "Hello Ann")
    action = identifiers.action_id(ref, f"human:{record['cause']}")
    assert answer.result["entry_id"] == identifiers.entry_id(action)


@pytest.mark.parametrize(
    ("status", "task_complete"), [("reply_sent", 1), ("handoff_pending", 1), ("failed", 1)]
)
def test_a_sent_first_message_cannot_be_released(
    harness: Harness, status: str, task_complete: int
) -> None:
    ref = harness.begin(status=Status(status), task_complete=task_complete)

    answer = harness.on(ref, "release")

    assert (answer.status, answer.error) == (409, "nothing_to_release")
    assert harness.sqs.put == []


def test_a_release_is_refused_in_a_colleagues_or_an_ended_conversation(harness: Harness) -> None:
    taken = harness.begin("req-1", Status.HANDOFF_ACTIVE, owner="carol", task_complete=0)
    closed = harness.begin("req-2", Status.CLOSED, task_complete=0)

    assert harness.on(taken, "release", {PERSON: "dan"}).error == "already_taken"
    assert harness.on(closed, "release").error == "not_open"


def test_an_unsent_draft_is_released_in_the_releasing_agents_name(harness: Harness) -> None:
    ref = harness.begin()
    draft = harness.says(ref, "We start at 9", author="ai", delivery_status=Delivery.DISCARDED)

    answer = harness.on(ref, "release", {"draft_entry_id": draft.entry_id, PERSON: "carol"})

    (record,) = harness.queued(SMS)
    assert (record["type"], record["text"], record["agent_id"]) == (
        "human_message",
        "We start at 9",
        "carol",
    )
    assert answer.result["entry_id"] != draft.entry_id
    assert harness.standing(ref) == ("handoff_active", Mode.HUMAN, "carol")


def test_a_draft_may_be_released_with_another_text(harness: Harness) -> None:
    ref = harness.begin()
    draft = harness.says(ref, "We start at 9", author="ai", delivery_status=Delivery.BLOCKED)

    harness.on(ref, "release", {"draft_entry_id": draft.entry_id, "text": "We start at 10"})

    assert harness.queued(SMS)[0]["text"] == "We start at 10"


def test_a_draft_that_two_agents_release_is_one_message(harness: Harness) -> None:
    ref = harness.begin()
    draft = harness.says(ref, "We start at 9", author="ai", delivery_status=Delivery.DISCARDED)
    body = {"draft_entry_id": draft.entry_id, "force": True}

    first = harness.on(ref, "release", {**body, PERSON: "carol"})
    second = harness.on(ref, "release", {**body, PERSON: "dan"})

    assert first.result["entry_id"] == second.result["entry_id"]
    (record,) = harness.queued(SMS)
    assert record["agent_id"] == "carol"


def test_a_draft_that_was_sent_is_not_released_with_another_text(harness: Harness) -> None:
    ref = harness.begin()
    draft = harness.says(ref, "We start at 9", author="ai", delivery_status=Delivery.DISCARDED)
    sent = harness.on(ref, "release", {"draft_entry_id": draft.entry_id}).result["entry_id"]
    harness.says(ref, "We start at 9", author="human:carol", entry_id=sent)

    other = harness.on(ref, "release", {"draft_entry_id": draft.entry_id, "text": "At 10"})

    assert (other.status, other.error) == (409, "nothing_to_release")


def test_a_template_draft_is_released_as_a_template(harness: Harness) -> None:
    ref = harness.begin(channel=ChannelMethod.WHATSAPP)
    values = {"question": "Can you start in May?"}
    draft = harness.says(
        ref,
        "Hello Ann",
        author="ai",
        delivery_status=Delivery.DISCARDED,
        template="invitation",
        variables=values,
    )

    harness.on(ref, "release", {"draft_entry_id": draft.entry_id})

    (record,) = harness.queued("ConversationsAgentsQueue")
    assert (record["template"], record["variables"]) == ("invitation", values)


def test_a_draft_that_exceeds_the_current_length_limit_is_not_released(harness: Harness) -> None:
    ref = harness.begin()
    draft = harness.says(ref, "We start at 9", author="ai", delivery_status=Delivery.BLOCKED)
    harness.set_up(rate_limits={"max_message_length": 10})

    answer = harness.on(ref, "release", {"draft_entry_id": draft.entry_id})
    in_other_words = harness.on(ref, "release", {"draft_entry_id": draft.entry_id, "text": "At 9"})

    assert answer.problems == {"draft_entry_id": "must have at most 10 characters"}
    assert in_other_words.status == 202


@pytest.mark.parametrize("status", [Delivery.DELIVERED, Delivery.UNKNOWN, Delivery.DRAFT])
def test_a_message_that_was_or_may_have_been_sent_is_no_draft(
    harness: Harness, status: Delivery
) -> None:
    ref = harness.begin()
    sent = harness.says(ref, "We start at 9", author="ai", delivery_status=status)

    answer = harness.on(ref, "release", {"draft_entry_id": sent.entry_id})

    assert list(answer.problems) == ["draft_entry_id"]
    assert harness.sqs.put == []


def waiting(harness: Harness, **facts: Any) -> tuple[str, Message]:
    """A conversation with a function that needs approval."""
    ref = harness.begin(status=Status.HANDOFF_PENDING, hand_off_to_human=True)
    known: dict[str, Any] = {
        "kind": "function",
        "delivery_status": Delivery.BLOCKED,
        "error_code": "function_approval",
        "turn_id": "reply:MSG#x",
        "proposal": Proposal(call_id="call-1", name="book_slot", arguments='{"day":"Monday"}'),
    }
    message = harness.says(ref, "[book_slot]", author="ai", **(known | facts))
    states.note(harness.resources.log, ref, waits_for_approval=sk_of(message))
    return ref, message


# Functions


@pytest.mark.parametrize("is_named", [True, False])
def test_a_waiting_function_is_released_by_its_draft_id_or_without_one(
    harness: Harness, *, is_named: bool
) -> None:
    ref, message = waiting(harness)

    body = {"draft_entry_id": message.entry_id} if is_named else {}
    answer = harness.on(ref, "release", {PERSON: "carol", **body})

    assert (answer.status, answer.result) == (202, {"ref": ref})
    (record,) = harness.queued(SMS)
    assert (record["type"], record["function_sk"], record["agent_id"]) == (
        "release",
        sk_of(message),
        "carol",
    )


def test_a_function_that_needs_approval_is_shown_in_the_conversation_and_its_log(
    harness: Harness,
) -> None:
    ref, message = waiting(harness)

    shown = harness.look(ref)["waits_for_approval"]
    (logged,) = harness.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]

    function = {"name": "book_slot", "arguments": {"day": "Monday"}}
    assert shown == {"entry_id": message.entry_id, **function}
    assert (logged["kind"], logged["function"]) == ("function", function)


def test_a_decided_function_names_who_decided(harness: Harness) -> None:
    ref, _ = waiting(harness)
    harness.on(ref, "hand-back", {PERSON: "carol"})

    (logged,) = harness.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]

    decision = {name: logged["function"][name] for name in ("verdict", "decided_by")}
    assert decision == {"verdict": "refused", "decided_by": "human:carol"}


def test_a_text_is_refused_in_the_release_of_a_function(harness: Harness) -> None:
    ref, message = waiting(harness)

    answer = harness.on(ref, "release", {"draft_entry_id": message.entry_id, "text": "Book it"})

    assert list(answer.problems) == ["text"]
    assert harness.sqs.put == []


def test_a_decided_function_is_not_released(harness: Harness) -> None:
    ref, message = waiting(harness)
    harness.on(ref, "hand-back", {})

    answer = harness.on(ref, "release", {"draft_entry_id": message.entry_id})

    assert (answer.status, answer.error) == (409, "nothing_to_release")
    assert harness.sqs.put == []


def test_a_hand_back_refuses_the_function_that_waits(harness: Harness) -> None:
    ref, message = waiting(harness)

    harness.on(ref, "hand-back", {PERSON: "carol"})

    state, proposal = harness.state(ref), harness.message(ref, message).proposal
    assert proposal is not None
    assert proposal.verdict is Verdict.REFUSED
    assert (state.waits_for_approval, state.to_tell) == (None, {sk_of(message)})


def test_a_hand_back_does_not_refuse_a_function_that_was_just_released(harness: Harness) -> None:
    ref, message = waiting(harness)
    seen, sk = harness.state(ref), sk_of(message)
    taken = ("waits_for_approval",)
    states.set_mode(
        harness.resources.log, ref, seen.mode, seen=seen, drop=taken, into={"being_done": [sk]}
    )

    harness.on(ref, "hand-back", {PERSON: "carol"})

    state, proposal = harness.state(ref), harness.message(ref, message).proposal
    assert proposal is not None
    assert proposal.verdict is None
    assert (state.being_done, state.to_tell) == ({sk}, set())
    assert harness.look(ref)["waits_for_approval"]["entry_id"] == message.entry_id
