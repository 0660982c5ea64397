"""All help-desk samples, in order: what the tests and the files are made from. Ids, people and secrets are made up."""

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
"""2026-03-02T10:00:00Z, a Monday morning: when the first sample arrives. The others follow minute by minute."""
TOKEN = "sample-webhook-token-not-a-real-one"  # noqa: S105 - made up: it opens the samples, nothing else
HMAC_KEY = "sample-hmac-key-not-a-real-one"


@dataclass(frozen=True)
class Sample:
    """One call of the help desk, in the shape in which Lambda gets it, and what becomes of it."""

    name: str
    description: str
    event: Json = field(repr=False)
    status: int
    code: str = ""
    """Why it is refused."""
    mail: int = 0
    """Events that go to the mail lane."""
    live: int = 0
    """Events that go to the lane of chats."""
    event_id: str | None = None
    """The id of the first of them; None where the worker makes it of the newest comment."""

    @property
    def path(self) -> Path:
        """The file that holds the event."""
        return FOLDER / f"{self.name}.json"

    @property
    def file_text(self) -> str:
        """What stands in the file."""
        return json.dumps(self.event, indent=2) + "\n"

    def in_words(self) -> str:
        """What becomes of it, in one line for a table."""
        if self.code:
            return f"{self.status} `{self.code}`"
        lanes = [f"{count} {lane}" for lane, count in (("mail", self.mail), ("live", self.live))]
        taken = ", ".join(lane for lane in lanes if not lane.startswith("0"))
        return f"{self.status}, {taken}, " + (f"`{self.event_id}`" if self.event_id else "no id")


def samples() -> list[Sample]:
    """Everything the webhook has to tell apart."""
    return [*_of_one_message(), *_of_relays(), *_turned_away()]


def sample(name: str) -> Sample:
    """The sample of this name; KeyError when there is none."""
    return {told.name: told for told in samples()}[name]


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
        "What the help desk should send: which ticket, and no text to escape.",
        posted("minimal", 0, MINIMAL),
        200,
        mail=1,
    )
    yield Sample(
        "minimal_chat",
        "The same from a rule for chats, which says so in a static `channel`.",
        posted("minimal_chat", 1, MINIMAL | {"channel": "livechat"}),
        200,
        live=1,
    )
    yield Sample(
        "full",
        "Message id, time and text come along.",
        posted("full", 3, FULL),
        200,
        mail=1,
        event_id="evt:rp:70412:c-88121",
    )
    yield Sample(
        "full_text_only",
        "Without a message id the text and its five minutes are the id.",
        posted("full_text_only", 4, {k: v for k, v in FULL.items() if k != "message_id"}),
        200,
        mail=1,
        event_id="evt:rp:70412:2bc9e22e3c78fe184222e50a5475d796243f8331ca57120faee6a198e3930d4f",
    )
    nested = {"ticket": {"id": 70413, "via": {"channel": "messenger"}}, "text": "Anybody there?"}
    yield Sample(
        "nested_chat",
        "Names inside `ticket`, a number as id, and the help desk's own word for a chat.",
        posted("nested_chat", 5, nested | {"message": {"id": "c-88123", "created_at": 1772445900}}),
        200,
        live=1,
        event_id="evt:rp:70413:c-88123",
    )
    yield Sample(
        "unknown_channel",
        "A channel that nobody mapped: such messages are only routed.",
        posted("unknown_channel", 6, FULL | {"channel": "carrier pigeon"}),
        200,
        mail=1,
        event_id="evt:rp:70412:c-88121",
    )
    yield Sample(
        "signed",
        "Signed instead of a token (`either`, `hmac`). Good for five minutes around its time, so 401 today.",
        signed("signed", 7, FULL),
        200,
        mail=1,
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
        "As a relay wraps it. What it says of the customer is not read.",
        posted("envelope", 8, ENVELOPE),
        200,
        mail=1,
        event_id="evt:rp:70414:c-88130",
    )
    foreign = ENVELOPE | {"event_id": "evt:rp:70999:c-88130"}
    yield Sample(
        "envelope_foreign_id",
        "An `event_id` of another conversation does not count.",
        posted("envelope_foreign_id", 9, foreign),
        200,
        mail=1,
        event_id="evt:rp:70414:c-88130",
    )
    chat = MINIMAL | {"ticket_id": "70415", "channel": "livechat"}
    yield Sample(
        "batch",
        "Three events in one call, one of them of a chat.",
        posted("batch", 10, [ENVELOPE, FULL, chat]),
        200,
        mail=2,
        live=1,
        event_id="evt:rp:70414:c-88130",
    )


def _turned_away() -> Iterator[Sample]:
    yield Sample(
        "wrong_token",
        "A token that is not active.",
        posted("wrong_token", 11, MINIMAL, token="guessed"),  # noqa: S106 - wrong on purpose
        401,
        "unauthorized",
    )
    yield Sample(
        "stale_signature",
        "Signed, but more than five minutes ago: somebody kept it.",
        signed("stale_signature", 12, FULL, seconds_ago=301),
        401,
        "unauthorized",
    )
    yield Sample(
        "not_json",
        "A text with a quotation mark broke the rule's template. The sweep finds the ticket.",
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
        "Nothing says which ticket.",
        posted("no_conversation", 15, {"text": "Hello?"}),
        400,
        "no_conversation_id",
    )
    yield Sample(
        "reserved",
        "A name that the state table keeps for itself.",
        posted("reserved", 16, MINIMAL | {"ticket_id": "sys:sweep"}),
        400,
        "reserved_id",
    )
    yield Sample(
        "form",
        "Not JSON by its own word.",
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
    """A POST with a token, so many minutes after START."""
    headers = {"Content-Type": content_type, "X-Middleware-Token": token}
    return _post(name, START + 60 * minute, headers, _text(body))


def signed(name: str, minute: int, body: Json, *, seconds_ago: int = 0) -> Json:
    """A POST signed with the sample key."""
    at = START + 60 * minute
    timestamp = str(at - seconds_ago)
    headers = {
        "Content-Type": "application/json",
        "X-Timestamp": timestamp,
        "X-Signature": sign(_text(body), timestamp),
    }
    return _post(name, at, headers, _text(body))


def sign(body: str, timestamp: str) -> str:
    """The value of `X-Signature` for this body at this time."""
    return hmac.new(HMAC_KEY.encode(), f"{timestamp}.{body}".encode(), hashlib.sha256).hexdigest()


def _text(body: Any) -> str:  # noqa: ANN401 - as in `posted`
    return body if isinstance(body, str) else json.dumps(body)


def _post(name: str, at: int, headers: dict[str, str], body: str) -> Json:
    event = proxy_event(ROUTE, name, at, method="POST", headers=headers, agent="richpanel-sample")
    return event | {"body": body, "isBase64Encoded": False}
