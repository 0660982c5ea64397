"""What all actions that send a message have in common, for each of them."""

from typing import Any

import pytest

from tests.integration.whatsapp.actions.conftest import ADA, EUM_PHONE, EUM_WABA, Actions
from tests.integration.whatsapp.actions.messages.test_interactives import VALID
from tests.integration.whatsapp.actions.messages.test_products import CARD, CATALOG, LINK, SECTIONS
from tests.integration.whatsapp.actions.messages.test_templates import VALUES, add_template
from tests.integration.whatsapp.conftest import NOW, PHONE, text

PICTURE = {"mediaId": "1003383421387256"}
TEMPLATE = {"templateName": "bike_ready", "components": VALUES}
BODIES: dict[str, dict[str, Any]] = {
    "send_text": {"text": "Hello."},
    "send_media": {"mediaType": "image", **PICTURE},
    "send_image": PICTURE,
    "send_video": {"mediaId": "1003383421387260"},
    "send_audio": {"mediaId": "1003383421387259"},
    "send_document": {"mediaId": "1003383421387258"},
    "send_sticker": {"mediaId": "1003383421387261"},
    "send_location": {"latitude": 1, "longitude": 2},
    "send_contact": {"contacts": [{"name": {"formatted_name": "Ann"}}]},
    "send_interactive": {"interactiveType": "button", "interactive": VALID["button"]},
    "send_cta_url": {"bodyText": "a", "buttonText": "b", "url": "https://acme.example/"},
    "send_template": TEMPLATE,
    "send_reply": {"replyToMessageId": "wamid.ada.1", "text": "Hello."},
    "send_with_fallback": {"text": "Hello.", "templateName": "bike_ready"},
    "send_catalog_message": {"messageType": "catalog_message", "body": "See."},
    "send_single_product": {"catalogId": CATALOG, "productId": "bike-1"},
    "send_product": {"catalogId": CATALOG, "productRetailerId": "bike-1"},
    "send_product_list": {
        "catalogId": CATALOG,
        "sections": SECTIONS,
        "header": "Bikes",
        "body": "All.",
    },
    "send_product_carousel": {
        "catalogId": CATALOG,
        "bodyText": "New",
        "productRetailerIds": ["a", "b"],
    },
    "send_media_carousel": {"bodyText": "See", "cards": [{**CARD, "button": LINK}] * 2},
    "send_address_message": {},
    "send_location_request": {"body": "Where?"},
}
EVERY = pytest.mark.parametrize("action", list(BODIES))


@EVERY
def test_a_message_is_sent_once_per_key_and_stored(actions: Actions, action: str) -> None:
    add_template(actions)
    first = actions.send(action, BODIES[action], key="key-every-1")
    again = actions.send(action, BODIES[action], key="key-every-1")

    assert (first.status, first.result["state"]) == (200, "sent")
    assert (again.result, len(actions.wire)) == (first.result, 1)
    stored = actions.item(first.result["messagePk"])
    assert (stored["direction"], stored["deliveryStatus"]) == ("OUTBOUND", "sent")
    assert actions.item(first.result["conversationPk"])["lastPreview"] == stored["preview"]


@EVERY
def test_a_dry_run_sends_and_stores_nothing(actions: Actions, action: str) -> None:
    add_template(actions)
    before = actions.harness.keys()
    answer = actions.send(action, {**BODIES[action], "dryRun": True})

    assert (answer.status, answer.result["state"]) == (200, "dry_run")
    assert answer.result["payload"]["to"] == f"+{ADA}"
    assert (actions.harness.keys(), actions.wire) == (before, [])


@EVERY
def test_a_lost_answer_is_left_in_doubt(actions: Actions, action: str) -> None:
    add_template(actions)
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="lost_answer")
    answer = actions.send(action, BODIES[action], key="key-every-2")
    actions.send(action, BODIES[action], key="key-every-2")

    assert (answer.status, answer.result["state"], len(actions.wire)) == (202, "in_doubt", 1)


@EVERY
def test_free_text_is_refused_after_the_window(
    actions: Actions, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_template(actions)
    monkeypatch.setattr("shared.runtime.clock.now_ms", lambda: NOW + 25 * 3_600_000)
    answer = actions.send(action, BODIES[action])

    if action in {"send_template", "send_with_fallback"}:
        assert answer.status == 200
    else:
        assert (answer.status, answer.body["error"]["reason"]) == (422, "window_closed")


@pytest.mark.parametrize("action", [name for name in BODIES if name not in {"send_template"}])
def test_a_number_on_aws_sends_the_same_message(
    actions: Actions, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = actions.harness.resources.bucket.client

    def put_object(name: str, key: str, content: bytes, content_type: str) -> None:
        client.put_object(Bucket=name, Key=key, Body=content, ContentType=content_type)

    monkeypatch.setattr(actions.sandbox, "put_object", put_object)
    actions.register_eum()
    metadata = {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"}
    ada = text("wamid.ada.2", at=NOW // 1000 - 60)
    actions.harness.take({"messages": [ada], "metadata": metadata}, waba=EUM_WABA)
    body = {**BODIES[action], "phoneNumberId": EUM_PHONE, "to": f"+{ADA}"}
    quotes = {"replyToMessageId": "wamid.ada.2"} if action == "send_reply" else {}

    answer = actions.run(action, body | quotes)

    assert answer.status == 200
    [sent] = actions.wire
    assert sent.operation == "SendWhatsAppMessage"
    by_graph = actions.send(action, BODIES[action] | {"phoneNumberId": PHONE})
    assert by_graph.status == 200
    kind = actions.wire[1].body["type"]  # type: ignore[index] # JSON
    assert sent.body["message"][kind] == actions.wire[1].body[kind]  # type: ignore[index] # JSON


def test_a_message_sent_over_aws_is_quoted_by_its_id_of_whatsapp(actions: Actions) -> None:
    actions.register_eum()
    metadata = {"phone_number_id": EUM_PHONE, "display_phone_number": "15550783999"}
    ada = text("wamid.ada.2", at=NOW // 1000 - 60)
    actions.harness.take({"messages": [ada], "metadata": metadata}, waba=EUM_WABA)
    body = {"phoneNumberId": EUM_PHONE, "to": f"+{ADA}"}
    first = actions.run("send_text", {**body, "text": "One."}).result
    status = {
        "id": "wamid.of.whatsapp",
        "status": "delivered",
        "timestamp": str(NOW // 1000 + 1),
        "recipient_id": ADA,
        "biz_opaque_callback_data": first["actionId"],
    }
    actions.harness.take({"statuses": [status], "metadata": metadata}, waba=EUM_WABA)

    reply = {**body, "text": "Two.", "replyToMessageId": "wamid.of.whatsapp"}
    answer = actions.run("send_text", reply)

    assert answer.status == 200
    assert actions.wire[1].body["message"]["context"] == {"message_id": "wamid.of.whatsapp"}  # type: ignore[index] # JSON
