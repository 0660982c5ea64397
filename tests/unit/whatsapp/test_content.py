"""The content of a provider's message, by type."""

import copy
from typing import Any

import pytest

from tests.cases import each
from whatsapp.inbound.content import Content, describe

CASES: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "text",
        {"type": "text", "text": {"body": "Is my bike ready?"}},
        {"type": "text", "text_body": "Is my bike ready?", "preview": "Is my bike ready?"},
    ),
    (
        "image with caption",
        {"type": "image", "image": {"id": "1", "mime_type": "image/jpeg", "caption": "dent"}},
        {"type": "image", "caption": "dent", "preview": "dent", "text_body": None},
    ),
    (
        "image",
        {"type": "image", "image": {"id": "1", "mime_type": "image/jpeg"}},
        {"preview": "[image]"},
    ),
    (
        "document",
        {"type": "document", "document": {"id": "1", "filename": "offer.pdf"}},
        {"type": "document", "preview": "[document] offer.pdf"},
    ),
    (
        "contacts beyond ten",
        {"type": "contacts", "contacts": [{"name": {"formatted_name": str(n)}} for n in range(12)]},
        {"content": {"contacts": [{"name": {"formatted_name": str(n)}} for n in range(12)]}},
    ),
    (
        "order items beyond a hundred",
        {"type": "order", "order": {"product_items": [{"quantity": n} for n in range(120)], "note": "soon"}},
        {
            "content": {"items": [{"quantity": n} for n in range(120)]}, "preview": "[order, 120 items]",
            "other_fields": {"order": {"note": "soon"}},
        },
    ),
    (
        "list reply with a description",
        {
            "type": "interactive",
            "interactive": {"type": "list_reply", "list_reply": {"id": "r", "title": "Brakes", "description": "disc"}},
        },
        {"content": {"kind": "list_reply", "replyId": "r", "answer": {"description": "disc"}}},
    ),
    (
        "an answer of next year",
        {"type": "interactive", "interactive": {"type": "dance_reply", "dance_reply": {"steps": 3}, "tempo": 90}},
        {
            "subtype": "dance_reply", "content": {"kind": "dance_reply", "answer": {"steps": 3}},
            "other_fields": {"interactive": {"tempo": 90}},
        },
    ),
    (
        "an answer without its part",
        {"type": "interactive", "interactive": {"type": "dance_reply", "dance": {"steps": 3}}},
        {"other_fields": {"interactive": {"dance": {"steps": 3}}}},
    ),
    (
        "errors of a file",
        {"type": "image", "image": {"id": "1"}, "errors": [{"code": 131052, "href": "https://x"}]},
        {"errors": [{"code": 131052, "href": "https://x"}]},
    ),
    (
        "errors of another shape",
        {"type": "text", "text": {"body": "x"}, "errors": ["late"]},
        {"errors": [], "other_fields": {"errors": ["late"]}},
    ),
    (
        "a context with more than the answered message",
        {"type": "text", "text": {"body": "x"}, "context": {"id": "wamid.0", "from": "1", "forwarded": True}},
        {"reply_to": "wamid.0", "forwarded": True, "other_fields": {"context": {"from": "1"}}},
    ),
    (
        "a file name that is too long for the item",
        {"type": "document", "document": {"id": "1", "filename": "x" * 300, "pages": 2}},
        {"other_fields": {"document": {"filename": "x" * 300, "pages": 2}}},
    ),
    ("media without an id", {"type": "video", "video": {}}, {"type": "video", "media": None}),
    (
        "location",
        {"type": "location", "location": {"latitude": 52.5, "longitude": 13.4, "name": "Shop"}},
        {"preview": "[location] Shop", "content": {"latitude": 52.5, "longitude": 13.4, "name": "Shop"}},
    ),
    (
        "contacts",
        {"type": "contacts", "contacts": [{"name": {"formatted_name": "Ann"}}]},
        {"preview": "[contacts, 1]"},
    ),
    (
        "button reply",
        {
            "type": "interactive",
            "interactive": {"type": "button_reply", "button_reply": {"id": "b1", "title": "Yes"}},
        },
        {"subtype": "button_reply", "text_body": "Yes", "content": {"kind": "button_reply", "replyId": "b1"}},
    ),
    (
        "list reply",
        {
            "type": "interactive",
            "interactive": {"type": "list_reply", "list_reply": {"id": "r2", "title": "Brakes"}},
        },
        {"subtype": "list_reply", "text_body": "Brakes"},
    ),
    (
        "template button",
        {"type": "button", "button": {"text": "Stop", "payload": "STOP"}},
        {"type": "interactive", "subtype": "button", "text_body": "Stop", "content": {"payload": "STOP"}},
    ),
    (
        "order",
        {"type": "order", "order": {"catalog_id": "7", "product_items": [{}, {}]}},
        {"type": "interactive", "subtype": "order", "preview": "[order, 2 items]"},
    ),
    (
        "system",
        {"type": "system", "system": {"body": "changed number", "type": "user_changed_number"}},
        {"type": "text", "subtype": "system", "text_body": "changed number", "opens_window": False},
    ),
    (
        "unsupported",
        {"type": "unsupported", "errors": [{"code": 131051}]},
        {"type": "text", "subtype": "unsupported", "text_body": None, "errors": [{"code": 131051}]},
    ),
    (
        "a type of next year",
        {"type": "hologram", "hologram": {"id": "1"}},
        {"type": "text", "subtype": "hologram", "preview": "[hologram]", "opens_window": False},
    ),
    ("no type at all", {"id": "x"}, {"type": "text", "subtype": "unknown"}),
    ("parts of the wrong shape", {"type": "text", "text": ["body"]}, {"text_body": None}),
]  # fmt: skip


@each(("message", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_each_type_is_mapped_to_the_contracts_value(
    message: dict[str, Any], expected: dict[str, Any]
) -> None:
    described = describe(message)

    assert {name: getattr(described, name) for name in expected} == expected


@pytest.mark.parametrize("kind", ["text", "image", "location", "contacts", "button", "order"])
def test_a_message_written_by_the_customer_opens_the_window(kind: str) -> None:
    assert describe({"type": kind}).opens_window


@pytest.mark.parametrize(
    "kind", ["system", "unsupported", "reaction", "edit", "revoke", "hologram"]
)
def test_a_message_not_written_by_the_customer_does_not_open_the_window(kind: str) -> None:
    assert not describe({"type": kind}).opens_window


@pytest.mark.parametrize(
    ("kind", "is_unknown"), [("hologram", True), ("text", False), ("unsupported", False)]
)
def test_an_unknown_type_is_reported(kind: str, is_unknown: bool) -> None:
    assert describe({"type": kind}).is_unknown is is_unknown


def test_a_preview_is_short() -> None:
    assert len(describe({"type": "text", "text": {"body": "x" * 5000}}).preview) == 120


def test_an_unknown_type_keeps_its_content() -> None:
    message = {"type": "hologram", "hologram": {"depth": 3}}

    assert describe(message).content == {"raw": message}


def test_a_sticker_says_whether_it_is_animated() -> None:
    sticker = {"id": "1", "mime_type": "image/webp", "animated": True, "url": "https://expires"}
    described = describe({"type": "sticker", "sticker": sticker})

    assert described.media is not None
    assert described.media.animated is True
    assert described.other_fields == {}


def test_describing_a_message_does_not_change_it() -> None:
    message = {"type": "text", "text": {"body": "x", "new": [1]}, "context": {"id": "1"}}
    before = copy.deepcopy(message)
    described = describe(message)
    described.other_fields["text"]["new"].append(2)

    assert message == before


def test_a_file_message_has_the_files_attributes() -> None:
    described: Content = describe(
        {
            "type": "audio",
            "audio": {
                "id": "9",
                "mime_type": "audio/ogg; codecs=opus",
                "sha256": "aGFzaA==",
                "voice": True,
            },
        }
    )

    assert described.media is not None
    assert (described.media.media_id, described.media.sha256, described.media.voice) == (
        "9",
        "aGFzaA==",
        True,
    )
