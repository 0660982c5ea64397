"""Agents release drafts, first messages and functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle.status import Status
from conversations.outbound.compose.proposals import sk_of
from conversations.store import states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Delivery, Mode
from conversations.store.items.proposal import Proposal, Verdict
from tests.integration.conversations.agency import SMS, Agency

if TYPE_CHECKING:
    from conversations.store.items.log import Message


# Release


@pytest.mark.parametrize("status", ["handoff_pending", "blocked", "failed", "deferred"])
def test_a_held_first_message_is_released(agency: Agency, status: str) -> None:
    ref = agency.begin(status=Status(status), task_complete=0)

    answer = agency.on(ref, "release", {"agent_id": "carol"})

    assert (answer.status, answer.result) == (202, {"ref": ref})
    (record,) = agency.queued(SMS)
    assert (record["type"], record["ref"], record["agent_id"]) == ("release", ref, "carol")
    assert "text" not in record


def test_a_first_message_is_released_with_the_agents_text(agency: Agency) -> None:
    ref = agency.begin(status=Status.HANDOFF_PENDING, task_complete=0)

    answer = agency.on(ref, "release", {"text": "Hello Ann", "agent_id": "carol"})

    (record,) = agency.queued(SMS)
    assert (record["type"], record["text"]) == ("release", "Hello Ann")
    action = identifiers.action_id(ref, f"human:{record['cause']}")
    assert answer.result["entry_id"] == identifiers.entry_id(action)


@pytest.mark.parametrize(
    ("status", "task_complete"), [("reply_sent", 1), ("handoff_pending", 1), ("failed", 1)]
)
def test_a_sent_first_message_cannot_be_released(
    agency: Agency, status: str, task_complete: int
) -> None:
    ref = agency.begin(status=Status(status), task_complete=task_complete)

    answer = agency.on(ref, "release")

    assert (answer.status, answer.error) == (409, "nothing_to_release")
    assert agency.sqs.put == []


def test_a_release_is_refused_in_a_colleagues_or_an_ended_conversation(agency: Agency) -> None:
    taken = agency.begin("req-1", Status.HANDOFF_ACTIVE, owner="carol", task_complete=0)
    closed = agency.begin("req-2", Status.CLOSED, task_complete=0)

    assert agency.on(taken, "release", {"agent_id": "dan"}).error == "already_taken"
    assert agency.on(closed, "release").error == "not_open"


def test_an_unsent_draft_is_released_in_the_releasing_agents_name(agency: Agency) -> None:
    ref = agency.begin()
    draft = agency.says(ref, "We start at 9", author="ai", delivery_status=Delivery.DISCARDED)

    answer = agency.on(ref, "release", {"draft_entry_id": draft.entry_id, "agent_id": "carol"})

    (record,) = agency.queued(SMS)
    assert (record["type"], record["text"], record["agent_id"]) == (
        "human_message",
        "We start at 9",
        "carol",
    )
    assert answer.result["entry_id"] != draft.entry_id
    assert agency.standing(ref) == ("handoff_active", Mode.HUMAN, "carol")


def test_a_draft_may_be_released_with_another_text(agency: Agency) -> None:
    ref = agency.begin()
    draft = agency.says(ref, "We start at 9", author="ai", delivery_status=Delivery.BLOCKED)

    agency.on(ref, "release", {"draft_entry_id": draft.entry_id, "text": "We start at 10"})

    assert agency.queued(SMS)[0]["text"] == "We start at 10"


def test_a_template_draft_is_released_as_a_template(agency: Agency) -> None:
    ref = agency.begin(channel=ChannelMethod.WHATSAPP)
    values = {"question": "Can you start in May?"}
    draft = agency.says(
        ref,
        "Hello Ann",
        author="ai",
        delivery_status=Delivery.DISCARDED,
        template="invitation",
        variables=values,
    )

    agency.on(ref, "release", {"draft_entry_id": draft.entry_id})

    (record,) = agency.queued("ConversationsWhatsAppQueue")
    assert (record["template"], record["variables"]) == ("invitation", values)


def test_a_draft_that_exceeds_the_current_length_limit_is_not_released(agency: Agency) -> None:
    ref = agency.begin()
    draft = agency.says(ref, "We start at 9", author="ai", delivery_status=Delivery.BLOCKED)
    agency.set_up(rate_limits={"max_message_length": 10})

    answer = agency.on(ref, "release", {"draft_entry_id": draft.entry_id})
    in_other_words = agency.on(ref, "release", {"draft_entry_id": draft.entry_id, "text": "At 9"})

    assert answer.problems == {"draft_entry_id": "must have at most 10 characters"}
    assert in_other_words.status == 202


@pytest.mark.parametrize("status", [Delivery.DELIVERED, Delivery.UNKNOWN, Delivery.DRAFT])
def test_a_message_that_was_or_may_have_been_sent_is_no_draft(
    agency: Agency, status: Delivery
) -> None:
    ref = agency.begin()
    sent = agency.says(ref, "We start at 9", author="ai", delivery_status=status)

    answer = agency.on(ref, "release", {"draft_entry_id": sent.entry_id})

    assert list(answer.problems) == ["draft_entry_id"]
    assert agency.sqs.put == []


def waiting(agency: Agency, **facts: Any) -> tuple[str, Message]:
    """A conversation with a function that needs approval."""
    ref = agency.begin(status=Status.HANDOFF_PENDING, hand_off_to_human=True)
    known: dict[str, Any] = {
        "kind": "function",
        "delivery_status": Delivery.BLOCKED,
        "error_code": "function_approval",
        "turn_id": "reply:MSG#x",
        "proposal": Proposal(call_id="call-1", name="book_slot", arguments='{"day":"Monday"}'),
    }
    message = agency.says(ref, "[book_slot]", author="ai", **(known | facts))
    states.note(agency.resources.log, ref, waits_for_approval=sk_of(message))
    return ref, message


# Functions


@pytest.mark.parametrize("is_named", [True, False])
def test_a_waiting_function_is_released_by_its_draft_id_or_without_one(
    agency: Agency, *, is_named: bool
) -> None:
    ref, message = waiting(agency)

    body = {"draft_entry_id": message.entry_id} if is_named else {}
    answer = agency.on(ref, "release", {"agent_id": "carol", **body})

    assert (answer.status, answer.result) == (202, {"ref": ref})
    (record,) = agency.queued(SMS)
    assert (record["type"], record["function_sk"], record["agent_id"]) == (
        "release",
        sk_of(message),
        "carol",
    )


def test_a_function_that_needs_approval_is_shown_in_the_conversation_and_its_log(
    agency: Agency,
) -> None:
    ref, message = waiting(agency)

    shown = agency.look(ref)["waits_for_approval"]
    (logged,) = agency.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]

    function = {"name": "book_slot", "arguments": {"day": "Monday"}}
    assert shown == {"entry_id": message.entry_id, **function}
    assert (logged["kind"], logged["function"]) == ("function", function)


def test_a_text_is_refused_in_the_release_of_a_function(agency: Agency) -> None:
    ref, message = waiting(agency)

    answer = agency.on(ref, "release", {"draft_entry_id": message.entry_id, "text": "Book it"})

    assert list(answer.problems) == ["text"]
    assert agency.sqs.put == []


def test_a_decided_function_is_not_released(agency: Agency) -> None:
    ref, message = waiting(agency)
    agency.on(ref, "hand-back", {})

    answer = agency.on(ref, "release", {"draft_entry_id": message.entry_id})

    assert (answer.status, answer.error) == (409, "nothing_to_release")
    assert agency.sqs.put == []


def test_a_hand_back_refuses_the_function_that_waits(agency: Agency) -> None:
    ref, message = waiting(agency)

    agency.on(ref, "hand-back", {"agent_id": "carol"})

    state, proposal = agency.state(ref), agency.message(ref, message).proposal
    assert proposal is not None
    assert proposal.verdict is Verdict.REFUSED
    assert (state.waits_for_approval, state.to_tell) == (None, {sk_of(message)})


def test_a_hand_back_does_not_refuse_a_function_that_was_just_released(agency: Agency) -> None:
    ref, message = waiting(agency)
    seen, sk = agency.state(ref), sk_of(message)
    taken = ("waits_for_approval",)
    states.set_mode(
        agency.resources.log, ref, seen.mode, seen=seen, drop=taken, into={"being_done": [sk]}
    )

    agency.on(ref, "hand-back", {"agent_id": "carol"})

    state, proposal = agency.state(ref), agency.message(ref, message).proposal
    assert proposal is not None
    assert proposal.verdict is None
    assert (state.being_done, state.to_tell) == ({sk}, set())
    assert agency.look(ref)["waits_for_approval"]["entry_id"] == message.entry_id
