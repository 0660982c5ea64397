"""What people let go, and what they say became of messages whose outcome nobody knew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations import judging, references, settling
from conversations.items.conversation import ChannelMethod
from conversations.items.log import Delivery, Mode
from conversations.items.proposal import Proposal, Verdict
from conversations.lifecycle import Status
from conversations.proposals import sk_of
from conversations.store import messages, states
from shared.delivery import Action, OnDoubt
from shared.delivery import State as Sending
from shared.queues import digest
from tests.integration.conversations.agency import COMPANY, Agency, Answer

if TYPE_CHECKING:
    from conversations.items.log import Message

SMS = "ConversationsSmsQueue"


# Release


@pytest.mark.parametrize("status", ["handoff_pending", "blocked", "failed", "deferred"])
def test_a_first_message_that_was_held_back_is_let_go(agency: Agency, status: str) -> None:
    ref = agency.begin(status=Status(status), task_complete=0)

    answer = agency.on(ref, "release", {"agent_id": "carol"})

    assert (answer.status, answer.result) == (202, {"ref": ref})
    (record,) = agency.queued(SMS)
    assert (record["type"], record["ref"], record["agent_id"]) == ("release", ref, "carol")
    assert "text" not in record


def test_a_first_message_is_let_go_in_a_persons_words(agency: Agency) -> None:
    ref = agency.begin(status=Status.HANDOFF_PENDING, task_complete=0)

    answer = agency.on(ref, "release", {"text": "Hello Ann", "agent_id": "carol"})

    (record,) = agency.queued(SMS)
    assert (record["type"], record["text"]) == ("release", "Hello Ann")
    action = references.action_id(ref, f"human:{record['cause']}")
    assert answer.result["entry_id"] == references.entry_id(action)


@pytest.mark.parametrize(
    ("status", "task_complete"), [("reply_sent", 1), ("handoff_pending", 1), ("failed", 1)]
)
def test_there_is_nothing_to_release_once_the_first_message_was_sent(
    agency: Agency, status: str, task_complete: int
) -> None:
    ref = agency.begin(status=Status(status), task_complete=task_complete)

    answer = agency.on(ref, "release")

    assert (answer.status, answer.error) == (409, "NOTHING_TO_RELEASE")
    assert agency.sqs.put == []


def test_nobody_releases_what_a_colleague_has_or_what_is_over(agency: Agency) -> None:
    taken = agency.begin("req-1", Status.HANDOFF_ACTIVE, owner="carol", task_complete=0)
    closed = agency.begin("req-2", Status.CLOSED, task_complete=0)

    assert agency.on(taken, "release", {"agent_id": "dan"}).error == "ALREADY_TAKEN"
    assert agency.on(closed, "release").error == "NOT_OPEN"


def test_a_draft_that_was_not_sent_is_let_go_in_the_name_of_who_does(agency: Agency) -> None:
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


def test_a_draft_may_be_let_go_in_other_words(agency: Agency) -> None:
    ref = agency.begin()
    draft = agency.says(ref, "We start at 9", author="ai", delivery_status=Delivery.BLOCKED)

    agency.on(ref, "release", {"draft_entry_id": draft.entry_id, "text": "We start at 10"})

    assert agency.queued(SMS)[0]["text"] == "We start at 10"


def test_a_draft_of_a_template_is_let_go_as_one(agency: Agency) -> None:
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


def test_a_draft_that_is_too_long_by_now_stays(agency: Agency) -> None:
    ref = agency.begin()
    draft = agency.says(ref, "We start at 9", author="ai", delivery_status=Delivery.BLOCKED)
    agency.set_up(rate_limits={"max_message_length": 10})

    answer = agency.on(ref, "release", {"draft_entry_id": draft.entry_id})
    in_other_words = agency.on(ref, "release", {"draft_entry_id": draft.entry_id, "text": "At 9"})

    assert answer.problems == {"draft_entry_id": "must have at most 10 characters"}
    assert in_other_words.status == 202


@pytest.mark.parametrize("status", [Delivery.DELIVERED, Delivery.UNKNOWN, Delivery.DRAFT])
def test_what_was_sent_or_may_have_been_is_no_draft(agency: Agency, status: Delivery) -> None:
    ref = agency.begin()
    sent = agency.says(ref, "We start at 9", author="ai", delivery_status=status)

    answer = agency.on(ref, "release", {"draft_entry_id": sent.entry_id})

    assert list(answer.problems) == ["draft_entry_id"]
    assert agency.sqs.put == []


# Functions


def waiting(agency: Agency, **facts: Any) -> tuple[str, Message]:
    """A conversation in which a function waits for people."""
    ref = agency.begin(status=Status.HANDOFF_PENDING, hand_off_to_human=True)
    known: dict[str, Any] = {
        "kind": "function",
        "delivery_status": Delivery.BLOCKED,
        "error_code": "function_approval",
        "turn_id": "reply:MSG#x",
        "proposal": Proposal(call_id="call-1", name="book_slot", arguments='{"day":"Monday"}'),
    }
    message = agency.says(ref, "[book_slot]", author="ai", **(known | facts))
    states.note(agency.here.log, ref, waits_for_approval=sk_of(message))
    return ref, message


@pytest.mark.parametrize("is_named", [True, False])
def test_a_function_that_waits_is_let_go_by_its_draft_or_as_the_only_thing_that_waits(
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


def test_a_function_shows_where_people_look(agency: Agency) -> None:
    ref, message = waiting(agency)

    shown = agency.look(ref)["waits_for_approval"]
    (logged,) = agency.call("GET /conversations/{ref}/messages", ref=ref).result["messages"]

    function = {"name": "book_slot", "arguments": {"day": "Monday"}}
    assert shown == {"entry_id": message.entry_id, **function}
    assert (logged["kind"], logged["function"]) == ("function", function)


def test_nobody_puts_words_into_a_function(agency: Agency) -> None:
    ref, message = waiting(agency)

    answer = agency.on(ref, "release", {"draft_entry_id": message.entry_id, "text": "Book it"})

    assert list(answer.problems) == ["text"]
    assert agency.sqs.put == []


def test_a_function_that_was_decided_about_is_not_let_go(agency: Agency) -> None:
    ref, message = waiting(agency)
    agency.on(ref, "hand-back", {})

    answer = agency.on(ref, "release", {"draft_entry_id": message.entry_id})

    assert (answer.status, answer.error) == (409, "NOTHING_TO_RELEASE")
    assert agency.sqs.put == []


def test_a_hand_back_refuses_the_function_that_waits(agency: Agency) -> None:
    ref, message = waiting(agency)

    agency.on(ref, "hand-back", {"agent_id": "carol"})

    state, proposal = agency.state(ref), agency.message(ref, message).proposal
    assert proposal is not None
    assert proposal.verdict is Verdict.REFUSED
    assert (state.waits_for_approval, state.untold) == (None, sk_of(message))


def test_a_hand_back_does_not_refuse_what_a_person_has_just_released(agency: Agency) -> None:
    ref, message = waiting(agency)
    states.note(agency.here.log, ref, approved_by="somebody")

    agency.on(ref, "hand-back", {"agent_id": "carol"})

    state, proposal = agency.state(ref), agency.message(ref, message).proposal
    assert proposal is not None
    assert proposal.verdict is None
    assert (state.waits_for_approval, state.untold) == (sk_of(message), None)


# Resolve


def in_doubt(agency: Agency, ref: str, turn_id: str, author: str = "ai", **facts: Any) -> Message:
    """A message whose outcome nobody knows, in the log and in the ledger."""
    action_id = references.action_id(ref, turn_id)
    message = agency.says(
        ref,
        "We have you down for May",
        author=author,
        entry_id=references.entry_id(action_id),
        turn_id=turn_id,
        delivery_status=Delivery.UNKNOWN,
        error_code="unknown" if turn_id == "initial" else "send_in_doubt",
        **facts,
    )
    action = Action(
        action_id=action_id,
        company=COMPANY,
        channel="sms",
        provider="twilio",
        on_doubt=OnDoubt.AT_MOST_ONCE,
        state=Sending.UNKNOWN,
    )
    stored = action.model_dump(by_alias=True, exclude_none=True, mode="json")
    agency.here.log.put({**agency.here.ledger._key_of(action_id), **stored})
    return message


def resolved(agency: Agency, ref: str, message: Message, outcome: str, **more: Any) -> Answer:
    body = {"entry_id": message.entry_id, "outcome": outcome, "agent_id": "carol"}
    return agency.on(ref, "resolve", body, **more)


def ledger(agency: Agency, ref: str, message: Message) -> Sending:
    action = agency.here.ledger.action(references.action_id(ref, message.turn_id or ""))
    assert action is not None
    return Sending(action.state)


def test_an_answer_that_arrived_is_confirmed_and_in_the_window(agency: Agency) -> None:
    ref = agency.begin(status=Status.HANDOFF_PENDING, hand_off_to_human=True)
    question = agency.says(ref, "When?")
    at = question.sk(question.message_timestamp, question.entry_id)
    message = in_doubt(agency, ref, f"reply:{at}")

    answer = resolved(agency, ref, message, "sent")

    assert answer.result == {"ref": ref, "entry_id": message.entry_id, "delivery_status": "sent"}
    known = agency.message(ref, message)
    assert (known.delivery_status, known.error_code) == (Delivery.SENT, None)
    assert ledger(agency, ref, message) is Sending.CONFIRMED
    assert [entry.entry_id for entry in agency.item(ref).messages] == [
        question.entry_id,
        message.entry_id,
    ]
    assert agency.state(ref).last_outbound_at == message.message_timestamp
    # A person gives it back when they think so.
    assert agency.standing(ref)[:2] == ("handoff_pending", Mode.HUMAN)


def test_an_answer_to_a_released_function_answers_what_waited_then(agency: Agency) -> None:
    ref = agency.begin(status=Status.HANDOFF_PENDING, hand_off_to_human=True)
    question = agency.says(ref, "Monday is fine")
    message = in_doubt(agency, ref, "approved:0c9d")
    agency.says(ref, "Are you there?")

    resolved(agency, ref, message, "sent")

    shown = [entry.entry_id for entry in agency.item(ref).messages]
    assert shown == [question.entry_id, message.entry_id]


def test_a_first_message_that_arrived_has_begun_the_conversation(agency: Agency) -> None:
    ref = agency.begin(status=Status.FAILED, task_complete=0)
    message = in_doubt(agency, ref, "initial")

    resolved(agency, ref, message, "sent")

    assert agency.standing(ref)[:2] == ("initial_message_sent", Mode.AI)
    assert agency.item(ref).task_complete == 1
    first, second = agency.changes(ref)
    assert (first.who, first.to_status) == ("human:carol", "processing")
    assert second.to_status == "initial_message_sent"
    assert agency.call("GET /conversations").refs == [ref]


def test_a_message_that_did_not_arrive_has_failed(agency: Agency) -> None:
    ref = agency.begin(status=Status.HANDOFF_PENDING)
    message = in_doubt(agency, ref, "reply:MSG#x")

    assert resolved(agency, ref, message, "not_sent").result["delivery_status"] == "failed"
    assert agency.message(ref, message).delivery_status is Delivery.FAILED
    assert ledger(agency, ref, message) is Sending.FAILED
    assert agency.item(ref).messages == []
    assert agency.sqs.put == []


def test_a_first_message_that_did_not_arrive_goes_out_on_the_next_channel(agency: Agency) -> None:
    agency.set_up(fallback_channels=["email"])
    ref = agency.begin(status=Status.FAILED, task_complete=0)
    message = in_doubt(agency, ref, "initial")

    resolved(agency, ref, message, "not_sent")

    (begun,) = agency.queued("ConversationsEmailQueue")
    assert begun["frontend_payload"]["request_data"]["request_id"] == "req-1-f1"
    assert agency.item(ref).conversation_status == "failed"


def test_what_is_said_again_is_the_same_text_under_a_new_name(agency: Agency) -> None:
    ref = agency.begin(status=Status.HANDOFF_PENDING)
    message = in_doubt(agency, ref, "reply:MSG#x")

    answer = resolved(agency, ref, message, "resend")

    (record,) = agency.queued(SMS)
    assert (record["type"], record["text"], record["agent_id"]) == (
        "human_message",
        message.content,
        "carol",
    )
    action = references.action_id(ref, f"human:{record['cause']}")
    assert answer.result["resent_as"] == references.entry_id(action) != message.entry_id
    assert ledger(agency, ref, message) is Sending.FAILED
    assert agency.standing(ref) == ("handoff_active", Mode.HUMAN, "carol")


def test_a_template_is_said_again_as_one(agency: Agency) -> None:
    ref = agency.begin(status=Status.FAILED, channel=ChannelMethod.WHATSAPP, task_complete=0)
    values = {"name": "Ann", "rep": "Carol", "job": "Nurse", "question": "Can you start in May?"}
    message = in_doubt(agency, ref, "initial", template="invitation", variables=values)

    resolved(agency, ref, message, "resend")

    (record,) = agency.queued("ConversationsWhatsAppQueue")
    assert (record["template"], record["variables"]) == ("invitation", values)


def test_what_is_said_again_keeps_to_the_projects_length_of_today(agency: Agency) -> None:
    ref = agency.begin()
    message = in_doubt(agency, ref, "reply:MSG#x")
    agency.set_up(rate_limits={"max_message_length": 10})

    answer = resolved(agency, ref, message, "resend")

    assert answer.problems == {"entry_id": "must have at most 10 characters"}
    assert agency.message(ref, message).delivery_status is Delivery.UNKNOWN


@pytest.mark.parametrize("outcome", ["sent", "not_sent", "resend"])
@pytest.mark.parametrize("status", [Delivery.DRAFT, Delivery.FAILED, Delivery.DISCARDED])
def test_what_is_known_is_not_judged(agency: Agency, status: Delivery, outcome: str) -> None:
    ref = agency.begin()
    message = agency.says(ref, "x", author="ai", delivery_status=status, turn_id="reply:MSG#x")

    answer = resolved(agency, ref, message, outcome)

    assert (answer.status, answer.error) == (409, "NOT_UNKNOWN")
    assert agency.message(ref, message).delivery_status is status
    assert agency.sqs.put == []


def test_who_says_the_same_as_the_provider_is_right(agency: Agency) -> None:
    ref = agency.begin(status=Status.HANDOFF_PENDING)
    message = in_doubt(agency, ref, "reply:MSG#x")
    facts = {"delivery_status": Delivery.DELIVERED}
    sk = message.sk(message.message_timestamp, message.entry_id)
    messages.update(agency.here.log, ref, sk, facts)

    assert resolved(agency, ref, message, "sent").result["delivery_status"] == "delivered"
    assert resolved(agency, ref, message, "not_sent").error == "NOT_UNKNOWN"


def test_a_message_that_was_never_in_doubt_moves_nothing(agency: Agency) -> None:
    ref = agency.begin()
    message = agency.says(
        ref, "A colleague will call", author="ai", turn_id="reply:MSG#x", hand_off_reason="asked"
    )

    assert resolved(agency, ref, message, "sent").status == 200
    assert agency.item(ref).conversation_status == "reply_sent"
    assert agency.changes(ref) == []


def test_two_agents_say_it_again_once(agency: Agency) -> None:
    ref = agency.begin(status=Status.HANDOFF_PENDING)
    message = in_doubt(agency, ref, "reply:MSG#x")

    assert resolved(agency, ref, message, "resend").status == 200
    assert resolved(agency, ref, message, "resend").error == "NOT_UNKNOWN"
    assert len(agency.queued(SMS)) == 1


def test_a_customers_message_and_an_unknown_one_are_not_found(agency: Agency) -> None:
    ref = agency.begin()
    question = agency.says(ref, "When?")

    assert resolved(agency, ref, question, "sent").status == 404


@pytest.mark.parametrize("outcome", ["sent", "not_sent", "resend"])
def test_a_verdict_that_died_on_the_way_is_finished_by_its_repetition(
    agency: Agency, monkeypatch: pytest.MonkeyPatch, outcome: str
) -> None:
    ref = agency.begin(status=Status.FAILED, task_complete=0)
    message = in_doubt(agency, ref, "initial")
    asked = digest(outcome)[:20]

    def dies(*_: object, **__: object) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr(judging, "references", None)  # after the message, before the ledger
        assert resolved(agency, ref, message, outcome, key=asked).status == 500
    with monkeypatch.context() as patch:
        patch.setattr(settling, "finish", dies)
        agency.sqs.refuses = True
        resolved(agency, ref, message, outcome, key=asked)
        agency.sqs.refuses = False

    assert resolved(agency, ref, message, outcome, key=asked).status == 200
    expected = Sending.CONFIRMED if outcome == "sent" else Sending.FAILED
    assert ledger(agency, ref, message) is expected
    said_again = [record for record in agency.queued(SMS) if record["type"] == "human_message"]
    assert len(said_again) == (outcome == "resend")
    assert agency.item(ref).task_complete == (outcome == "sent")


@pytest.mark.parametrize("who", ["dan", None])
def test_nothing_is_said_again_in_a_colleagues_conversation_or_a_closed_one(
    agency: Agency, who: str | None
) -> None:
    status = Status.HANDOFF_ACTIVE if who else Status.CLOSED
    ref = agency.begin(status=status, owner=who)
    message = in_doubt(agency, ref, "reply:MSG#x")

    answer = resolved(agency, ref, message, "resend")

    assert answer.error == ("ALREADY_TAKEN" if who else "NOT_OPEN")
    assert agency.message(ref, message).delivery_status is Delivery.UNKNOWN
    assert resolved(agency, ref, message, "not_sent").status == 200
