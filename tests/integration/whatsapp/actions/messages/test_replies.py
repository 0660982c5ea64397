"""Answers that quote a message, and the references by which calls name messages."""

from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import ADA, GLOBEX, Actions
from tests.integration.whatsapp.conftest import NOW, PHONE, text
from whatsapp import store
from whatsapp.store.items import Alias

MESSAGES = "/{Version}/{Phone-Number-ID}/messages"
QUOTED = {"message_id": "wamid.ada.1"}


def context(actions: Actions) -> Any:
    return actions.wire[-1].body["context"]  # type: ignore[index] # JSON


def test_a_text_quotes_the_message_that_it_answers(actions: Actions) -> None:
    answer = actions.send("send_reply", {"replyToMessageId": "wamid.ada.1", "text": "Yes."})

    assert wire.problems(actions.wire[0], "POST", MESSAGES) == []
    assert context(actions) == QUOTED
    assert actions.item(answer.result["messagePk"])["replyTo"] == "wamid.ada.1"


def test_a_file_quotes_the_message_that_it_answers(actions: Actions) -> None:
    file = {"mediaType": "image", "mediaId": "1003383421387256", "caption": "This one"}
    answer = actions.send("send_reply", {"replyToMessageId": "wamid.ada.1", **file})

    assert answer.status == 200
    assert context(actions) == QUOTED


def test_a_message_is_found_by_our_key_by_an_alias_and_by_our_action(actions: Actions) -> None:
    store.messages.add_alias(
        actions.harness.resources.table,
        Alias.of_message(PHONE, "other-id-1"),
        "MSG#wamid.ada.1",
        "acme",
    )
    for reference in ("MSG#wamid.ada.1", "other-id-1"):
        answer = actions.send("send_text", {"text": "Yes.", "replyToMessageId": reference})
        assert answer.status == 200
        assert context(actions) == QUOTED

    own = actions.send(
        "send_text", {"text": "One more.", "replyToMessageId": answer.result["actionId"]}
    )
    assert own.status == 200
    assert context(actions) == {"message_id": answer.result["messageId"]}


@pytest.mark.parametrize("reference", ["wamid.none", "MSG#wamid.none", "a" * 26, "MSG#wamid.bob.1"])
def test_a_quoted_message_that_is_missing_or_of_another_conversation_is_refused(
    actions: Actions, reference: str
) -> None:
    bob = text("wamid.bob.1", at=NOW // 1000 - 60, sender="447700900102")
    actions.harness.take({"messages": [bob]})

    answer = actions.send("send_text", {"text": "Yes.", "replyToMessageId": reference})

    expected = (400, ["replyToMessageId"]) if "bob" in reference else (404, [])
    assert (answer.status, answer.fields, actions.wire) == (*expected, [])


def test_a_message_of_another_company_does_not_exist(actions: Actions) -> None:
    body = {"phoneNumberId": "306540352242944", "to": f"+{ADA}", "text": "Hi"}
    answer = actions.run("send_text", {**body, "replyToMessageId": "wamid.ada.1"}, caller=GLOBEX)

    assert (answer.status, answer.error) == (404, "not_found")


def test_a_message_in_doubt_cannot_be_quoted(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    doubtful = actions.send("send_text", {"text": "One."})
    answer = actions.send(
        "send_text", {"text": "Two.", "replyToMessageId": doubtful.result["actionId"]}
    )

    assert (answer.status, answer.error) == (409, "state_conflict")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": "a", "mediaType": "image", "mediaId": "1"},
        {"mediaType": "image"},
        {"text": "a", "caption": "b"},
        {"mediaType": "audio", "mediaId": "1", "caption": "b"},
    ],
)
def test_a_reply_needs_one_content(actions: Actions, body: dict[str, Any]) -> None:
    answer = actions.send("send_reply", {"replyToMessageId": "wamid.ada.1", **body})

    assert (answer.status, answer.fields) == (400, ["body"])


def test_a_customer_without_number_is_reached_by_user_id(actions: Actions) -> None:
    hidden = text("wamid.hidden.1", at=NOW // 1000 - 60, sender="")
    del hidden["from"]
    hidden["from_user_id"] = "GB.1349120865"
    contacts = [{"user_id": "GB.1349120865", "profile": {"name": "Eve"}}]
    actions.harness.take({"messages": [hidden], "contacts": contacts})

    answer = actions.run(
        "send_text", {"phoneNumberId": PHONE, "recipient": "GB.1349120865", "text": "Hello."}
    )

    assert answer.status == 200
    assert actions.wire[0].body["recipient"] == "GB.1349120865"  # type: ignore[index] # JSON
