"""Translation of WhatsApp events into the events shared by all contexts."""

import json
from typing import Any

import pytest
from pydantic import TypeAdapter

from shared.events.exchange import Button, File, InboundMessage, Location, body_of
from tests.cases import each
from whatsapp.inbound.content import describe
from whatsapp.inbound.event import Event
from whatsapp.worker.forwarding import translation
from whatsapp.worker.forwarding.translation import Number

COUNTER = Number("meta", "102290129340398", "+15550783881", "acme")
FROM = {"id": "wamid.1", "from": "447700900101", "timestamp": "1767268700"}


def event(payload: dict[str, Any], kind: str = "message", **facts: Any) -> Event:
    known: dict[str, Any] = {
        "kind": kind, "id": "wamid.1", "source": "meta", "app": "1", "accepted_at": 0, "waba": "1", "phone": "1",
        "display_phone": "1", "field": "messages", "at": 0, "index": 0, "contact": None, "payload": payload,
        "hash": "h",
    }  # fmt: skip
    return Event(**known | facts)


def translated(
    payload: dict[str, Any], kind: str = "message", *, file_url: str | None = None, **facts: Any
) -> InboundMessage:
    return translation.message(
        event(payload, kind, **facts),
        describe(payload),
        COUNTER,
        received_at="2026-01-01T11:58:20.000Z",
        file_url=file_url,
    )


def said(kind: str, part: Any, **more: Any) -> InboundMessage:
    return translated(FROM | {"type": kind, kind: part} | more)


def test_a_text_event_has_both_addresses_and_the_time_of_receipt() -> None:
    contact = {"wa_id": "447700900101", "profile": {"name": "Ada Byrne"}}
    payload = FROM | {"type": "text", "text": {"body": "Is it ready?"}}

    assert translated(payload, contact=contact) == InboundMessage(
        provider="meta",
        provider_message_id="wamid.1",
        account="102290129340398",
        company="acme",
        channel_method="whatsapp",
        business_address="+15550783881",
        customer_address="+447700900101",
        profile_name="Ada Byrne",
        received_at="2026-01-01T11:58:20.000Z",
        kind="text",
        text="Is it ready?",
    )


def test_an_echo_is_an_agents_reply_to_its_recipient() -> None:
    echo = {"id": "wamid.1", "from": "15550783881", "to": "447700900101", "timestamp": "1"}
    found = translated(echo | {"type": "text", "text": {"body": "At five."}}, "echo")

    assert (found.type, found.customer_address, found.text) == (
        "human_reply",
        "+447700900101",
        "At five.",
    )
    assert found.business_address == "+15550783881"


def test_a_customer_without_a_number_is_identified_by_the_user_id() -> None:
    found = translated(
        {"id": "wamid.1", "from_user_id": "GB.139", "type": "text", "text": {"body": "x"}}
    )

    assert (found.customer_address, found.customer_user_id) == (None, "GB.139")


def test_a_reply_names_the_answered_message() -> None:
    context = {"from": "15550783881", "id": "wamid.0", "forwarded": True}
    found = said("text", {"body": "yes"}, context=context)

    assert found.reply_to == "wamid.0"
    assert found.extra == {"context": {"forwarded": True}}


REPLIES: list[tuple[str, dict[str, Any], str, Button]] = [
    ("button", {"payload": "STOP", "text": "No more"}, "button", Button(payload="STOP", label="No more")),
    ("interactive", {"type": "button_reply", "button_reply": {"id": "b1", "title": "Yes"}}, "button",
     Button(payload="b1", label="Yes")),
    ("interactive", {"type": "list_reply", "list_reply": {"id": "r2", "title": "Brakes"}}, "list",
     Button(payload="r2", label="Brakes")),
]  # fmt: skip


@pytest.mark.parametrize(("word", "part", "kind", "button"), REPLIES)
def test_a_button_reply_has_its_payload_and_label_and_no_text(
    word: str, part: dict[str, Any], kind: str, button: Button
) -> None:
    found = said(word, part)

    assert (found.kind, found.button, found.text) == (kind, button, None)


def test_the_description_of_a_list_entry_is_kept() -> None:
    answer = {"id": "r2", "title": "Brakes", "description": "Pads and cables"}
    found = said("interactive", {"type": "list_reply", "list_reply": answer})

    assert found.extra == {
        "interactive": {"list_reply": {"description": "Pads and cables"}},
        "type": "interactive",
    }


@pytest.mark.parametrize("word", ["image", "video", "audio", "document", "sticker"])
def test_a_file_has_the_providers_id_until_a_copy_is_stored(word: str) -> None:
    part = {"id": "77", "mime_type": "image/jpeg", "sha256": "h", "url": "https://signed"}
    found = said(word, part)

    assert (found.kind, found.text) == ("media", None)
    assert found.media == [File(provider_id="77", mime_type="image/jpeg")]
    assert found.extra == {"type": word}


def test_a_stored_file_has_its_location_name_and_caption() -> None:
    part = {"id": "77", "mime_type": "application/pdf", "filename": "a.pdf", "caption": "See here"}
    found = translated(
        FROM | {"type": "document", "document": part},
        file_url="s3://media/media/acme/1/77/file.pdf",
    )

    assert found.text == "See here"
    assert found.media == [
        File(
            url="s3://media/media/acme/1/77/file.pdf",
            provider_id="77",
            mime_type="application/pdf",
            name="a.pdf",
        )
    ]


def test_a_voice_message_is_marked() -> None:
    assert said("audio", {"id": "7", "voice": True}).extra["audio"] == {"voice": True}


def test_a_file_without_an_id_is_unknown() -> None:
    found = said("image", {"mime_type": "image/jpeg"})

    assert (found.kind, found.media, found.extra) == ("unknown", [], {"type": "image"})


def test_a_location_is_forwarded_as_the_provider_wrote_it() -> None:
    part = {"latitude": 52.5, "longitude": "13.40", "name": "Shop", "address": "1 Mill Lane"}
    found = said("location", part)

    assert found.location == Location(
        latitude="52.5", longitude="13.40", name="Shop", address="1 Mill Lane"
    )
    assert found.extra == {}


@pytest.mark.parametrize("part", [{"latitude": 52.5}, {"latitude": True, "longitude": 1}, None, []])
def test_an_incomplete_location_is_unknown(part: Any) -> None:
    assert said("location", part).kind == "unknown"


def test_contacts_are_forwarded_unchanged() -> None:
    people = [{"name": {"formatted_name": "Ann"}}]
    found = said("contacts", people)

    assert (found.kind, found.extra) == ("contacts", {"contacts": people})


def test_a_reaction_names_its_message() -> None:
    found = said("reaction", {"message_id": "wamid.0", "emoji": "👍"})

    assert (found.kind, found.text, found.reply_to) == ("reaction", "👍", "wamid.0")


UNKNOWN: list[tuple[str, Any]] = [
    ("order", {"catalog_id": "1", "product_items": [{"quantity": 2}]}),
    ("interactive", {"type": "nfm_reply", "nfm_reply": {"name": "flow", "response_json": "{}"}}),
    ("interactive", {"type": "text", "text": {"body": "x"}}),
    ("request_welcome", None),
    ("hologram", {"words": "hello"}),
    ("button_reply", {"id": "b1"}),
    ("human_reply", "x"),
]


@pytest.mark.parametrize(("word", "part"), UNKNOWN)
def test_any_other_content_is_unknown_and_kept_unchanged(word: str, part: Any) -> None:
    found = said(word, part, errors=[{"code": 131051}])

    assert (found.kind, found.text, found.button) == ("unknown", None, None)
    wanted = {"type": word, "errors": [{"code": 131051}]} | ({word: part} if part else {})
    assert found.extra == wanted


def test_a_message_from_an_ad_names_the_ad() -> None:
    referral = {"source_id": "120", "source_type": "ad"}

    assert said("text", {"body": "hi"}, referral=referral).extra == {"referral": referral}


ODD: list[dict[str, Any]] = [
    {},
    {"type": 5},
    {"type": "text"},
    {"type": "text", "text": "words"},
    {"type": "text", "text": {"body": {"a": 1}}},
    {"type": "button", "button": []},
    {"type": "interactive", "interactive": {"type": "button_reply", "button_reply": None}},
    {"type": "reaction", "reaction": "x"},
    {"type": "image", "image": None},
    {"type": "context", "context": "x"},
    {"type": "type"},
    {"type": "id"},
]


@each("payload", ODD)
def test_any_provider_message_can_be_translated_and_parsed(payload: dict[str, Any]) -> None:
    found = translated(FROM | payload)

    assert TypeAdapter(InboundMessage).validate_json(body_of(found)) == found


def test_no_message_is_too_long_for_a_queue() -> None:
    body = "😀" * 2_000_000
    found = said("text", {"body": body}, context={"id": "wamid.0"}, unheard_of=body)

    assert found.text == "😀" * 65_536
    assert found.extra == {"parley_left_out": 1}
    assert len(body_of(found)) < 900_000
    place = said("location", {"latitude": 1, "longitude": 2, "name": body, "address": body})
    assert len(body_of(place)) < 50_000
    file = said("document", {"id": "7", "filename": body, "caption": body})
    assert len(body_of(file)) < 900_000


def test_a_status_has_the_providers_value_and_no_address_of_the_customer() -> None:
    pricing = {"billable": True, "category": "utility"}
    payload = {
        "id": "wamid.1", "status": "failed", "timestamp": "1767268700", "recipient_id": "447700900101",
        "recipient_user_id": "GB.1", "biz_opaque_callback_data": "act1", "pricing": pricing,
        "errors": [{"code": 131026, "title": "Undeliverable"}],
    }  # fmt: skip
    found = translation.delivery_status(
        event(payload, "status"),
        COUNTER,
        action_id="act1",
        error_code="131026",
        occurred_at="2026-01-01T11:58:20.000Z",
    )

    assert json.loads(body_of(found)) == {
        "type": "delivery_status",
        "v": 1,
        "provider": "meta",
        "provider_message_id": "wamid.1",
        "account": "102290129340398",
        "channel_method": "whatsapp",
        "business_address": COUNTER.address,
        "action_id": "act1",
        "status": "failed",
        "error_code": "131026",
        "occurred_at": "2026-01-01T11:58:20.000Z",
        "extra": {"pricing": pricing, "errors": [{"code": 131026, "title": "Undeliverable"}]},
    }
