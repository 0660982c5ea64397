"""SES's events and notifications as events of the queue."""

from __future__ import annotations

from typing import Any

import pytest

from email_threads.inbound import notifications, ses_events
from email_threads.inbound.events import EmailFeedback
from shared.runtime.failures import Permanent
from tests.cases import each

MAIL = {
    "timestamp": "2026-01-01T12:00:00.000Z",
    "messageId": "0100-1",
    "source": "The Shop <Support@Shop.example>",
    "tags": {
        "action": ["em_1"],
        "thread": ["0123456789abcdef"],
        "reply": ["fedcba9876543210"],
        "ses:configuration-set": ["parley"],
        "ses:source-ip": ["192.0.2.1"],
    },
}
TAGS = {"action": "em_1", "thread": "0123456789abcdef", "reply": "fedcba9876543210"}
AT = "2026-01-01T12:00:05.000Z"


def event(name: str, part: dict[str, Any], **mail: Any) -> dict[str, Any]:
    parts = {"Rendering Failure": "failure"}
    key = parts.get(name, name[0].lower() + name[1:])
    return {"eventType": name, "mail": MAIL | mail, key: part}


def translated(fields: dict[str, Any]) -> EmailFeedback:
    found = ses_events.event_of(fields)
    assert found is not None
    return found


@each(
    ("name", "part", "at", "recipients", "detail"),
    [
        ("Send", {}, MAIL["timestamp"], [], {}),
        (
            "Delivery",
            {"timestamp": AT, "recipients": ["Ann@Orchard.example"], "smtpResponse": "250 ok"},
            AT,
            ["ann@orchard.example"],
            {},
        ),
        (
            "DeliveryDelay",
            {
                "timestamp": AT,
                "delayType": "MailboxFull",
                "expirationTime": "2026-01-02T12:00:00.000Z",
                "delayedRecipients": [{"emailAddress": "ann@orchard.example", "status": "4.2.2"}],
            },
            AT,
            ["ann@orchard.example"],
            {"delayType": "MailboxFull"},
        ),
        (
            "Bounce",
            {
                "timestamp": AT,
                "bounceType": "Permanent",
                "bounceSubType": "General",
                "feedbackId": "1",
                "reportingMTA": "dsn; mill.example",
                "bouncedRecipients": [
                    {"emailAddress": "Ann <ann@orchard.example>", "diagnosticCode": "550 ann"},
                    {"emailAddress": "bob@mill.example"},
                ],
            },
            AT,
            ["ann@orchard.example", "bob@mill.example"],
            {"bounceType": "Permanent", "bounceSubType": "General"},
        ),
        (
            "Complaint",
            {
                "timestamp": AT,
                "complaintFeedbackType": "abuse",
                "complaintSubType": "OnAccountSuppressionList",
                "userAgent": "a program",
                "complainedRecipients": [{"emailAddress": "ann@orchard.example"}],
            },
            AT,
            ["ann@orchard.example"],
            {
                "complaintFeedbackType": "abuse",
                "complaintSubType": "OnAccountSuppressionList",
            },
        ),
        ("Reject", {"reason": "Bad content"}, MAIL["timestamp"], [], {}),
        (
            "Rendering Failure",
            {"errorMessage": "no ann@orchard.example", "templateName": "t"},
            MAIL["timestamp"],
            [],
            {},
        ),
        ("Future", {"timestamp": AT}, MAIL["timestamp"], [], {}),
    ],
    ids=lambda value: value if isinstance(value, str) and value[0].isupper() else "",
)
def test_each_event_is_translated_with_its_codes_and_without_texts(
    name: str, part: dict[str, Any], at: str, recipients: list[str], detail: dict[str, str]
) -> None:
    assert ses_events.event_of(event(name, part)) == EmailFeedback(
        event=name,
        ses_id="0100-1",
        at=at,
        source="support@shop.example",
        recipients=recipients,
        tags=TAGS,
        detail=detail,
    )


@pytest.mark.parametrize("name", ["Open", "Click", "Subscription"])
def test_a_visit_is_no_event(name: str) -> None:
    assert ses_events.event_of(event(name, {"timestamp": AT})) is None


def test_a_notification_of_an_identity_has_no_tags() -> None:
    mail = {name: value for name, value in MAIL.items() if name != "tags"}
    fields = {
        "notificationType": "Delivery",
        "mail": mail,
        "delivery": {"timestamp": AT, "recipients": ["ann@orchard.example"]},
    }

    found = translated(fields)

    assert (found.event, found.at, found.tags) == ("Delivery", AT, {})


@pytest.mark.parametrize(
    "tags",
    [None, [], "x", {"action": []}, {"action": "em_1"}, {"ses:from-domain": ["shop.example"]}],
)
def test_tags_of_another_form_are_left_out(tags: Any) -> None:
    assert translated(event("Send", {}, tags=tags)).tags == {}


@pytest.mark.parametrize(
    "listed",
    [None, {}, "ann@orchard.example", [None, 1, {}, {"emailAddress": None}, "unknown"]],
)
def test_recipients_of_another_form_are_left_out(listed: Any) -> None:
    part = {"timestamp": AT, "bouncedRecipients": listed}

    assert translated(event("Bounce", part)).recipients == []


@pytest.mark.parametrize("timestamp", [None, 1, "", "yesterday", {}])
def test_an_event_without_a_readable_time_has_that_of_its_mail(timestamp: Any) -> None:
    found = translated(event("Bounce", {"timestamp": timestamp}))

    assert found.at == MAIL["timestamp"]


@pytest.mark.parametrize("part", [None, [], "x"])
def test_details_of_another_form_are_left_out(part: Any) -> None:
    found = translated(event("Bounce", part))

    assert (found.recipients, found.detail) == ([], {})


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("support@shop.example", "support@shop.example"),
        ('"Shop <x>" <support@shop.example>', "support@shop.example"),
        ("=?utf-8?q?Sh=C3=B6p?= <support@shop.example>", "support@shop.example"),
        (None, ""),
        ("", ""),
    ],
)
def test_the_sender_is_its_address(source: str | None, address: str) -> None:
    assert translated(event("Send", {}, source=source)).source == address


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"Records": []},
        {"eventType": "Delivery"},
        {"eventType": "Delivery", "mail": "x"},
        {"eventType": "Delivery", "mail": {}},
        {"eventType": 1, "mail": MAIL},
        {"eventType": None, "mail": MAIL},
    ],
)
def test_anything_else_is_no_event(fields: dict[str, Any]) -> None:
    assert not ses_events.is_event(fields)


@pytest.mark.parametrize("kind", ["eventType", "notificationType"])
def test_an_event_names_its_kind_and_its_mail(kind: str) -> None:
    assert ses_events.is_event({kind: "Delivery", "mail": MAIL})


@pytest.mark.parametrize(
    "text",
    [
        "Successfully validated SNS topic for Amazon SES event publishing.",
        "Successfully validated SNS topic for Amazon SES notification.",
    ],
)
def test_the_text_that_tests_a_topic_says_nothing(text: str) -> None:
    assert notifications.read(text) == {}
    assert notifications.mails_in({}) == []


@pytest.mark.parametrize("body", ["", "{", "[]", "1", "null", "[" * 100_000])
def test_a_body_that_is_no_object_is_unreadable(body: str) -> None:
    with pytest.raises(Permanent) as refusal:
        notifications.read(body)

    assert refusal.value.reason == "unreadable_notification"
