"""Sample requests, webhooks and SNS messages of conversations as Lambda events, with their expected results."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from events.conversations import aws_sms, sample_data, twilio
from events.proxy import Json, proxy_event

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = Path(__file__).parent
START = 1_767_268_800
"""2026-01-01T12:00:00Z, the time of the first sample. Each further one is a minute later."""
INITIATE = "/initiate-conversation"
ACTION = "5f2c" * 16
"""The action id of one of our messages, about which providers report."""
ROUTER, TWILIO, AWS_SMS = "ConversationsRouter", "ConversationsTwilio", "ConversationsAwsSms"


@dataclass(frozen=True)
class Sample:
    """One HTTP request, or one SNS notification, which has no response (*status* None)."""

    name: str
    function: str  # logical id
    description: str
    event: Json = field(repr=False)
    status: int | None
    code: str = ""
    """The error code of the response, if it has one."""
    enqueues: str = ""
    """The enqueued event: `first message`, `message` or `status`; empty if the request is refused."""

    @property
    def path(self) -> Path:
        """The file that holds the event."""
        return FOLDER / f"{self.name}.json"

    @property
    def file_text(self) -> str:
        """The content of the file."""
        return json.dumps(self.event, indent=2) + "\n"

    def summary(self) -> str:
        """The expected result, in a few words for the table."""
        status = "" if self.status is None else f"{self.status}"
        result = f"`{self.code}`" if self.code else self.enqueues or "nothing"
        return " ".join(filter(None, (status, result)))


def samples() -> list[Sample]:
    """Return all samples."""
    return [*_requests(), *_of_twilio(), *_of_aws()]


def sample(name: str) -> Sample:
    """Return the sample of this name. Raises KeyError."""
    return {entry.name: entry for entry in samples()}[name]


def _requests() -> Iterator[Sample]:
    def request_sample(
        name: str, description: str, event: Json, status: int, code: str = ""
    ) -> Sample:
        queued = "" if code else "first message"
        return Sample(name, ROUTER, description, event, status, code, queued)

    yield request_sample(
        "initiate_whatsapp",
        "A company's software requests a conversation over WhatsApp.",
        posted("initiate_whatsapp", 0, sample_data.request("whatsapp")),
        200,
    )
    yield request_sample(
        "initiate_sms",
        "The same over SMS.",
        posted("initiate_sms", 1, sample_data.request("sms")),
        200,
    )
    yield request_sample(
        "initiate_email",
        "The same by e-mail.",
        posted("initiate_email", 2, sample_data.request("email")),
        200,
    )
    yield request_sample(
        "initiate_local_number",
        "A number in local format: the project sets the country.",
        posted("initiate_local_number", 3, _to(recipient_tel="07700 900123")),
        200,
    )
    yield request_sample(
        "initiate_without_consent",
        "Without consent: accepted with a warning, recorded as blocked, and nothing is sent.",
        posted("initiate_without_consent", 4, _to(comms_consent=False)),
        200,
    )
    yield request_sample(
        "initiate_bad_number",
        "An invalid phone number.",
        posted("initiate_bad_number", 5, _to(recipient_tel="12")),
        400,
        "INVALID_RECIPIENT_TEL",
    )
    yield request_sample(
        "initiate_duplicate_key",
        "JSON with the same key twice.",
        posted("initiate_duplicate_key", 6, '{"request_data": {}, "request_data": {}}'),
        400,
        "INVALID_REQUEST",
    )
    yield request_sample(
        "initiate_other_project",
        "An API key of another project.",
        posted("initiate_other_project", 7, sample_data.request(), projects="pi-zzz-009"),
        403,
        "AUTHORIZATION_ERROR",
    )
    yield request_sample(
        "initiate_other_scope",
        "An API key that may only read.",
        posted("initiate_other_scope", 8, sample_data.request(), scopes="conversations:read"),
        403,
        "AUTHORIZATION_ERROR",
    )


def _of_twilio() -> Iterator[Sample]:
    def twilio_sample(
        name: str, description: str, event: Json, enqueues: str, status: int = 200
    ) -> Sample:
        return Sample(name, TWILIO, description, event, status, enqueues=enqueues)

    yield twilio_sample(
        "twilio_text",
        "A candidate sends an SMS.",
        twilio.post(twilio.text("text", "Yes I do"), at=_at(20)),
        "message",
    )
    yield twilio_sample(
        "twilio_stop",
        "STOP, which Twilio has already answered.",
        twilio.post(twilio.text("stop", "STOP", OptOutType="STOP"), at=_at(21)),
        "message",
    )
    picture = {
        "NumMedia": "1",
        "MediaUrl0": "https://api.twilio.com/file",
        "MediaContentType0": "image/jpeg",
    }
    yield twilio_sample(
        "twilio_picture",
        "A picture without text: the body is an empty, signed field.",
        twilio.post(twilio.text("picture", "", **picture), at=_at(22)),
        "message",
    )
    button = {"MessageType": "button", "ButtonText": "Not for me", "ButtonPayload": "STOP"}
    yield twilio_sample(
        "twilio_button",
        "A button of a WhatsApp template. Its payload counts, not its label.",
        twilio.post(twilio.whatsapp("button", "Not for me", **button), at=_at(23)),
        "message",
    )
    yield twilio_sample(
        "twilio_hidden_number",
        "A WhatsApp sender with a hidden phone number.",
        twilio.post(
            twilio.whatsapp("hidden", "Hello", From="whatsapp:US.13491208655302741918"), at=_at(24)
        ),
        "message",
    )
    yield twilio_sample(
        "twilio_base64",
        "A body in base64, as API Gateway may deliver it.",
        twilio.post(twilio.text("base64", "Grüße 👋"), at=_at(25), in_base64=True),
        "message",
    )
    yield twilio_sample(
        "twilio_json",
        "A JSON body: its hash is in the signed URL.",
        twilio.post_json(dict(twilio.text("json", "Hello")), at=_at(26)),
        "message",
    )
    yield twilio_sample(
        "twilio_delivered",
        "One of our messages was delivered.",
        twilio.callback(twilio.status("ours", "delivered"), ACTION, at=_at(27)),
        "status",
    )
    yield twilio_sample(
        "twilio_undelivered",
        "One of our messages was not delivered, with the error code.",
        twilio.callback(
            twilio.status("lost", "undelivered", ErrorCode="30003"), ACTION, at=_at(28)
        ),
        "status",
    )
    yield twilio_sample(
        "twilio_forged",
        "Signed with a guessed token.",
        twilio.post(twilio.text("forged", "Hello"), key="guessed", at=_at(29)),
        "",
        403,
    )
    yield twilio_sample(
        "twilio_other_account",
        "A valid signature for another account.",
        twilio.post(twilio.text("other", "Hello", AccountSid="AC" + "0bad" * 8), at=_at(30)),
        "",
        403,
    )


def _of_aws() -> Iterator[Sample]:
    def sns_sample(name: str, description: str, event: Json, enqueues: str) -> Sample:
        return Sample(name, AWS_SMS, description, event, None, enqueues=enqueues)

    def notification(
        name: str, minute: int, message: Json, topic: str = aws_sms.EVENTS_TOPIC_ARN
    ) -> Json:
        return aws_sms.notification(name, message, at=_at(minute), topic=topic)

    yield sns_sample(
        "sms_text",
        "A candidate sends an SMS to a number of AWS.",
        notification("sms_text", 40, aws_sms.text("text", "Yes I do"), aws_sms.TOPIC_ARN),
        "message",
    )
    yield sns_sample(
        "sms_delivered",
        "One of our messages was delivered.",
        notification("sms_delivered", 41, aws_sms.delivery("ours", "TEXT_DELIVERED", ACTION)),
        "status",
    )
    yield sns_sample(
        "sms_blocked",
        "One of our messages was blocked.",
        notification("sms_blocked", 42, aws_sms.delivery("lost", "TEXT_BLOCKED", ACTION)),
        "status",
    )
    yield sns_sample(
        "sms_other_topic",
        "Published on a foreign topic.",
        notification("sms_other_topic", 43, aws_sms.text("other"), aws_sms.TOPIC_ARN + "-2"),
        "",
    )


def posted(
    name: str,
    minute: int,
    body: Json | str,
    *,
    scopes: str = "conversations:initiate",
    projects: str = sample_data.PROJECT,
) -> Json:
    """Return a request for a conversation with the context of the authorizer."""
    headers = {"Content-Type": "application/json"}
    event = proxy_event(INITIATE, name, _at(minute), method="POST", headers=headers, agent="sample")
    authorizer_context = {
        "company": sample_data.COMPANY,
        "projects": projects,
        "scopes": scopes,
        "principal": "api-key:0123456789abcdef",
        "principalId": "api-key:0123456789abcdef",
        "integrationLatency": 12,
    }
    context: Mapping[str, Any] = event["requestContext"]
    return event | {
        "requestContext": {**context, "authorizer": authorizer_context},
        "body": body if isinstance(body, str) else json.dumps(body),
        "isBase64Encoded": False,
    }


def _to(**recipient: object) -> Json:
    """Return a request over SMS with changed recipient data."""
    usual = sample_data.request("sms")
    return usual | {"recipient_data": usual["recipient_data"] | recipient}


def _at(minute: int) -> int:
    return START + 60 * minute
