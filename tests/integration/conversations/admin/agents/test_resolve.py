"""Agents resolve messages with an unknown outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.api.agents import resolve_unknown
from conversations.lifecycle.status import Status
from conversations.outbound.turns import settlement
from conversations.store import messages
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Delivery, Mode
from conversations.store.items.turn import TurnKind
from shared.aws.sqs_fifo import digest
from shared.providers.action_ledger import Action, OnDoubt
from shared.providers.action_ledger import State as Sending
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import COMPANY, SMS, Harness
from tests.simulation.conversations.invocations import PERSON

if TYPE_CHECKING:
    from conversations.store.items.log import Message


TURN = "7c1f"  # an id that does not show the kind of its turn


def in_doubt(
    harness: Harness, ref: str, kind: TurnKind = TurnKind.REPLY, author: str = "ai", **facts: Any
) -> Message:
    """A message with an unknown outcome, in the log and in the ledger."""
    action_id = identifiers.action_id(ref, TURN)
    message = harness.says(
        ref,
        "We have you down for May",
        author=author,
        entry_id=identifiers.entry_id(action_id),
        turn_id=TURN,
        turn_kind=kind,
        delivery_status=Delivery.UNKNOWN,
        error_code="unknown" if kind is TurnKind.INITIAL else "send_in_doubt",
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
    harness.resources.log.put({**harness.resources.ledger._key_of(action_id), **stored})
    return message


def resolved(harness: Harness, ref: str, message: Message, outcome: str, **more: Any) -> Answer:
    body: dict[str, Any] = {"entry_id": message.entry_id, "outcome": outcome, PERSON: "carol"}
    if more.pop("force", False):
        body["force"] = True
    return harness.on(ref, "resolve", body, **more)


def ledger(harness: Harness, ref: str, message: Message) -> Sending:
    action = harness.resources.ledger.action(identifiers.action_id(ref, message.turn_id or ""))
    assert action is not None
    return Sending(action.state)


# Resolve


@pytest.mark.parametrize("kind", [TurnKind.REPLY, TurnKind.REENGAGEMENT])
def test_an_answer_that_arrived_is_confirmed_and_in_the_window(
    harness: Harness, kind: TurnKind
) -> None:
    ref = harness.begin(status=Status.HANDOFF_PENDING, hand_off_to_human=True)
    question = harness.says(ref, "When?")
    at = question.sk(question.message_timestamp, question.entry_id)
    message = in_doubt(harness, ref, kind, up_to=at)

    answer = resolved(harness, ref, message, "sent")

    assert answer.result == {"ref": ref, "entry_id": message.entry_id, "delivery_status": "sent"}
    known = harness.message(ref, message)
    assert (known.delivery_status, known.error_code) == (Delivery.SENT, None)
    assert ledger(harness, ref, message) is Sending.CONFIRMED
    assert [entry.entry_id for entry in harness.item(ref).messages] == [
        question.entry_id,
        message.entry_id,
    ]
    assert harness.state(ref).last_outbound_at == message.message_timestamp
    # An agent hands it back later.
    assert harness.standing(ref)[:2] == ("handoff_pending", Mode.HUMAN)


def test_resolving_an_answer_to_a_released_function_answers_the_messages_that_waited_then(
    harness: Harness,
) -> None:
    ref = harness.begin(status=Status.HANDOFF_PENDING, hand_off_to_human=True)
    question = harness.says(ref, "Monday is fine")
    at = question.sk(question.message_timestamp, question.entry_id)
    message = in_doubt(harness, ref, up_to=at)
    harness.says(ref, "Are you there?")

    resolved(harness, ref, message, "sent")

    shown = [entry.entry_id for entry in harness.item(ref).messages]
    assert shown == [question.entry_id, message.entry_id]


def test_resolving_a_first_message_as_arrived_begins_the_conversation(harness: Harness) -> None:
    ref = harness.begin(status=Status.FAILED, task_complete=0)
    message = in_doubt(harness, ref, TurnKind.INITIAL)

    resolved(harness, ref, message, "sent")

    assert harness.standing(ref)[:2] == ("initial_message_sent", Mode.AI)
    assert harness.item(ref).task_complete == 1
    first, second = harness.changes(ref)
    assert (first.who, first.to_status) == ("human:carol", "processing")
    assert second.to_status == "initial_message_sent"
    assert harness.call("GET /conversations").refs == [ref]


def test_a_message_resolved_as_not_arrived_is_failed(harness: Harness) -> None:
    ref = harness.begin(status=Status.HANDOFF_PENDING)
    message = in_doubt(harness, ref)

    assert resolved(harness, ref, message, "not_sent").result["delivery_status"] == "failed"
    assert harness.message(ref, message).delivery_status is Delivery.FAILED
    assert ledger(harness, ref, message) is Sending.FAILED
    assert harness.item(ref).messages == []
    assert harness.sqs.put == []


def test_a_first_message_resolved_as_not_arrived_is_sent_on_the_next_channel(
    harness: Harness,
) -> None:
    harness.set_up(fallback_channels=["email"])
    ref = harness.begin(status=Status.FAILED, task_complete=0)
    message = in_doubt(harness, ref, TurnKind.INITIAL)

    resolved(harness, ref, message, "not_sent")

    (begun,) = harness.queued("ConversationsEmailQueue")
    assert begun["frontend_payload"]["request_data"]["request_id"] == "req-1-f1"
    assert harness.item(ref).conversation_status == "failed"


def test_a_resent_message_has_the_same_text_and_a_new_id(harness: Harness) -> None:
    ref = harness.begin(status=Status.HANDOFF_PENDING)
    message = in_doubt(harness, ref)

    answer = resolved(harness, ref, message, "resend")

    (record,) = harness.queued(SMS)
    assert (record["type"], record["text"], record["agent_id"]) == (
        "human_message",
        message.content,
        "carol",
    )
    action = identifiers.action_id(ref, f"human:{record['cause']}")
    assert answer.result["resent_as"] == identifiers.entry_id(action) != message.entry_id
    assert ledger(harness, ref, message) is Sending.FAILED
    assert harness.standing(ref) == ("handoff_active", Mode.HUMAN, "carol")


def test_a_template_is_resent_as_a_template(harness: Harness) -> None:
    ref = harness.begin(status=Status.FAILED, channel=ChannelMethod.WHATSAPP, task_complete=0)
    values = {"name": "Ann", "rep": "Carol", "job": "Nurse", "question": "Can you start in May?"}
    message = in_doubt(harness, ref, TurnKind.INITIAL, template="invitation", variables=values)

    resolved(harness, ref, message, "resend")

    (record,) = harness.queued("ConversationsAgentsQueue")
    assert (record["template"], record["variables"]) == ("invitation", values)


def test_a_resent_message_keeps_to_the_projects_current_length_limit(harness: Harness) -> None:
    ref = harness.begin()
    message = in_doubt(harness, ref)
    harness.set_up(rate_limits={"max_message_length": 10})

    answer = resolved(harness, ref, message, "resend")

    assert answer.problems == {"entry_id": "must have at most 10 characters"}
    assert harness.message(ref, message).delivery_status is Delivery.UNKNOWN


@pytest.mark.parametrize("outcome", ["sent", "not_sent", "resend"])
@pytest.mark.parametrize("status", [Delivery.DRAFT, Delivery.FAILED, Delivery.DISCARDED])
def test_a_message_with_a_known_outcome_is_not_resolved(
    harness: Harness, status: Delivery, outcome: str
) -> None:
    ref = harness.begin()
    message = harness.says(ref, "x", author="ai", delivery_status=status, turn_id=TURN)

    answer = resolved(harness, ref, message, outcome)

    assert (answer.status, answer.error) == (409, "not_unknown")
    assert harness.message(ref, message).delivery_status is status
    assert harness.sqs.put == []


def test_resolving_a_message_as_the_provider_reported_is_accepted(harness: Harness) -> None:
    ref = harness.begin(status=Status.HANDOFF_PENDING)
    message = in_doubt(harness, ref)
    facts = {"delivery_status": Delivery.DELIVERED}
    sk = message.sk(message.message_timestamp, message.entry_id)
    messages.update(harness.resources.log, ref, sk, facts)

    assert resolved(harness, ref, message, "sent").result["delivery_status"] == "delivered"
    assert resolved(harness, ref, message, "not_sent").error == "not_unknown"


def test_resolving_a_message_that_was_never_in_doubt_changes_no_status(harness: Harness) -> None:
    ref = harness.begin()
    message = harness.says(
        ref, "A colleague will call", author="ai", turn_id=TURN, hand_off_reason="asked"
    )

    assert resolved(harness, ref, message, "sent").status == 200
    assert harness.item(ref).conversation_status == "reply_sent"
    assert harness.changes(ref) == []


def test_a_message_that_two_agents_resend_is_sent_once(harness: Harness) -> None:
    ref = harness.begin(status=Status.HANDOFF_PENDING)
    message = in_doubt(harness, ref)

    assert resolved(harness, ref, message, "resend").status == 200
    assert resolved(harness, ref, message, "resend").error == "not_unknown"
    assert len(harness.queued(SMS)) == 1


def test_a_customers_message_and_an_unknown_one_are_not_found(harness: Harness) -> None:
    ref = harness.begin()
    question = harness.says(ref, "When?")

    assert resolved(harness, ref, question, "sent").status == 404


@pytest.mark.parametrize("outcome", ["sent", "not_sent", "resend"])
def test_a_resolution_interrupted_between_its_writes_is_finished_by_its_repetition(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, outcome: str
) -> None:
    ref = harness.begin(status=Status.FAILED, task_complete=0)
    message = in_doubt(harness, ref, TurnKind.INITIAL)
    cause = digest(outcome)[:20]

    def dies(*_: object, **__: object) -> None:
        raise OSError

    with monkeypatch.context() as patch:
        patch.setattr(resolve_unknown, "identifiers", None)  # after the message, before the ledger
        assert resolved(harness, ref, message, outcome, key=cause).status == 500
    with monkeypatch.context() as patch:
        patch.setattr(settlement, "finish", dies)
        harness.sqs.refuses = True
        resolved(harness, ref, message, outcome, key=cause)
        harness.sqs.refuses = False

    assert resolved(harness, ref, message, outcome, key=cause).status == 200
    expected = Sending.CONFIRMED if outcome == "sent" else Sending.FAILED
    assert ledger(harness, ref, message) is expected
    said_again = [record for record in harness.queued(SMS) if record["type"] == "human_message"]
    assert len(said_again) == (outcome == "resend")
    assert harness.item(ref).task_complete == (outcome == "sent")


@pytest.mark.parametrize("who", ["dan", None])
def test_no_message_is_resent_in_a_colleagues_conversation_or_a_closed_one(
    harness: Harness, who: str | None
) -> None:
    status = Status.HANDOFF_ACTIVE if who else Status.CLOSED
    ref = harness.begin(status=status, owner=who)
    message = in_doubt(harness, ref)

    answer = resolved(harness, ref, message, "resend")

    assert answer.error == ("already_taken" if who else "not_open")
    assert harness.message(ref, message).delivery_status is Delivery.UNKNOWN
    force = {"force": True} if who else {}
    assert resolved(harness, ref, message, "not_sent", **force).status == 200
