"""Messages and read receipts through Meta's Graph API."""

import re
from typing import Any

import pytest

from local.sandbox import Sandbox
from tests.integration.sandbox.client import GRAPH_NUMBER, MESSAGES, RECEIPT, TEXT, Client


def test_marking_as_read_succeeds_and_is_recorded(client: Client, sandbox: Sandbox) -> None:
    reply = client.post(MESSAGES, RECEIPT)

    assert (reply.status, reply.json()) == (200, {"success": True})
    [sent] = sandbox.sent
    assert (sent.provider, sent.operation, sent.path) == ("meta", "mark_as_read", MESSAGES)
    assert sent.body == RECEIPT


def test_marking_as_read_may_show_a_typing_indicator(client: Client) -> None:
    reply = client.post(MESSAGES, RECEIPT | {"typing_indicator": {"type": "text"}})

    assert reply.json() == {"success": True}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"message_id": "not-one"}, 131009),
        ({"message_id": 7}, 131009),
        ({"message_id": None}, 131009),
        ({"status": "delivered"}, 100),
        ({"messaging_product": "messenger"}, 100),
        ({"typing_indicator": {"type": "voice"}}, 100),
        ({"typing_indicator": "text"}, 100),
    ],
)
def test_a_read_receipt_that_breaks_a_rule_is_refused(
    client: Client, sandbox: Sandbox, change: dict[str, Any], code: int
) -> None:
    reply = client.post(MESSAGES, RECEIPT | change)

    assert (reply.status, reply.json()["error"]["code"]) == (400, code)
    assert sandbox.sent == []


def test_a_read_receipt_without_a_message_id_misses_a_parameter(client: Client) -> None:
    reply = client.post(MESSAGES, {"messaging_product": "whatsapp", "status": "read"})

    error = reply.json()["error"]
    assert error["code"] == 131008
    assert error["error_data"]["details"] == "Param message_id: is required"


def test_a_sent_message_gets_an_id_and_the_customers_wa_id(
    client: Client, sandbox: Sandbox
) -> None:
    reply = client.post(MESSAGES, TEXT | {"to": "+1 (650) 555-1234"})

    answer = reply.json()
    assert answer["messaging_product"] == "whatsapp"
    assert answer["contacts"] == [{"input": "+1 (650) 555-1234", "wa_id": "16505551234"}]
    assert re.fullmatch(r"wamid\..+", answer["messages"][0]["id"])
    [sent] = sandbox.sent
    assert sent.operation == "send_message"
    assert sent.answer == answer


def test_two_messages_get_different_ids(client: Client) -> None:
    first, second = (client.post(MESSAGES, TEXT).json()["messages"][0]["id"] for _ in range(2))

    assert first != second


def test_a_message_may_go_to_a_business_scoped_user_id(client: Client) -> None:
    message = {"messaging_product": "whatsapp", "recipient": "US.1349120865", "text": {"body": "x"}}

    contacts = client.post(MESSAGES, message).json()["contacts"]

    assert contacts == [{"input": "US.1349120865", "user_id": "US.1349120865"}]


def test_a_message_may_go_to_a_group(client: Client) -> None:
    message = TEXT | {"recipient_type": "group", "to": "Y2FwaV9ncm91cA"}

    assert client.post(MESSAGES, message).status == 200


def test_any_bearer_token_is_accepted_and_none_is_recorded(
    client: Client, sandbox: Sandbox
) -> None:
    client.post(MESSAGES, TEXT, authorization="Bearer s3cret")

    [sent] = sandbox.sent
    assert "content-length" in sent.headers
    assert "authorization" not in sent.headers
    assert "s3cret" not in str(sent)


BUTTON = {"type": "reply", "reply": {"id": "yes", "title": "Yes"}}
ROW = {"id": "1", "title": "One"}


def buttons(*given: object) -> dict[str, Any]:
    return {"type": "button", "body": {"text": "?"}, "action": {"buttons": list(given)}}


def rows(count: int) -> dict[str, Any]:
    sections = [{"title": "All", "rows": [ROW | {"id": str(index)} for index in range(count)]}]
    return {
        "type": "list",
        "body": {"text": "?"},
        "action": {"button": "Open", "sections": sections},
    }


def product_list(count: int) -> dict[str, Any]:
    """A list with the products in sections of twenty."""
    sections = [
        {
            "title": f"Part {first}",
            "product_items": [
                {"product_retailer_id": str(n)} for n in range(first, min(first + 20, count))
            ],
        }
        for first in range(0, count, 20)
    ]
    return {
        "type": "product_list",
        "header": {"type": "text", "text": "All"},
        "body": {"text": "?"},
        "action": {"catalog_id": "194836987003835", "sections": sections},
    }


def link(**parameters: str) -> dict[str, Any]:
    return {
        "type": "cta_url",
        "body": {"text": "?"},
        "action": {"name": "cta_url", "parameters": parameters},
    }


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("text", {"body": "x" * 4096, "preview_url": True}),
        ("image", {"link": "https://example.com/a.jpg", "caption": "x" * 1024}),
        ("document", {"id": "1003383421387258", "filename": "receipt.pdf"}),
        ("audio", {"id": "1003383421387259"}),
        ("sticker", {"id": "1003383421387261"}),
        ("reaction", {"message_id": "wamid.SGVsbG8=", "emoji": "\N{THUMBS UP SIGN}"}),
        ("reaction", {"message_id": "wamid.SGVsbG8=", "emoji": ""}),
        ("location", {"latitude": "37.4847", "longitude": -122.1486}),
        ("contacts", [{"name": {"formatted_name": "Ann"}}]),
        ("template", {"name": "order_update", "language": {"code": "en_US"}}),
        ("interactive", buttons(BUTTON)),
        ("interactive", rows(10)),
        ("interactive", link(display_text="Open", url="https://example.com")),
        (
            "interactive",
            {
                "type": "location_request_message",
                "body": {"text": "Where?"},
                "action": {"name": "send_location"},
            },
        ),
    ],
)
def test_every_kind_of_message_is_accepted(client: Client, kind: str, content: object) -> None:
    message = {"messaging_product": "whatsapp", "to": "16505551234", "type": kind, kind: content}

    assert client.post(MESSAGES, message).status == 200


@pytest.mark.parametrize(
    ("kind", "content", "details"),
    [
        ("text", {"body": "x" * 4097}, "Param text['body']: must be at most 4096 characters long"),
        ("text", {"body": ""}, "Param text['body']: must not be empty"),
        ("text", {"body": 5}, "Param text['body']: must be a string"),
        ("text", {}, "Param text['body']: is required"),
        ("text", "Hello", "Param text: must be an object"),
        ("image", {}, "Param image['id']: exactly one of id and link is required"),
        (
            "image",
            {"id": "1003383421387256", "link": "https://example.com/a.jpg"},
            "Param image['id']: exactly one of id and link is required",
        ),
        ("image", {"id": "42"}, "Param image['id']: no such media"),
        ("image", {"id": "1003383421387264"}, "Param image['id']: no such media"),
        ("video", {"link": "file:///x"}, r"Param video['link']: must match https?://\S+"),
        (
            "image",
            {"id": "1003383421387256", "caption": "x" * 1025},
            "Param image['caption']: must be at most 1024 characters long",
        ),
        (
            "location",
            {"latitude": 90.1, "longitude": 0},
            "Param location['latitude']: must be a number between -90 and 90",
        ),
        (
            "location",
            {"latitude": True, "longitude": 0},
            "Param location['latitude']: must be a number between -90 and 90",
        ),
        ("contacts", [], "Param contacts: must be a list of 1 to 10 objects"),
        ("contacts", [{"name": {}}], "Param contacts[0]['name']['formatted_name']: is required"),
        (
            "template",
            {"name": "Bad Name", "language": {"code": "en"}},
            "Param template['name']: must match [a-z0-9_]+",
        ),
        ("template", {"name": "ok"}, "Param template['language']: is required"),
        (
            "interactive",
            buttons(*[BUTTON] * 4),
            "Param interactive['action']['buttons']: must be a list of 1 to 3 objects",
        ),
        (
            "interactive",
            buttons(BUTTON, BUTTON),
            "Param interactive['action']['buttons']: ids must differ",
        ),
        (
            "interactive",
            buttons({"reply": {"id": "1", "title": "x" * 21}}),
            "Param interactive['action']['buttons'][0]['reply']['title']: "
            "must be at most 20 characters long",
        ),
        (
            "interactive",
            {"type": "button", "action": {"buttons": [BUTTON]}},
            "Param interactive['body']: is required",
        ),
        (
            "interactive",
            rows(11),
            "Param interactive['action']['sections'][0]['rows']: must be a list of 1 to 10 objects",
        ),
        (
            "interactive",
            product_list(31),
            "Param interactive['action']['sections']: must hold at most 30 products in all",
        ),
        (
            "interactive",
            product_list(1) | {"header": {"type": "image"}},
            "Param interactive['header']['type']: must be one of text",
        ),
        (
            "interactive",
            {"type": "product", "header": {"type": "text", "text": "a"}, "action": {}},
            "Param interactive['header']: is not for product",
        ),
        (
            "interactive",
            {"type": "carousel", "body": {"text": "?"}, "action": {"cards": [{}]}},
            "Param interactive['action']['cards']: must hold at least 2 cards",
        ),
        (
            "interactive",
            link(display_text="Open", url="example.com"),
            r"Param interactive['action']['parameters']['url']: must match https?://\S+",
        ),
    ],
)
def test_a_message_that_breaks_a_rule_is_refused_and_the_rule_named(
    client: Client, sandbox: Sandbox, kind: str, content: object, details: str
) -> None:
    message = {"messaging_product": "whatsapp", "to": "16505551234", "type": kind, kind: content}

    reply = client.post(MESSAGES, message)

    assert reply.status == 400
    assert reply.json()["error"]["error_data"]["details"] == details
    assert sandbox.sent == []


@pytest.mark.parametrize(
    ("change", "details"),
    [
        ({"messaging_product": "sms"}, "Param messaging_product: must be one of whatsapp"),
        ({"to": "abc"}, "Param to: must be a phone number of 7 to 15 digits"),
        ({"to": "123"}, "Param to: must be a phone number of 7 to 15 digits"),
        ({"to": 16505551234}, "Param to: must be a string"),
        ({"recipient_type": "list"}, "Param recipient_type: must be one of individual, group"),
        ({"type": "image"}, "Param image: is required"),
        ({"context": {}}, "Param context['message_id']: is required"),
        (
            {"biz_opaque_callback_data": "x" * 513},
            "Param biz_opaque_callback_data: must be at most 512 characters long",
        ),
    ],
)
def test_an_envelope_that_breaks_a_rule_is_refused(
    client: Client, sandbox: Sandbox, change: dict[str, Any], details: str
) -> None:
    reply = client.post(MESSAGES, TEXT | change)

    assert reply.json()["error"]["error_data"]["details"] == details
    assert sandbox.sent == []


def test_a_message_without_a_recipient_is_refused(client: Client) -> None:
    reply = client.post(MESSAGES, {"messaging_product": "whatsapp", "text": {"body": "x"}})

    assert reply.json()["error"]["error_data"]["details"] == "Param to: is required"


def test_a_refusal_has_the_shape_of_graph(client: Client) -> None:
    error = client.post(MESSAGES, TEXT | {"to": "abc"}).json()["error"]

    assert error.pop("fbtrace_id")
    assert error == {
        "message": "(#100) Invalid parameter",
        "type": "OAuthException",
        "code": 100,
        "error_data": {
            "messaging_product": "whatsapp",
            "details": "Param to: must be a phone number of 7 to 15 digits",
        },
    }


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b"[]", b"null", b'"text"', b'{"to": NaN}', b"[" * 200_000],
    ids=["empty", "cut", "not text", "list", "null", "string", "NaN", "deep"],
)
def test_a_body_that_is_no_message_is_refused(
    client: Client, sandbox: Sandbox, body: bytes
) -> None:
    reply = client.post(MESSAGES, body)

    assert (reply.status, reply.json()["error"]["code"]) == (400, 100)
    assert sandbox.sent == []


def test_a_lone_surrogate_in_a_text_is_accepted_and_recorded(client: Client) -> None:
    client.post(MESSAGES, TEXT | {"text": {"body": "\ud83d"}})

    [sent] = client.get("/_sent").json()
    assert sent["body"]["text"]["body"] == "\ud83d"


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer  ", "a-token", "Basic a:b"])
def test_a_request_without_a_token_has_no_effect(
    client: Client, sandbox: Sandbox, authorization: str | None
) -> None:
    reply = client.post(MESSAGES, TEXT, authorization=authorization)

    assert (reply.status, reply.json()["error"]["code"]) == (401, 190)
    assert sandbox.sent == []


@pytest.mark.parametrize("version", ["23.0", "v23", "latest", "v23.0.1", "V23.0"])
def test_a_path_without_a_proper_version_is_refused(client: Client, version: str) -> None:
    reply = client.post(f"/{version}/{GRAPH_NUMBER}/messages", TEXT)

    assert (reply.status, reply.json()["error"]["code"]) == (400, 2500)


@pytest.mark.parametrize("number", ["999", "206540352242933"], ids=["unknown", "on AWS"])
def test_a_number_unknown_to_graph_is_refused(
    client: Client, sandbox: Sandbox, number: str
) -> None:
    reply = client.post(f"/v23.0/{number}/messages", TEXT)

    error = reply.json()["error"]
    assert (reply.status, error["code"], error["error_subcode"]) == (400, 100, 33)
    assert sandbox.sent == []
