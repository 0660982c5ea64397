"""All help-desk samples in order, used by the tests and the files. Ids, people and secrets are fictitious."""

import hashlib
import hmac
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from events.proxy import Json, proxy_event

FOLDER = Path(__file__).parent
ROUTE = "/webhooks/richpanel"
START = 1_772_445_600
"""2026-03-02T10:00:00Z, a Monday: the time of the first sample. Each further one is a minute later."""
TOKEN = "sample-webhook-token-not-a-real-one"  # noqa: S105 - fictitious: only the samples use it
HMAC_KEY = "sample-hmac-key-not-a-real-one"


@dataclass(frozen=True)
class Sample:
    """One webhook call of the help desk as a Lambda event, with its expected result."""

    name: str
    description: str
    event: Json = field(repr=False)
    status: int
    code: str = ""
    """The error code, if it is refused."""
    email: int = 0
    """Events enqueued for e-mail tickets."""
    chat: int = 0
    """Events enqueued for chat tickets."""
    event_id: str | None = None
    """The id of the first event; None if the worker derives it from the newest comment."""

    @property
    def path(self) -> Path:
        """The file that holds the event."""
        return FOLDER / f"{self.name}.json"

    @property
    def file_text(self) -> str:
        """The content of the file."""
        return json.dumps(self.event, indent=2) + "\n"

    def summary(self) -> str:
        """The expected result, in one line for the table."""
        if self.code:
            return f"{self.status} `{self.code}`"
        queues = [
            f"{count} {queue}" for queue, count in (("email", self.email), ("chat", self.chat))
        ]
        enqueued = ", ".join(queue for queue in queues if not queue.startswith("0"))
        return f"{self.status}, {enqueued}, " + (f"`{self.event_id}`" if self.event_id else "no id")


def samples() -> list[Sample]:
    """Return all samples."""
    return [*_of_one_message(), *_of_relays(), *_refused()]


def sample(name: str) -> Sample:
    """Return the sample of this name. Raises KeyError."""
    return {entry.name: entry for entry in samples()}[name]


MINIMAL: Json = {
    "ticket_id": "70411",
    "ticket_url": "https://example.com/conversations/70411",
    "trigger": "customer_replied",
}
FULL: Json = MINIMAL | {
    "ticket_id": "70412",
    "channel": "email",
    "message_id": "c-88121",
    "created_at": "2026-03-02T10:02:41Z",
    "customer_message": "Hi, where is my order #20418?",
}


def _of_one_message() -> Iterator[Sample]:
    yield Sample(
        "minimal",
        "The recommended body: the ticket id, and no text that needs escaping.",
        posted("minimal", 0, MINIMAL),
        200,
        email=1,
    )
    yield Sample(
        "minimal_chat",
        "The same from a rule for chats, with a static `channel`.",
        posted("minimal_chat", 1, MINIMAL | {"channel": "livechat"}),
        200,
        chat=1,
    )
    yield Sample(
        "full",
        "With message id, time and text.",
        posted("full", 3, FULL),
        200,
        email=1,
        event_id="evt:rp:70412:c-88121",
    )
    yield Sample(
        "full_text_only",
        "Without a message id: the id is made from the text and its five-minute interval.",
        posted("full_text_only", 4, {k: v for k, v in FULL.items() if k != "message_id"}),
        200,
        email=1,
        event_id="evt:rp:70412:2bc9e22e3c78fe184222e50a5475d796243f8331ca57120faee6a198e3930d4f",
    )
    nested = {"ticket": {"id": 70413, "via": {"channel": "messenger"}}, "text": "Anybody there?"}
    yield Sample(
        "nested_chat",
        "Fields inside `ticket`, a number as id, and the help desk's own channel name for a chat.",
        posted("nested_chat", 5, nested | {"message": {"id": "c-88123", "created_at": 1772445900}}),
        200,
        chat=1,
        event_id="evt:rp:70413:c-88123",
    )
    yield Sample(
        "unknown_channel",
        "An unknown channel: such messages are only routed.",
        posted("unknown_channel", 6, FULL | {"channel": "carrier pigeon"}),
        200,
        email=1,
        event_id="evt:rp:70412:c-88121",
    )
    yield Sample(
        "signed",
        "Signed instead of a token (`either`, `hmac`). It is valid for five minutes, so the status is 401 today.",
        signed("signed", 7, FULL),
        200,
        email=1,
        event_id="evt:rp:70412:c-88121",
    )


ENVELOPE: Json = {
    "event_id": "evt:rp:70414:c-88130",
    "received_at": "2026-03-02T10:08:02.120Z",
    "conversation_id": "70414",
    "channel": "email",
    "customer": {"name": "Robin Vale", "email": "robin.vale@example.com"},
    "message": {
        "id": "c-88130",
        "created_at": "2026-03-02T10:08:00Z",
        "text": "<p>The lamp came <b>broken</b>.</p>",
        "attachments": [{"id": "f-1", "type": "image/jpeg"}],
    },
    "meta": {"relay": "sample"},
}


def _of_relays() -> Iterator[Sample]:
    yield Sample(
        "envelope",
        "The envelope of a relay. Its customer data is ignored.",
        posted("envelope", 8, ENVELOPE),
        200,
        email=1,
        event_id="evt:rp:70414:c-88130",
    )
    foreign = ENVELOPE | {"event_id": "evt:rp:70999:c-88130"}
    yield Sample(
        "envelope_foreign_id",
        "An `event_id` of another conversation is ignored.",
        posted("envelope_foreign_id", 9, foreign),
        200,
        email=1,
        event_id="evt:rp:70414:c-88130",
    )
    chat = MINIMAL | {"ticket_id": "70415", "channel": "livechat"}
    yield Sample(
        "batch",
        "Three events in one call, one of them from a chat.",
        posted("batch", 10, [ENVELOPE, FULL, chat]),
        200,
        email=2,
        chat=1,
        event_id="evt:rp:70414:c-88130",
    )


def _refused() -> Iterator[Sample]:
    yield Sample(
        "wrong_token",
        "A token that is not active.",
        posted("wrong_token", 11, MINIMAL, token="guessed"),  # noqa: S106 - wrong on purpose
        401,
        "unauthorized",
    )
    yield Sample(
        "stale_signature",
        "A signature older than five minutes, as in a replay attack.",
        signed("stale_signature", 12, FULL, seconds_ago=301),
        401,
        "unauthorized",
    )
    yield Sample(
        "not_json",
        "Invalid JSON: a quotation mark in the text broke the rule's template. The sweep finds the ticket.",
        posted("not_json", 13, '{"ticket_id": "70411", "text": "a 6" nail"}'),
        400,
        "invalid_json",
    )
    yield Sample(
        "unrendered",
        "A placeholder that the help desk does not know. The sweep finds the ticket.",
        posted("unrendered", 14, MINIMAL | {"ticket_id": "{{ticket.number}}"}),
        400,
        "unrendered_placeholder",
    )
    yield Sample(
        "no_conversation",
        "Without a ticket id.",
        posted("no_conversation", 15, {"text": "Hello?"}),
        400,
        "no_conversation_id",
    )
    yield Sample(
        "reserved",
        "A ticket id with a prefix that the state table reserves.",
        posted("reserved", 16, MINIMAL | {"ticket_id": "sys:sweep"}),
        400,
        "reserved_id",
    )
    yield Sample(
        "form",
        "A content type other than JSON.",
        posted("form", 17, "ticket_id=70411", content_type="application/x-www-form-urlencoded"),
        415,
        "unsupported_media_type",
    )


def posted(
    name: str,
    minute: int,
    body: Any,  # noqa: ANN401 - any JSON value, or a text as it is
    *,
    token: str = TOKEN,
    content_type: str = "application/json",
) -> Json:
    """Return a POST with a token, *minute* minutes after START."""
    headers = {"Content-Type": content_type, "X-Middleware-Token": token}
    return _post(name, START + 60 * minute, headers, _text(body))


def signed(name: str, minute: int, body: Json, *, seconds_ago: int = 0) -> Json:
    """Return a POST signed with the sample key."""
    at = START + 60 * minute
    timestamp = str(at - seconds_ago)
    headers = {
        "Content-Type": "application/json",
        "X-Timestamp": timestamp,
        "X-Signature": sign(_text(body), timestamp),
    }
    return _post(name, at, headers, _text(body))


def sign(body: str, timestamp: str) -> str:
    """Return the value of `X-Signature` for this body and time."""
    return hmac.new(HMAC_KEY.encode(), f"{timestamp}.{body}".encode(), hashlib.sha256).hexdigest()


def _text(body: Any) -> str:  # noqa: ANN401 - as in `posted`
    return body if isinstance(body, str) else json.dumps(body)


def _post(name: str, at: int, headers: dict[str, str], body: str) -> Json:
    event = proxy_event(ROUTE, name, at, method="POST", headers=headers, agent="richpanel-sample")
    return event | {"body": body, "isBase64Encoded": False}
