"""Changes of conversations and messages by agents, and the lookup of single messages."""

from dataclasses import replace
from typing import Any

import pytest

from shared.runtime import clock
from tests.integration.whatsapp.actions.conftest import ADA, GLOBEX, Actions
from tests.integration.whatsapp.conftest import PHONE, T0, text
from whatsapp.api.inputs import MessagesQuery
from whatsapp.api.queries import ApiDependencies, conversation_address, messages
from whatsapp.store.items import Conversation

ADAS = Conversation.key(PHONE, ADA)
ADAS_MESSAGE = "MSG#wamid.ada.1"
IMAGE = {"id": "wamid.image", "from": ADA, "timestamp": str(T0 + 60), "type": "image",
         "image": {"id": "778899", "mime_type": "image/jpeg", "sha256": "c2hh", "caption": "My bike"}}  # fmt: skip


def status(message_id: str, word: str, second: int = 0) -> dict[str, Any]:
    return {
        "id": message_id,
        "status": word,
        "recipient_id": ADA,
        "timestamp": str(T0 + 3_600 + second),
    }


@pytest.mark.parametrize(
    "body", [{"markAsRead": True}, {"unreadCount": 0}, {"markAsRead": True, "archived": True}]
)
def test_an_update_marks_as_read_and_archives(actions: Actions, body: dict[str, Any]) -> None:
    answer = actions.run("update_conversation", {"conversationPk": ADAS, **body})

    head = actions.item(ADAS)
    assert (answer.result["unreadCount"], head["unreadCount"]) == (0, 0)
    assert (head["readBy"], head["readUpTo"]) == ("api-key:acme", head["lastKey"])
    assert head["archived"] is body.get("archived", False)


@pytest.mark.parametrize(
    "body", [{}, {"unreadCount": 1}, {"markAsRead": False}, {"archived": "yes"}]
)
def test_an_update_refuses_what_it_cannot_set(actions: Actions, body: dict[str, Any]) -> None:
    before = actions.item(ADAS)

    assert actions.run("update_conversation", {"conversationPk": ADAS, **body}).status == 400
    assert actions.item(ADAS) == before


def test_a_conversation_is_archived_and_taken_out_again_with_its_author(actions: Actions) -> None:
    named = {"phoneId": PHONE, "fromNumber": f"+{ADA}"}
    archived = actions.run("archive_conversation", named, key="archive-1")
    again = actions.run("archive_conversation", named, key="archive-1")

    assert (archived.result["archived"], again.body["replayed"]) == (True, True)
    assert actions.item(ADAS)["lastChange"]["by"] == "api-key:acme"
    assert actions.item(ADAS)["revision"] == 1
    taken_out = actions.run("unarchive_conversation", named)
    assert (taken_out.result["archived"], actions.item(ADAS)["archived"]) == (False, False)


def test_a_receipt_is_sent_for_the_newest_message_of_the_customer(actions: Actions) -> None:
    actions.send("send_text", {"text": "Hello."})
    answer = actions.run("mark_conversation_read", {"conversationPk": ADAS, "sendReceipt": True})

    receipt = actions.wire[-1]
    assert answer.result["receiptFor"] == ADAS_MESSAGE
    assert receipt.body == {
        "messaging_product": "whatsapp",
        "status": "read",
        "message_id": "wamid.ada.1",
    }
    assert receipt.path == f"/v23.0/{PHONE}/messages"
    assert actions.item(ADAS)["unreadCount"] == 0


def test_without_the_receipt_nothing_is_marked(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="mark_as_read", kind="status", status=400)
    answer = actions.run("mark_conversation_read", {"conversationPk": ADAS, "sendReceipt": True})

    assert (answer.status, answer.error) == (422, "provider_rejected")
    assert actions.item(ADAS)["unreadCount"] == 1


def test_a_deleted_message_is_hidden_and_the_head_shows_the_one_before(actions: Actions) -> None:
    actions.harness.take({"messages": [text("wamid.ada.2", "Wrong chat", at=T0 + 60)]})

    answer = actions.run("delete_message", {"messageId": "wamid.ada.2"})

    assert answer.result == {
        "messagePk": "MSG#wamid.ada.2",
        "state": "hidden",
        "scope": "our_copy",
    }
    assert actions.item("MSG#wamid.ada.2")["deletedAt"] == "2026-01-01T12:00:00.000Z"
    head = actions.item(ADAS)
    assert (head["lastMessagePk"], head["lastPreview"]) == (ADAS_MESSAGE, "hello")
    listed = actions.run("get_conversation_messages", {"conversationPk": ADAS}).result["entries"]
    assert [one["message"]["id"] for one in listed] == ["wamid.ada.1"]
    found = actions.run("search_messages", {"conversationPk": ADAS, "query": "wrong"}).result
    assert found["messages"] == []
    shown = actions.run("get_message", {"messageId": "wamid.ada.2"}).result["message"]
    assert shown["deletedAt"] == "2026-01-01T12:00:00.000Z"


def test_the_inbox_does_not_show_a_deleted_message(actions: Actions) -> None:
    actions.run("delete_message", {"messageId": ADAS_MESSAGE})
    resources = actions.module.resources
    deps = ApiDependencies(
        table=resources.table, bucket=resources.bucket, seal_secret=resources.seal_secret
    )
    key = deps.seal.seal(ADAS, bound_to=conversation_address("acme"))

    assert (
        messages(deps, replace(GLOBEX, company="acme"), key, MessagesQuery()).result.messages == []
    )


def test_a_hard_deletion_leaves_a_stub_that_a_repeated_webhook_meets(actions: Actions) -> None:
    actions.harness.take({"messages": [IMAGE]})
    bucket = actions.harness.resources.bucket
    file = f"media/acme/{PHONE}/778899/file.jpg"
    bucket.put(file, b"picture")
    liked = {"type": "reaction", "reaction": {"message_id": "wamid.image", "emoji": "+"}}
    actions.harness.take({"messages": [text("wamid.reaction", at=T0 + 90) | liked]})

    answer = actions.run("delete_message", {"messageId": "wamid.image", "hardDelete": True})
    actions.harness.take({"messages": [IMAGE]})

    assert answer.result["state"] == "erased"
    stub = actions.item("MSG#wamid.image")
    assert stub["erased"] is True
    assert stub["inboxPk"].endswith("#erased")  # It is counted, and no list shows it.
    assert stub.keys().isdisjoint({"caption", "mediaId", "from", "conversationPk", "preview"})
    assert file not in bucket.keys_under("media/")
    assert actions.item("MEDIA#778899")["mediaStatus"] == "REVOKED"
    assert not [key for key in actions.harness.keys() if key.startswith(("REACTION#", "STATUS#"))]
    assert actions.item(ADAS)["lastMessagePk"] == ADAS_MESSAGE
    assert actions.run("get_message", {"messageId": "wamid.image"}).status == 404


def test_a_crash_within_a_hard_deletion_is_completed_by_a_repetition(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions.harness.take({"messages": [IMAGE]})

    def die(*_: Any) -> None:
        raise RuntimeError("died")

    body = {"messageId": "wamid.image", "hardDelete": True}
    with monkeypatch.context() as patch:
        patch.setattr("whatsapp.actions.conversations.deletions.erasure.remove", die)
        assert actions.run("delete_message", body, key="delete-1").status == 500
    assert actions.run("delete_message", body, key="delete-1").status == 200
    assert actions.item("MSG#wamid.image")["erased"] is True


def test_the_only_message_leaves_a_mark_in_the_head(actions: Actions) -> None:
    actions.run("delete_message", {"messageId": ADAS_MESSAGE})

    assert actions.item(ADAS)["lastPreview"] == "[deleted]"
    assert actions.run("delete_message", {"messageId": ADAS_MESSAGE}, caller=GLOBEX).status == 404


def test_a_message_is_found_by_each_of_its_ids_with_its_statuses(actions: Actions) -> None:
    sent = actions.send("send_text", {"text": "Your bike is ready."}).result
    for second, word in enumerate(("sent", "delivered", "read")):
        actions.harness.take({"statuses": [status(sent["messageId"], word, second)]})

    answers = [
        actions.run("get_message", {"messageId": reference}).result
        for reference in (sent["messageId"], sent["messagePk"], sent["actionId"])
    ]
    by_wa_id = actions.run("get_message_by_wa_id", {"waMessageId": sent["messageId"]}).result

    assert {one["message"]["messagePk"] for one in [*answers, by_wa_id]} == {sent["messagePk"]}
    for one in answers:
        assert [entry["status"] for entry in one["statuses"]] == ["sent", "delivered", "read"]
    assert actions.run("get_message", {"messageId": sent["messageId"]}, caller=GLOBEX).status == 404


def test_a_customers_message_has_no_statuses(actions: Actions) -> None:
    found = actions.run("get_message", {"messageId": ADAS_MESSAGE}).result

    assert found["message"]["messagePk"] == ADAS_MESSAGE
    assert found["statuses"] == []


def test_the_delivery_status_has_the_ledger_and_all_statuses(actions: Actions) -> None:
    sent = actions.send("send_text", {"text": "Hello."}).result
    actions.harness.take({"statuses": [status(sent["messageId"], "delivered")]})

    found = actions.run("get_delivery_status", {"messageId": sent["messageId"]}).result

    assert (found["state"], found["deliveryStatus"]) == ("sent", "delivered")
    assert [entry["status"] for entry in found["deliveryStatusHistory"]] == ["delivered"]
    assert [entry["status"] for entry in found["statuses"]] == ["delivered"]


def test_a_send_in_doubt_has_the_state_of_its_action(actions: Actions) -> None:
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    sent = actions.send("send_text", {"text": "Hello."}).result

    found = actions.run("get_delivery_status", {"messageId": sent["actionId"]}).result

    assert found == {"actionId": sent["actionId"], "state": "reserved", "statuses": []}


def test_a_link_is_given_only_if_it_is_asked_for(actions: Actions) -> None:
    actions.harness.take({"messages": [IMAGE]})
    key = f"media/acme/{PHONE}/778899/file.jpg"
    actions.harness.resources.table.update(
        {"pk": "MSG#wamid.image"},
        put={"s3Key": key, "s3Bucket": actions.harness.resources.bucket.name},
    )

    def media(*, presign: bool) -> dict[str, Any]:
        body = {"conversationPk": ADAS, "presign": presign, "limit": 1}
        (entry,) = actions.run("get_conversation_messages", body).result["entries"]
        found: dict[str, Any] = entry["message"]["media"]
        return found

    assert "link" in media(presign=True)
    assert "link" not in media(presign=False)


def test_a_search_says_how_many_messages_it_looked_at_and_goes_on(
    actions: Actions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("whatsapp.actions.conversations.message_search.MOST_MESSAGES", 2)
    for number, words in enumerate(("Zürich", "brakes", "ZÜRICH again")):
        actions.harness.take({"messages": [text(f"wamid.s{number}", words, at=T0 + 10 + number)]})
    body = {"phoneId": PHONE, "since": "2026-01-01T00:00:00Z", "query": "zürich"}

    first = actions.run("search_messages", body)
    rest = actions.run("search_messages", body | {"cursor": first.body["cursor"]})

    assert [one["id"] for one in first.result["messages"]] == ["wamid.s2"]
    assert (first.result["lookedAt"], first.result["readUnits"]) == (2, 2)
    assert first.result["lookedBackTo"] == clock.to_text((T0 + 12) * 1000 + 999)
    assert [one["id"] for one in rest.result["messages"]] == ["wamid.s0"]


@pytest.mark.parametrize(
    "body",
    [
        {"query": "hello"},
        {"query": "h", "conversationPk": ADAS},
        {"query": "hello", "phoneId": PHONE},
        {"query": "x" * 201, "conversationPk": ADAS},
    ],
)
def test_a_search_is_bounded(actions: Actions, body: dict[str, Any]) -> None:
    assert actions.run("search_messages", body).error == "invalid_input"
