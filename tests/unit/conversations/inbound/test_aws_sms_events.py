"""Translation of the notifications of AWS SMS into events."""

import json
from typing import Any

import pytest

from conversations.inbound.webhooks.aws_sms_events import event_of
from events.conversations.aws_sms import NUMBER, TOPIC_ARN, delivery, notification, text
from events.proxy import made_up_id
from shared.events.exchange import DeliveryStatus, InboundMessage, body_of
from shared.runtime import clock
from tests.cases import each


def event_from(published: Any, **changes: Any) -> Any:
    event = notification("n", published)["Records"][0]["Sns"]
    return event_of(event | changes)


def test_a_customers_message() -> None:
    assert event_from(text("t", "Grüße 😀")) == InboundMessage(
        provider="aws_sms",
        provider_message_id="3c735322-c263-5d15-83fb-ef2117422049",
        account=TOPIC_ARN,
        channel_method="sms",
        business_address="+12025550160",
        customer_address="+447700900124",
        received_at="2026-01-01T12:00:01.000Z",
        kind="text",
        text="Grüße 😀",
        reply_to=made_up_id("aws sms before"),
        extra={"messageKeyword": "KEYWORD_000000000000"},
    )


def test_an_empty_message_is_accepted() -> None:
    message = event_from(text("t", ""))

    assert (message.kind, message.text) == ("text", "")
    assert json.loads(body_of(message))["text"] == ""


def test_unknown_fields_are_kept() -> None:
    assert event_from(text("t", newField={"a": [1]})).extra["newField"] == {"a": [1]}


def test_a_delivery_status_of_a_sent_message() -> None:
    status = event_from(delivery("d", "TEXT_DELIVERED", "action-1"))

    assert status == DeliveryStatus(
        provider="aws_sms",
        provider_message_id="41faf0ce-976f-5ccb-8003-6103bd92330d",
        account=TOPIC_ARN,
        channel_method="sms",
        business_address=NUMBER,
        action_id="action-1",
        status="TEXT_DELIVERED",
        is_final=True,
        occurred_at="2026-01-01T12:00:00.470Z",
        segments=1,
        price="0.00581",
        currency="USD",
        extra=status.extra,
    )
    assert status.extra["messageStatus"] == "DELIVERED"
    assert status.extra["context"] == {"action": "action-1", "ref": "k7q2m4x0"}


def test_no_number_of_a_person_is_in_a_status() -> None:
    body = body_of(event_from(delivery("d", "TEXT_BLOCKED", "action-1")))

    assert "7700900124" not in body


@each(
    "word",
    [
        *("TEXT_QUEUED", "TEXT_PENDING", "TEXT_SUCCESSFUL", "TEXT_DELIVERED", "TEXT_BLOCKED"),
        *("TEXT_CARRIER_BLOCKED", "TEXT_SPAM", "TEXT_INVALID", "TEXT_INVALID_MESSAGE"),
        *("TEXT_UNREACHABLE", "TEXT_CARRIER_UNREACHABLE", "TEXT_TTL_EXPIRED", "TEXT_UNKNOWN"),
        *("TEXT_PROTECT_BLOCKED", "MEDIA_DELIVERED", "SOMETHING_NEW"),
    ],
)
def test_every_status_of_the_service_is_passed_on_unchanged(word: str) -> None:
    status = event_from(delivery("d", word, "action-1"))

    assert (status.type, status.status) == ("delivery_status", word)
    assert status.is_final is (word not in {"TEXT_QUEUED", "TEXT_PENDING"})


def test_a_delivery_status_without_an_action_id_is_accepted() -> None:
    status = event_from({"eventType": "TEXT_DELIVERED", "messageId": "m-1"})

    assert (status.action_id, status.is_final, status.price, status.currency) == (None,) * 4
    assert status.occurred_at == "2026-01-01T12:00:01.000Z"


@pytest.mark.parametrize("at", [None, "soon", True, -(10**30), 10**30, 1.5])
def test_an_invalid_time_is_replaced_by_the_time_of_publishing(at: object) -> None:
    status = event_from(delivery("d", "TEXT_DELIVERED", "a", eventTimestamp=at))

    assert status.occurred_at == "2026-01-01T12:00:01.000Z"


@each(
    ("fact", "value", "field"),
    [
        ("context", None, "action_id"),
        ("context", "action-1", "action_id"),
        ("context", {"action": ["action-1"]}, "action_id"),
        ("isFinal", "yes", "is_final"),
        ("isFinal", 1, "is_final"),
        ("totalMessageParts", "one", "segments"),
        ("totalMessageParts", True, "segments"),
        ("totalMessagePrice", {}, "price"),
        ("totalMessagePrice", None, "currency"),
    ],
)
def test_a_field_of_the_wrong_type_is_treated_as_absent(
    fact: str, value: object, field: str
) -> None:
    status = event_from(delivery("d", "TEXT_DELIVERED", "action-1", **{fact: value}))

    assert status.status == "TEXT_DELIVERED"
    assert getattr(status, field) is None


@each(
    "published",
    [
        "", "hello", "[]", "null", "7", '{"a": ', "[" * 100_000, "{}",
        '{"messageId": "m-1"}', '{"eventType": "TEXT_DELIVERED"}', '{"inboundMessageId": ""}',
        '{"inboundMessageId": null, "messageBody": "Hi"}', "\ud83d" * 5_000, "x" * 200_000,
    ],
    ids=lambda text: ascii(text[:30]),
)  # fmt: skip
def test_an_event_of_unknown_shape_is_passed_on_as_unknown(published: str) -> None:
    event = event_from(published)

    assert (event.type, event.kind, event.account) == ("inbound_message", "unknown", TOPIC_ARN)
    assert event.provider_message_id == notification("n", "")["Records"][0]["Sns"]["MessageId"]
    assert len(body_of(event)) < 9_000


def test_an_unreadable_notification_is_kept_unchanged() -> None:
    assert event_from("hello").extra == {"raw": "hello"}
    assert event_from('{"eventType": "TEXT_DELIVERED"}').extra == {"eventType": "TEXT_DELIVERED"}


def test_a_redelivered_message_has_the_same_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clock, "now_ms", lambda: 5)

    assert event_from(text("t")).received_at == "2026-01-01T12:00:01.000Z"
    assert event_from(text("t"), Timestamp="yesterday").received_at == "1970-01-01T00:00:00.005Z"
