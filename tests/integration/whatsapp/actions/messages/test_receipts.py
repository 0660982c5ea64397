"""Read receipts and the typing indicator."""

from typing import Any

import pytest

from shared.api.auth import Caller
from tests.integration.whatsapp.actions.conftest import GLOBEX, GLOBEX_PHONE, Actions
from tests.integration.whatsapp.conftest import PHONE

PATH = f"/v23.0/{PHONE}/messages"  # Meta's document describes receipts by examples only
BODY = {"phoneNumberId": PHONE, "messageId": "wamid.ada.1"}
RECEIPT = {"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.ada.1"}
TYPING = {**RECEIPT, "typing_indicator": {"type": "text"}}


def marked_at(actions: Actions) -> Any:
    return actions.item("MSG#wamid.ada.1").get("markedAsReadAt")


def test_a_message_is_marked_as_read_once(actions: Actions) -> None:
    answer = actions.run("mark_read", BODY)
    again = actions.run("mark_read", BODY)

    assert answer.result["markedAsReadAt"] == marked_at(actions)
    assert again.result == answer.result
    [sent] = actions.wire
    assert (sent.operation, sent.body) == ("mark_as_read", RECEIPT)
    assert sent.path == PATH


@pytest.mark.parametrize(
    ("action", "more"), [("mark_read", {"typingIndicator": True}), ("send_typing_indicator", {})]
)
def test_typing_is_shown_each_time_and_the_first_time_of_reading_stays(
    actions: Actions, action: str, more: dict[str, Any]
) -> None:
    first = actions.run(action, {**BODY, **more})
    second = actions.run(action, {**BODY, **more})

    assert first.result["typingIndicator"] is True
    assert first.result["markedAsReadAt"] == second.result["markedAsReadAt"] == marked_at(actions)
    assert [sent.body for sent in actions.wire] == [TYPING, TYPING]
    assert {sent.path for sent in actions.wire} == {PATH}


def test_a_number_on_aws_sends_the_receipt_over_aws(actions: Actions) -> None:
    actions.register(provider="eum", aws_phone="phone-number-id-" + "0123456789abcdef" * 2)
    answer = actions.run("mark_read", BODY)

    assert answer.status == 200
    [sent] = actions.wire
    assert sent.operation == "SendWhatsAppMessage"
    assert sent.body["message"] == RECEIPT  # type: ignore[index] # JSON


@pytest.mark.parametrize(
    ("fault", "status", "code"),
    [
        ({"kind": "status", "status": 429}, 429, "rate_limited"),
        ({"kind": "status", "status": 400}, 422, "provider_rejected"),
    ],
)
def test_a_receipt_that_was_not_accepted_marks_nothing(
    actions: Actions, fault: dict[str, Any], status: int, code: str
) -> None:
    actions.sandbox.faults.add(provider="meta", operation="mark_as_read", **fault)
    answer = actions.run("mark_read", BODY)

    assert (answer.status, answer.error, marked_at(actions)) == (status, code, None)


def test_a_receipt_whose_answer_is_lost_is_sent_again(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="mark_as_read", kind="lost_answer")

    assert actions.run("mark_read", BODY).status == 200
    assert len(actions.wire) == 2
    assert marked_at(actions)


def test_only_received_messages_of_the_number_are_marked(actions: Actions) -> None:
    own = actions.send("send_text", {"text": "Hello."}).result["messagePk"]
    actions.register_eum()
    reader = Caller(company="acme", scopes=frozenset({"whatsapp:read"}), principal="api-key:r")

    assert actions.run("mark_read", {**BODY, "messageId": own}).error == "state_conflict"
    assert actions.run("mark_read", {**BODY, "phoneNumberId": "206540352242933"}).status == 404
    assert actions.run("mark_read", {**BODY, "messageId": "wamid.none"}).status == 404
    foreign = {**BODY, "phoneNumberId": GLOBEX_PHONE}
    assert actions.run("mark_read", foreign, caller=GLOBEX).status == 404
    assert actions.run("mark_read", BODY, caller=reader).status == 403
    assert marked_at(actions) is None
