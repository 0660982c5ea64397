"""A message that another context sent through a number of the inbox is shown there once, with its delivery state."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest

from shared.events.exchange import OutboundMessage, body_of
from tests.integration.whatsapp.conftest import NOW, PHONE, Harness, a_phone, text
from whatsapp import store
from whatsapp.inbound.event import Outcome
from whatsapp.store.items.accounts.phones import CONVERSATIONS

CONVERSATION = f"CONV#{PHONE}#447700900101"
AWS_ID = "0d1c2b3a-4f5e-4d6c-8b7a-000000000001"
TEMPLATE = {
    "name": "bike_ready",
    "language": {"code": "en"},
    "components": [{"type": "body", "parameters": [{"type": "text", "text": "Ada"}]}],
}


def announced(**changes: Any) -> str:
    facts: dict[str, Any] = {
        "provider": "meta",
        "provider_message_id": "wamid.ai",
        "action_id": "act1",
        "company": "acme",
        "account": "102290129340398",
        "business_address": PHONE,
        "customer_address": "+447700900101",
        "message_type": "text",
        "content": {"body": "We open at nine."},
        "occurred_at": "2026-01-01T11:59:30.250Z",
    }
    return body_of(OutboundMessage(**facts | changes))


def status(word: str, *, identity: str = "wamid.ai", action: str | None = "act1") -> dict[str, Any]:
    callback = {"biz_opaque_callback_data": action} if action else {}
    facts = {"id": identity, "status": word, "timestamp": str(NOW // 1000)}
    return {"statuses": [facts | {"recipient_id": "447700900101"} | callback]}


def messages(harness: Harness) -> list[str]:
    return [key for key in harness.keys() if key.startswith("MSG#")]


def test_a_reply_of_the_model_is_an_outbound_message_of_the_inbox(harness: Harness) -> None:
    assert harness.handle(announced()).outcome is Outcome.PERSISTED

    stored = harness.item("MSG#wamid.ai")
    assert len(stored.pop("payloadHash")) == 64
    assert stored == {
        "pk": "MSG#wamid.ai",
        "itemType": "MESSAGE",
        "company": "acme",
        "phone": PHONE,
        "direction": "OUTBOUND",
        "receivedAt": "2026-01-01T11:59:30.2500000006002500000Z",
        "sentAt": "2026-01-01T11:59:30.2500000006002500000Z",
        "from": "15550783881",
        "fromPk": "15550783881",
        "to": "447700900101",
        "conversationPk": CONVERSATION,
        "inboxPk": f"arn:parley:whatsapp:::phone-number-id/{PHONE}",
        "type": "text",
        "subtype": "text",
        "textBody": "We open at nine.",
        "preview": "We open at nine.",
        "deliveryStatus": "sent",
        "statusRank": 0,
        "actionId": "act1",
    }


def test_the_conversation_shows_it_and_its_unread_count_does_not_change(harness: Harness) -> None:
    harness.take({"messages": [text("wamid.1", "When do you open?", at=NOW // 1000 - 60)]})
    harness.handle(announced())

    head = harness.item(CONVERSATION)
    assert (head["unreadCount"], head["lastPreview"]) == (1, "We open at nine.")
    assert head["lastOutboundAt"] == "2026-01-01T11:59:30.250Z"


def test_a_late_announcement_does_not_replace_a_newer_customer_message_in_the_preview(
    harness: Harness,
) -> None:
    harness.take({"messages": [text("wamid.1", "Thanks!", at=NOW // 1000 - 10)]})
    harness.handle(announced())

    assert harness.item(CONVERSATION)["lastPreview"] == "Thanks!"


def test_a_template_is_shown_by_its_name_and_kept_with_its_values(harness: Harness) -> None:
    harness.handle(announced(message_type="template", content=TEMPLATE))

    stored = harness.item("MSG#wamid.ai")
    expected = {
        "type": "template",
        "template": "bike_ready",
        "preview": "[template] bike_ready",
        "content": TEMPLATE,
    }
    assert {name: stored[name] for name in expected} == expected


def test_buttons_are_stored_with_their_text(harness: Harness) -> None:
    part = {"type": "button", "body": {"text": "Shall we?"}, "action": {"buttons": []}}
    harness.handle(announced(message_type="interactive", content=part))

    stored = harness.item("MSG#wamid.ai")
    assert (stored["type"], stored["textBody"]) == ("interactive", "Shall we?")
    assert stored["content"] == part


def test_a_message_of_an_unknown_type_is_stored_whole(harness: Harness) -> None:
    harness.handle(announced(message_type="hologram", content={"words": "hello"}))

    stored = harness.item("MSG#wamid.ai")
    assert (stored["type"], stored["subtype"]) == ("text", "hologram")
    assert stored["content"]["raw"]["hologram"] == {"words": "hello"}


def test_a_repeated_announcement_is_one_message(harness: Harness) -> None:
    harness.handle(announced())
    before = harness.item("MSG#wamid.ai"), harness.item(CONVERSATION), harness.keys()

    assert harness.handle(announced()).outcome is Outcome.DUPLICATE
    assert (harness.item("MSG#wamid.ai"), harness.item(CONVERSATION), harness.keys()) == before


def test_a_repeated_announcement_with_another_text_does_not_change_the_message(
    harness: Harness,
) -> None:
    """The template's configuration may have changed between two deliveries of one turn."""
    harness.handle(announced())

    assert harness.handle(announced(content={"body": "else"})).outcome is Outcome.DUPLICATE
    assert harness.item("MSG#wamid.ai")["textBody"] == "We open at nine."


def test_an_action_announced_under_another_id_is_the_same_message(harness: Harness) -> None:
    harness.handle(announced())

    assert harness.handle(announced(provider_message_id=AWS_ID)).outcome is Outcome.DUPLICATE
    assert messages(harness) == ["MSG#wamid.ai"]
    assert harness.item(f"ALIAS#MSG#{PHONE}#{AWS_ID}")["target"] == "MSG#wamid.ai"


def test_another_message_with_the_same_id_is_not_changed(harness: Harness) -> None:
    echo = text("wamid.ai", "by hand", sender="15550783881", to="447700900101")
    harness.take({"field": "smb_message_echoes", "message_echoes": [echo]})

    assert harness.handle(announced()).reason == "conflict"
    assert harness.item("MSG#wamid.ai")["textBody"] == "by hand"


HIDDEN = {"id": "w1", "from_user_id": "GB.139", "timestamp": str(NOW // 1000), "type": "text"}
SENT_ID = [("wamid.ai", "wamid.ai"), (AWS_ID, "wamid.ai")]


@pytest.mark.parametrize(("announced_as", "in_statuses"), SENT_ID)
@pytest.mark.parametrize("place", range(4))
def test_statuses_are_attached_to_their_message_in_any_order_and_under_either_id(
    harness: Harness, announced_as: str, in_statuses: str, place: int
) -> None:
    words = ["sent", "delivered", "read"]
    events: list[dict[str, Any] | None] = [status(word, identity=in_statuses) for word in words]
    events.insert(place, None)
    for event in events:
        if event is None:
            harness.handle(announced(provider_message_id=announced_as))
        else:
            harness.take(event)
            harness.take(event)

    (key,) = messages(harness)
    stored = harness.item(key)
    assert (stored["deliveryStatus"], stored["statusRank"]) == ("read", 3)
    assert [entry["status"] for entry in stored["deliveryStatusHistory"]] == words
    for other in {announced_as, in_statuses} - {key.removeprefix("MSG#")}:
        assert harness.item(f"ALIAS#MSG#{PHONE}#{other}")["target"] == key


@pytest.mark.parametrize("order", list(itertools.permutations(["sent", "read"])))
def test_a_status_without_an_action_is_stored_until_its_message_arrives(
    harness: Harness, order: tuple[str, ...]
) -> None:
    for word in order:
        harness.take(status(word, action=None))
    harness.handle(announced())

    assert harness.item("MSG#wamid.ai")["deliveryStatus"] == "read"


def test_a_status_between_the_claim_and_the_put_of_a_message_is_not_lost(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker has chosen the message's key, a status arrives under another id, then the message is written."""
    add = store.messages.add

    def after_a_status(*arguments: Any) -> Any:
        monkeypatch.setattr(store.messages, "add", add)
        harness.take(status("delivered"))
        return add(*arguments)

    monkeypatch.setattr(store.messages, "add", after_a_status)
    harness.handle(announced(provider_message_id=AWS_ID))

    assert messages(harness) == [f"MSG#{AWS_ID}"]
    assert harness.item(f"MSG#{AWS_ID}")["deliveryStatus"] == "delivered"


def test_an_action_of_another_number_is_not_attached(harness: Harness) -> None:
    other = a_phone(
        pk="PHONE#206540352242933", phone="206540352242933", display_phone="15550783999",
        phone_arn="arn:parley:whatsapp:::phone-number-id/206540352242933",
    )  # fmt: skip
    store.phones.register(harness.resources.table, other)
    harness.handle(announced())
    harness.handle(announced(business_address="206540352242933", provider_message_id="wamid.other"))

    assert messages(harness) == ["MSG#wamid.ai", "MSG#wamid.other"]


def test_a_message_that_another_context_sent_is_not_handed_over_as_a_human_reply(
    harness: Harness,
) -> None:
    store.phones.register(harness.resources.table, a_phone(automation=CONVERSATIONS))
    store.phones.forget()
    harness.handle(announced())

    assert harness.inbound.entries == []


def test_a_customer_without_a_number_is_found_by_their_user_id(harness: Harness) -> None:
    harness.take({"messages": [HIDDEN]})
    harness.handle(announced(customer_address=None, customer_user_id="bsuid:GB.139"))

    assert harness.item("MSG#wamid.ai")["conversationPk"] == f"CONV#{PHONE}#GB.139"


def test_a_customer_with_phone_and_user_id_keeps_the_conversation(harness: Harness) -> None:
    harness.take({"messages": [HIDDEN]})
    harness.handle(announced(customer_user_id="GB.139"))

    assert harness.item("MSG#wamid.ai")["to"] == "GB.139"
    assert harness.item(f"ALIAS#WAID#{PHONE}#447700900101")["target"] == "GB.139"


def test_an_erased_message_is_not_stored_again(harness: Harness) -> None:
    harness.handle(announced())
    harness.resources.table.update({"pk": "MSG#wamid.ai"}, put={"erased": True}, drop=["textBody"])

    assert harness.handle(announced()).outcome is Outcome.DUPLICATE
    assert "textBody" not in harness.item("MSG#wamid.ai")


def test_a_long_text_is_stored_whole_in_the_bucket_and_cut_in_the_item(harness: Harness) -> None:
    harness.handle(announced(content={"body": "word " * 4_000}))

    stored = harness.item("MSG#wamid.ai")
    whole = json.loads(harness.resources.bucket.get(stored["contentS3Key"]))
    assert len(stored["textBody"]) <= 2_000
    assert whole["textBody"] == "word " * 4_000


@pytest.mark.parametrize("company", ["globex", None])
def test_another_company_cannot_show_a_message_in_this_companys_inbox(
    harness: Harness, company: str | None
) -> None:
    assert harness.handle(announced(company=company)).reason == "company_mismatch"
