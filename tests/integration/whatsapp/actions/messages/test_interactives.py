"""Interactive messages: each kind, and refused ones."""

from typing import Any

import pytest

from tests.integration.whatsapp.actions import wire
from tests.integration.whatsapp.actions.conftest import GLOBEX_PHONE, Actions
from tests.integration.whatsapp.conftest import PHONE
from whatsapp import store
from whatsapp.store.items import Media

MESSAGES = "/{Version}/{Phone-Number-ID}/messages"
# The kinds that Meta's document describes.
DESCRIBED = {
    "button",
    "call_permission_request",
    "catalog_message",
    "list",
    "product",
    "product_list",
    "flow",
}
BODY = {"body": {"text": "Choose."}}
REPLY = {"type": "reply", "reply": {"id": "yes", "title": "Yes"}}
LINK = {"name": "cta_url", "parameters": {"display_text": "Open", "url": "https://acme.example/a"}}
PRODUCT = {"catalog_id": "194836987003835", "product_retailer_id": "bike-1"}
SECTION = {"title": "Bikes", "product_items": [{"product_retailer_id": "bike-1"}]}
ROWS = {"title": "All", "rows": [{"id": "1", "title": "One", "description": "The first"}]}
HEADER = {"header": {"type": "text", "text": "Bikes"}}
FLOW = {
    "flow_message_version": "3",
    "flow_token": "token-1",
    "flow_id": "12345678",
    "flow_cta": "Begin",
    "flow_action": "navigate",
    "flow_action_payload": {"screen": "FIRST", "data": {"a": 1}},
}


def card(index: int, **more: Any) -> dict[str, Any]:
    file = {"type": "image", "image": {"link": f"https://acme.example/{index}.jpg"}}
    return {"card_index": index, "type": "cta_url", "header": file, "action": LINK} | more


VALID: dict[str, dict[str, Any]] = {
    "button": {**HEADER, **BODY, "footer": {"text": "Thanks"}, "action": {"buttons": [REPLY]}},
    "list": {**HEADER, **BODY, "action": {"button": "Open", "sections": [ROWS]}},
    "product": {"action": PRODUCT},
    "product_list": {
        **HEADER,
        **BODY,
        "action": {"catalog_id": PRODUCT["catalog_id"], "sections": [SECTION]},
    },
    "cta_url": {**BODY, "action": LINK},
    "flow": {**BODY, "action": {"name": "flow", "parameters": FLOW}},
    "location_request_message": {**BODY, "action": {"name": "send_location"}},
    "address_message": {
        **BODY,
        "action": {"name": "address_message", "parameters": {"country": "IN"}},
    },
    "carousel": {**BODY, "action": {"cards": [card(0), card(1)]}},
    "voice_call": {
        **BODY,
        "action": {"name": "voice_call", "parameters": {"display_text": "Call us"}},
    },
    "call_permission_request": {**BODY, "action": {"name": "call_permission_request"}},
    "catalog_message": {
        **BODY,
        "action": {
            "name": "catalog_message",
            "parameters": {"thumbnail_product_retailer_id": "bike-1"},
        },
    },
}


@pytest.mark.parametrize("kind", list(VALID))
def test_an_interactive_message_of_each_kind_is_sent_and_stored(
    actions: Actions, kind: str
) -> None:
    body = {"interactiveType": kind, "interactive": VALID[kind]}
    answer = actions.send("send_interactive", body)

    [sent] = actions.wire
    if kind in DESCRIBED:
        assert wire.problems(sent, "POST", MESSAGES) == []
    assert sent.path == f"/v23.0/{PHONE}/messages"
    assert sent.body["interactive"] == {"type": kind, **VALID[kind]}  # type: ignore[index] # JSON
    stored = actions.item(answer.result["messagePk"])
    assert (stored["type"], stored["content"]["type"]) == ("interactive", kind)
    assert stored["preview"] == (f"[{kind}]" if kind == "product" else "Choose.")


def buttons(*titles: str) -> dict[str, Any]:
    replies = [
        {"type": "reply", "reply": {"id": str(n), "title": title}} for n, title in enumerate(titles)
    ]
    return {**BODY, "action": {"buttons": replies}}


def rows(*counts: int, title: str | None = "All") -> dict[str, Any]:
    named = {"title": title} if title else {}
    sections = [
        {**named, "rows": [{"id": f"{n}-{row}", "title": "Row"} for row in range(count)]}
        for n, count in enumerate(counts)
    ]
    return {**BODY, "action": {"button": "Open", "sections": sections}}


def products(count: int) -> dict[str, Any]:
    sections = [
        {
            "title": f"Part {part}",
            "product_items": [
                {"product_retailer_id": f"bike-{n}"}
                for n in range(part * 10, min(count, part * 10 + 10))
            ],
        }
        for part in range(-(-count // 10))
    ]
    catalog = {"catalog_id": PRODUCT["catalog_id"], "sections": sections}
    return {**HEADER, **BODY, "action": catalog}


def cards(*given: dict[str, Any]) -> dict[str, Any]:
    return {**BODY, "action": {"cards": list(given)}}


def address_in(country: str) -> dict[str, Any]:
    action = {"name": "address_message", "parameters": {"country": country}}
    return {**BODY, "action": action}


LONG = {"body": {"text": "x" * 1_025}}


@pytest.mark.parametrize(
    ("kind", "interactive", "field"),
    [
        ("button", buttons("a", "b", "c", "d"), "action.buttons"),
        ("button", buttons("x" * 21), "action.buttons.0.reply.title"),
        ("button", buttons("same", "same"), "action"),
        ("button", {**buttons("a"), **LONG}, "body.text"),
        ("button", {"action": buttons("a")["action"]}, "body"),
        ("button", {**buttons("a"), "footer": {"text": "x" * 61}}, "footer.text"),
        ("button", {**buttons("a"), "colour": "red"}, "colour"),
        ("button", {**buttons("a"), "header": {"type": "image"}}, "header"),
        ("list", rows(6, 5), "action"),
        ("list", rows(11), "action.sections.0.rows"),
        ("list", rows(1, 1, title=None), "action"),
        ("list", {**rows(1), "body": {"text": "x" * 4_097}}, "body.text"),
        (
            "list",
            {**rows(1), "header": {"type": "image", "image": {"id": "1"}}},
            "header.type",
        ),
        (
            "cta_url",
            {**BODY, "action": {**LINK, "parameters": {"display_text": "a", "url": "http://a.b"}}},
            "action.parameters.url",
        ),
        (
            "cta_url",
            {
                **BODY,
                "action": {
                    **LINK,
                    "parameters": {"display_text": "x" * 21, "url": "https://a.example"},
                },
            },
            "action.parameters.display_text",
        ),
        ("product", {**HEADER, "action": PRODUCT}, "header"),
        ("product_list", products(31), "action.sections"),
        ("product_list", {"body": BODY["body"], "action": products(1)["action"]}, "header"),
        ("catalog_message", {**BODY, **HEADER, "action": {"name": "catalog_message"}}, "header"),
        ("flow", {**BODY, "action": {"name": "flow", "parameters": {**FLOW, "flow_name": "a"}}}, "action.parameters"),
        ("carousel", cards(card(0)), "action.cards"),
        ("carousel", cards(*[card(n) for n in range(11)]), "action.cards"),
        ("carousel", cards(card(0), card(2)), "action"),
        ("carousel", {**cards(card(0), card(1)), **HEADER}, "header"),
        ("carousel", cards(card(0), card(1, body={"text": "x" * 161})), "action.cards.1.body.text"),
        ("carousel", cards(card(0), {"card_index": 1, "type": "product", "action": PRODUCT}), "action"),
        ("address_message", address_in("GB"), "action.parameters.country"),
        ("location_request_message", {"action": {"name": "send_location"}}, "body"),
    ],
)  # fmt: skip
def test_an_object_beyond_the_limits_is_refused_with_its_place(
    actions: Actions, kind: str, interactive: dict[str, Any], field: str
) -> None:
    body = {"interactiveType": kind, "interactive": interactive}
    answer = actions.send("send_interactive", body)

    assert (answer.status, answer.error, actions.wire) == (400, "invalid_input", [])
    assert f"interactive.{field}" in answer.fields


@pytest.mark.parametrize("kind", ["order_details", "order_status", "button ", "Button"])
def test_another_kind_is_refused(actions: Actions, kind: str) -> None:
    body = {"interactiveType": kind, "interactive": VALID["button"]}
    answer = actions.send("send_interactive", body)

    assert (answer.status, answer.fields) == (400, ["interactiveType"])


def test_a_header_with_a_file_of_another_company_is_refused(actions: Actions) -> None:
    record = Media(pk=Media.key("9001"), media_id="9001", company="globex", phone=GLOBEX_PHONE)
    store.media.add(actions.harness.resources.table, record)
    header = {"header": {"type": "image", "image": {"id": "9001"}}}

    body = {"interactiveType": "button", "interactive": {**VALID["button"], **header}}
    answer = actions.send("send_interactive", body)

    assert (answer.status, answer.error, actions.wire) == (404, "not_found", [])


def test_long_content_is_kept_whole_in_the_bucket(actions: Actions) -> None:
    wide = "\N{BICYCLE}" * 4_000
    interactive = {**rows(10), "body": {"text": wide}}
    answer = actions.send(
        "send_interactive", {"interactiveType": "list", "interactive": interactive}
    )

    stored = actions.item(answer.result["messagePk"])
    assert "content" not in stored
    assert stored["contentS3Key"].startswith(f"content/acme/{PHONE}/")
    again = actions.run("resend_message", {"messageId": answer.result["messagePk"]})
    assert again.status == 200
    assert actions.wire[1].body["interactive"] == actions.wire[0].body["interactive"]  # type: ignore[index] # JSON


def test_long_content_of_a_message_that_was_not_sent_is_removed(actions: Actions) -> None:
    interactive = {**rows(10), "body": {"text": "\N{BICYCLE}" * 4_000}}
    body = {"interactiveType": "list", "interactive": interactive}
    actions.sandbox.faults.add(provider="meta", operation="send_message", kind="status", status=429)
    answer = actions.send("send_interactive", body, key="key-long-1")

    assert answer.status == 429
    bucket = actions.harness.resources.bucket
    assert bucket.keys_under("content/acme/") == []
    assert actions.send("send_interactive", body, key="key-long-1").status == 200
    assert len(bucket.keys_under("content/acme/")) == 1


def test_a_link_button_has_header_body_and_footer(actions: Actions) -> None:
    body = {
        "text": "Track your order.",
        "buttonText": "Track",
        "url": "https://acme.example/track?id=1",
        "headerText": "Order",
        "footerText": "Acme",
    }
    actions.send("send_cta_url", body)

    assert actions.wire[0].body["interactive"] == {  # type: ignore[index] # JSON
        "type": "cta_url",
        "header": {"type": "text", "text": "Order"},
        "body": {"text": "Track your order."},
        "footer": {"text": "Acme"},
        "action": {
            "name": "cta_url",
            "parameters": {"display_text": "Track", "url": "https://acme.example/track?id=1"},
        },
    }
    assert actions.send("send_cta_url", {**body, "dryRun": True}).result["state"] == "dry_run"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"url": "http://acme.example"}, "url"),
        ({"url": "https://user@acme.example"}, "url"),
        ({"url": "https://127.0.0.1/"}, "url"),
        ({"buttonText": "x" * 21}, "buttonText"),
        ({"bodyText": "x" * 1_025}, "bodyText"),
        ({"footerText": "x" * 61}, "footerText"),
    ],
)
def test_a_link_button_beyond_the_limits_is_refused(
    actions: Actions, change: dict[str, str], field: str
) -> None:
    body = {"bodyText": "Track.", "buttonText": "Track", "url": "https://acme.example/"}
    answer = actions.send("send_cta_url", body | change)

    assert (answer.status, answer.fields) == (400, [field])


def test_the_customer_is_asked_for_a_location(actions: Actions) -> None:
    answer = actions.send("send_location_request", {"body": "Where are you?"})

    assert answer.status == 200
    assert actions.wire[0].body["interactive"] == {  # type: ignore[index] # JSON
        "type": "location_request_message",
        "body": {"text": "Where are you?"},
        "action": {"name": "send_location"},
    }


BUTTON_MESSAGE = {
    "body": {"text": "Collect today?"},
    "action": {"buttons": [{"type": "reply", "reply": {"id": "yes", "title": "Yes"}}]},
}


@pytest.mark.parametrize("named", [{}, {"interactiveType": "button"}])
def test_the_type_may_be_in_the_object_as_in_metas_payload(
    actions: Actions, named: dict[str, str]
) -> None:
    body = {**named, "interactive": {"type": "button", **BUTTON_MESSAGE}}

    answer = actions.send("send_interactive", {**body, "dryRun": True})

    assert answer.result["payload"]["interactive"] == body["interactive"]


@pytest.mark.parametrize(
    ("body", "field", "rule"),
    [
        (
            {"interactiveType": "list", "interactive": {"type": "button", **BUTTON_MESSAGE}},
            "interactive.type",
            "must equal interactiveType",
        ),
        (
            {"interactive": {"type": "order_details", **BUTTON_MESSAGE}},
            "interactive.type",
            "must be one of button, list",
        ),
        ({"interactive": {"type": 7, **BUTTON_MESSAGE}}, "interactive.type", "must be one of"),
        ({"interactive": {"type": ["button"]}}, "interactive.type", "must be one of"),
        ({"interactive": BUTTON_MESSAGE}, "interactiveType", "is required"),
        ({"interactive": {"type": "list", **BUTTON_MESSAGE}}, "interactive.action.button", ""),
    ],
)
def test_a_type_of_another_kind_or_none_is_refused(
    actions: Actions, body: dict[str, Any], field: str, rule: str
) -> None:
    answer = actions.send("send_interactive", body)

    assert (answer.status, answer.error) == (400, "invalid_input")
    assert field in answer.fields
    assert rule in answer.body["error"]["message"]
    assert actions.wire == []
