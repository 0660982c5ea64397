"""Translation of Twilio's fields into events."""

import json
from typing import Any

import pytest

from conversations.inbound.webhooks import twilio_events
from events.conversations.twilio import ACCOUNT, SMS_NUMBER, sid_of, status, text, whatsapp
from shared.events.exchange import Button, DeliveryStatus, File, InboundMessage, Location, body_of
from tests.cases import each

NOW = 1_767_268_800_000  # 2026-01-01T12:00:00Z
MEDIA = "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME"


def message(fields: dict[str, Any]) -> InboundMessage:
    return twilio_events.inbound_message(fields, ACCOUNT, NOW)


def test_an_sms() -> None:
    assert message(text("t", "Grüße 😀")) == InboundMessage(
        provider="twilio",
        provider_message_id=sid_of("t"),
        account=ACCOUNT,
        channel_method="sms",
        business_address="+12025550142",
        customer_address="+447700900123",
        received_at="2026-01-01T12:00:00.000Z",
        kind="text",
        text="Grüße 😀",
        extra={
            "ToCountry": "US",
            "FromCity": "",
            "SmsStatus": "received",
            "NumSegments": "1",
            "ApiVersion": "2010-04-01",
        },
    )


def test_a_message_over_whatsapp() -> None:
    event = message(whatsapp("w", OriginalRepliedMessageSid="SM9", Forwarded="true"))

    assert (event.channel_method, event.kind, event.text) == ("whatsapp", "text", "Hello")
    assert (event.business_address, event.customer_address) == ("+12025550143", "+447700900123")
    assert (event.profile_name, event.reply_to) == ("Ann", "SM9")
    assert (event.extra["WaId"], event.extra["Forwarded"]) == ("447700900123", "true")


def test_a_sender_with_a_hidden_number_is_identified_by_the_business_scoped_id() -> None:
    hidden = message(whatsapp("w", From="whatsapp:GB.20417733968512046377"))
    both = message(whatsapp("w", ExternalUserId="whatsapp:GB.20417733968512046377"))

    assert (hidden.customer_address, hidden.customer_user_id) == (None, "GB.20417733968512046377")
    assert (both.customer_address, both.customer_user_id) == (
        "+447700900123",
        "GB.20417733968512046377",
    )


@pytest.mark.parametrize("sender", ["12345", "Bank", "+447700900123"])
def test_an_sms_may_come_from_a_short_code_or_a_name(sender: str) -> None:
    assert message(text("t", From=sender)).customer_address == sender


def test_an_address_of_another_kind_is_passed_on_for_the_intake_to_park() -> None:
    event = message(text("t", From="rcs:+447700900123", To="rcs:acme"))

    assert (event.channel_method, event.business_address) == ("sms", "rcs:acme")
    assert event.customer_address == "rcs:+447700900123"


PICTURE = {"NumMedia": "1", "MediaUrl0": f"{MEDIA}0", "MediaContentType0": "image/jpeg"}


def test_files_keep_their_order_and_their_type() -> None:
    fields = {f"MediaUrl{n}": f"{MEDIA}{n}" for n in (10, 2, 1, 0)}
    types = {"MediaContentType0": "image/jpeg", "MediaContentType10": "application/pdf"}

    event = message(text("m", "", NumMedia="4", **fields, **types))

    assert (event.kind, event.text) == ("media", "")
    assert event.media == [
        File(url=f"{MEDIA}0", provider_id="ME0", mime_type="image/jpeg"),
        File(url=f"{MEDIA}1", provider_id="ME1"),
        File(url=f"{MEDIA}2", provider_id="ME2"),
        File(url=f"{MEDIA}10", provider_id="ME10", mime_type="application/pdf"),
    ]
    assert not [name for name in event.extra if name.startswith("Media")]


@pytest.mark.parametrize("count", ["0", "7", "many", ""])
def test_files_are_read_regardless_of_the_declared_count(count: str) -> None:
    assert len(message(text("m", **PICTURE | {"NumMedia": count})).media) == 1


def test_a_button_reply_has_its_payload_and_label() -> None:
    event = message(whatsapp("b", "Yes", ButtonPayload="confirm", ButtonText="Yes"))

    assert (event.kind, event.button) == ("button", Button(payload="confirm", label="Yes"))
    assert event.text == "Yes"


def test_a_button_reply_without_a_payload_is_accepted() -> None:
    assert message(whatsapp("b", ButtonText="STOP")).button == Button(label="STOP")


def test_a_list_reply_has_its_id_and_title() -> None:
    event = message(whatsapp("l", ListId="row-1", ListTitle="Tomorrow"))

    assert (event.kind, event.button) == ("list", Button(payload="row-1", label="Tomorrow"))


def test_a_location_keeps_its_coordinates_as_written() -> None:
    event = message(
        whatsapp("p", "", Latitude="51.50", Longitude="-0.12", Label="Office", Address="1 Road")
    )

    assert event.kind == "location"
    assert event.location == Location(
        latitude="51.50", longitude="-0.12", name="Office", address="1 Road"
    )


def test_an_incomplete_location_is_ignored() -> None:
    event = message(whatsapp("p", "", Latitude="51.50"))

    assert (event.kind, event.location) == ("unknown", None)
    assert event.extra["Latitude"] == "51.50"


@each(
    ("fields", "kind"),
    [
        (text("k", ""), "text"),
        (text("k", "", **PICTURE), "media"),
        (text("k", "a caption", **PICTURE), "media"),
        (whatsapp("k", "", MessageType="contacts", **PICTURE), "contacts"),
        (whatsapp("k", "👍", MessageType="reaction"), "reaction"),
        (whatsapp("k", "", MessageType="image", **PICTURE), "media"),
        (whatsapp("k", "", MessageType="unsupported"), "unknown"),
        (whatsapp("k", "Hi", MessageType="hologram"), "text"),
    ],
)
def test_the_kind_of_a_message(fields: dict[str, str], kind: str) -> None:
    assert message(fields).kind == kind


@pytest.mark.parametrize("word", ["STOP", "START", "HELP"])
def test_a_keyword_that_twilio_answered_itself_is_marked(word: str) -> None:
    assert message(text("o", word, OptOutType=word)).opt_out_type == word


def test_undocumented_fields_are_kept() -> None:
    event = message({**text("u"), "ChannelMetadata": '{"a": 1}', "Twice": ["a", "b"]})

    assert event.extra["ChannelMetadata"] == '{"a": 1}'
    assert event.extra["Twice"] == ["a", "b"]


def test_deprecated_names_of_the_id_are_accepted() -> None:
    fields = text("t")
    del fields["MessageSid"]

    assert message(fields).provider_message_id == sid_of("t")


def test_a_request_without_a_message_gets_its_own_id() -> None:
    call = {"AccountSid": ACCOUNT, "CallSid": "CA1", "From": "+447700900123", "To": "+12025550142"}

    event, again = message(call), message(dict(reversed(call.items())))

    assert (event.kind, event.text) == ("unknown", None)
    assert event.provider_message_id.startswith("none-")
    assert event.provider_message_id == again.provider_message_id
    assert event.extra == {"CallSid": "CA1"}
    assert message(call | {"CallSid": "CA2"}).provider_message_id != event.provider_message_id


@pytest.mark.parametrize("value", [["a", "b"], [], None, 7, {"a": 1}])
def test_a_field_of_any_type_is_handled(value: object) -> None:
    """All types that JSON permits."""
    names = [*text("t"), "ProfileName", "MediaUrl0", "ListId", "Latitude", "Longitude"]

    assert body_of(message(dict.fromkeys(names, value)))


def test_a_status_of_a_sent_message() -> None:
    event = twilio_events.delivery_status(
        status("s", "undelivered", ErrorCode="30003", RawDlrDoneDate="2601011200"),
        ACCOUNT,
        "action-1",
        NOW,
    )

    assert event == DeliveryStatus(
        provider="twilio",
        provider_message_id=sid_of("s"),
        account=ACCOUNT,
        channel_method="sms",
        business_address=SMS_NUMBER,
        action_id="action-1",
        status="undelivered",
        error_code="30003",
        occurred_at="2026-01-01T12:00:00.000Z",
        extra={
            "ApiVersion": "2010-04-01",
            "RawDlrDoneDate": "2601011200",
        },
    )


@each(
    "word",
    [
        *("accepted", "scheduled", "queued", "sending", "sent", "delivered", "read"),
        *("undelivered", "failed", "canceled", "partially_delivered", "something_new"),
    ],
)
def test_every_status_of_twilio_is_passed_on_unchanged(word: str) -> None:
    event = twilio_events.delivery_status(status("s", word), ACCOUNT, None, NOW)

    assert (event.status, event.error_code, event.is_final) == (word, None, None)


def test_a_whatsapp_status_is_recognised_by_either_address() -> None:
    fields = status("s", "read", To="whatsapp:+447700900123", From="")

    assert twilio_events.delivery_status(fields, ACCOUNT, None, NOW).channel_method == "whatsapp"


def test_a_status_under_its_deprecated_name_or_without_a_value() -> None:
    old = {"AccountSid": ACCOUNT, "SmsSid": "SM1", "SmsStatus": "sent"}

    assert twilio_events.delivery_status(old, ACCOUNT, None, NOW).status == "sent"
    assert twilio_events.delivery_status({}, ACCOUNT, None, NOW).status == "unknown"


def test_an_event_fits_on_the_queue_in_ascii() -> None:
    body = body_of(message(text("t", "\U0001f600\x00\x1b" * 100)))

    assert body.isascii()
    assert json.loads(body)["text"] == "\U0001f600\x00\x1b" * 100
