"""What comes to conversations from outside, in the shape in which Lambda gets it, and what becomes of each."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from events.conversations import aws_sms, cast, twilio
from events.proxy import Json, proxy_event

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FOLDER = Path(__file__).parent
START = 1_767_268_800
"""2026-01-01T12:00:00Z, when the first sample arrives. The others follow minute by minute."""
INITIATE = "/initiate-conversation"
ACTION = "5f2c" * 16
"""The ledger's name of a message of ours that providers report about."""
ROUTER, TWILIO, AWS_SMS = "ConversationsRouter", "ConversationsTwilio", "ConversationsAwsSms"


@dataclass(frozen=True)
class Sample:
    """One call, or one notification of SNS, which nobody answers (*status* None)."""

    name: str
    function: str  # logical id
    description: str
    event: Json = field(repr=False)
    status: int | None
    code: str = ""
    """Why it is refused, where the answer says so."""
    enqueues: str = ""
    """What is put on a queue: `first message`, `message` or `status`; nothing for what is refused."""

    @property
    def path(self) -> Path:
        """The file that holds the event."""
        return FOLDER / f"{self.name}.json"

    @property
    def file_text(self) -> str:
        """What stands in the file."""
        return json.dumps(self.event, indent=2) + "\n"

    def in_words(self) -> str:
        """What becomes of it, in a few words for a table."""
        answer = "" if self.status is None else f"{self.status}"
        told = f"`{self.code}`" if self.code else self.enqueues or "nothing"
        return " ".join(filter(None, (answer, told)))


def samples() -> list[Sample]:
    """All of them."""
    return [*_requests(), *_of_twilio(), *_of_aws()]


def sample(name: str) -> Sample:
    """The sample of this name. Raises KeyError."""
    return {told.name: told for told in samples()}[name]


def _requests() -> Iterator[Sample]:
    def made(name: str, description: str, event: Json, status: int, code: str = "") -> Sample:
        queued = "" if code else "first message"
        return Sample(name, ROUTER, description, event, status, code, queued)

    yield made(
        "initiate_whatsapp",
        "A company's software asks for a conversation over WhatsApp.",
        posted("initiate_whatsapp", 0, cast.request("whatsapp")),
        200,
    )
    yield made("initiate_sms", "Over SMS.", posted("initiate_sms", 1, cast.request("sms")), 200)
    yield made(
        "initiate_email", "By e-mail.", posted("initiate_email", 2, cast.request("email")), 200
    )
    yield made(
        "initiate_local_number",
        "A number as people write it: the project says which country it is of.",
        posted("initiate_local_number", 3, _to(recipient_tel="07700 900123")),
        200,
    )
    yield made(
        "initiate_without_consent",
        "Nobody agreed: accepted with a warning, recorded as blocked, and nothing is sent.",
        posted("initiate_without_consent", 4, _to(comms_consent=False)),
        200,
    )
    yield made(
        "initiate_bad_number",
        "A number that nobody can have.",
        posted("initiate_bad_number", 5, _to(recipient_tel="12")),
        400,
        "INVALID_RECIPIENT_TEL",
    )
    yield made(
        "initiate_twins",
        "A key that stands twice: which one counts?",
        posted("initiate_twins", 6, '{"request_data": {}, "request_data": {}}'),
        400,
        "INVALID_REQUEST",
    )
    yield made(
        "initiate_other_project",
        "An API key of another project.",
        posted("initiate_other_project", 7, cast.request(), projects="pi-zzz-009"),
        403,
        "AUTHORIZATION_ERROR",
    )
    yield made(
        "initiate_other_scope",
        "An API key that may only read.",
        posted("initiate_other_scope", 8, cast.request(), scopes="conversations:read"),
        403,
        "AUTHORIZATION_ERROR",
    )


def _of_twilio() -> Iterator[Sample]:
    def told(name: str, description: str, event: Json, enqueues: str, status: int = 200) -> Sample:
        return Sample(name, TWILIO, description, event, status, enqueues=enqueues)

    yield told(
        "twilio_text",
        "A candidate texts.",
        twilio.post(twilio.text("text", "Yes I do"), at=_at(20)),
        "message",
    )
    yield told(
        "twilio_stop",
        "STOP, which Twilio has answered by itself.",
        twilio.post(twilio.text("stop", "STOP", OptOutType="STOP"), at=_at(21)),
        "message",
    )
    picture = {
        "NumMedia": "1",
        "MediaUrl0": "https://api.twilio.com/file",
        "MediaContentType0": "image/jpeg",
    }
    yield told(
        "twilio_picture",
        "A picture without words: the body is empty, and signed as such.",
        twilio.post(twilio.text("picture", "", **picture), at=_at(22)),
        "message",
    )
    button = {"MessageType": "button", "ButtonText": "Not for me", "ButtonPayload": "STOP"}
    yield told(
        "twilio_button",
        "A button of a WhatsApp template. Its payload counts, not what is written on it.",
        twilio.post(twilio.whatsapp("button", "Not for me", **button), at=_at(23)),
        "message",
    )
    yield told(
        "twilio_hidden_number",
        "A sender on WhatsApp who shows no number.",
        twilio.post(
            twilio.whatsapp("hidden", "Hello", From="whatsapp:US.13491208655302741918"), at=_at(24)
        ),
        "message",
    )
    yield told(
        "twilio_base64",
        "A body in base64, as API Gateway may hand it on.",
        twilio.post(twilio.text("base64", "Grüße 👋"), at=_at(25), in_base64=True),
        "message",
    )
    yield told(
        "twilio_json",
        "JSON: its hash stands in the address, which is signed.",
        twilio.post_json(dict(twilio.text("json", "Hello")), at=_at(26)),
        "message",
    )
    yield told(
        "twilio_delivered",
        "A message of ours arrived.",
        twilio.callback(twilio.status("ours", "delivered"), ACTION, at=_at(27)),
        "status",
    )
    yield told(
        "twilio_undelivered",
        "One did not, and why.",
        twilio.callback(
            twilio.status("lost", "undelivered", ErrorCode="30003"), ACTION, at=_at(28)
        ),
        "status",
    )
    yield told(
        "twilio_forged",
        "Signed with a guessed token.",
        twilio.post(twilio.text("forged", "Hello"), key="guessed", at=_at(29)),
        "",
        403,
    )
    yield told(
        "twilio_other_account",
        "Signed well, for an account that is not ours.",
        twilio.post(twilio.text("other", "Hello", AccountSid="AC" + "0bad" * 8), at=_at(30)),
        "",
        403,
    )


def _of_aws() -> Iterator[Sample]:
    def published(name: str, description: str, event: Json, enqueues: str) -> Sample:
        return Sample(name, AWS_SMS, description, event, None, enqueues=enqueues)

    def notified(
        name: str, minute: int, message: Json, topic: str = aws_sms.EVENTS_TOPIC_ARN
    ) -> Json:
        return aws_sms.notification(name, message, at=_at(minute), topic=topic)

    yield published(
        "sms_text",
        "A candidate texts to a number of AWS.",
        notified("sms_text", 40, aws_sms.text("text", "Yes I do"), aws_sms.TOPIC_ARN),
        "message",
    )
    yield published(
        "sms_delivered",
        "A message of ours arrived.",
        notified("sms_delivered", 41, aws_sms.delivery("ours", "TEXT_DELIVERED", ACTION)),
        "status",
    )
    yield published(
        "sms_blocked",
        "One was blocked.",
        notified("sms_blocked", 42, aws_sms.delivery("lost", "TEXT_BLOCKED", ACTION)),
        "status",
    )
    yield published(
        "sms_other_topic",
        "Published on a topic that is none of ours.",
        notified("sms_other_topic", 43, aws_sms.text("other"), aws_sms.TOPIC_ARN + "-2"),
        "",
    )


def posted(
    name: str,
    minute: int,
    body: Json | str,
    *,
    scopes: str = "conversations:initiate",
    projects: str = cast.PROJECT,
) -> Json:
    """A request for a conversation that the authorizer let through, with what it vouches for."""
    headers = {"Content-Type": "application/json"}
    event = proxy_event(INITIATE, name, _at(minute), method="POST", headers=headers, agent="sample")
    vouched = {
        "company": cast.COMPANY,
        "projects": projects,
        "scopes": scopes,
        "principal": "api-key:0123456789abcdef",
        "principalId": "api-key:0123456789abcdef",
        "integrationLatency": 12,
    }
    context: Mapping[str, Any] = event["requestContext"]
    return event | {
        "requestContext": {**context, "authorizer": vouched},
        "body": body if isinstance(body, str) else json.dumps(body),
        "isBase64Encoded": False,
    }


def _to(**recipient: object) -> Json:
    """A request over SMS to somebody of other data."""
    usual = cast.request("sms")
    return usual | {"recipient_data": usual["recipient_data"] | recipient}


def _at(minute: int) -> int:
    return START + 60 * minute
