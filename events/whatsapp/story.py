"""What a sample is, what is expected of it, and the clock and the ids of the day they tell."""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from events.whatsapp import gateway, payloads
from events.whatsapp.cast import COUNTER, BusinessNumber, Customer
from events.whatsapp.payloads import Json

FOLDER = Path(__file__).parent
START = 1767225600
"""2026-01-01T00:00:00Z: midnight of the day in the files. Minutes in the scenes count from here."""


@dataclass(frozen=True)
class Expects:
    """
    What becomes of a sample when all samples before it were taken in order.

    Every accepted event has exactly one fate: stored, changed, recorded, duplicate or parked.
    """

    status: int | None = 200
    """Status of the HTTP answer; None where the caller is SNS and gets no answer."""
    accepted: int = 0
    """Events that go to the queue."""
    stored: int = 0
    """New MESSAGE items."""
    changed: int = 0
    """Events that make no message of their own: statuses, reactions, edits, revocations."""
    recorded: int = 0
    """Events without a home of their own, kept as WEBHOOK_EVENT."""
    duplicate: int = 0
    """Messages that are there already: nothing new becomes of them."""
    parked: tuple[str, ...] = ()
    """The reasons why events were parked."""
    refused: bool = False
    """Turned away at the door: nothing goes to the queue."""
    media: str = ""
    """Where the media file of the stored message ends: STORED, FAILED or EXPIRED."""

    def in_words(self) -> str:
        """One line for a table, such as `200, 2 accepted: 1 stored, 1 duplicate`."""
        answer = "SNS" if self.status is None else str(self.status)
        if self.refused:
            return f"{answer}, refused"
        fates = [
            f"{count} {fate}"
            for fate, count in [
                ("stored", self.stored),
                ("changed", self.changed),
                ("recorded", self.recorded),
                ("duplicate", self.duplicate),
            ]
            if count
        ]
        fates += [f"parked `{reason}`" for reason in self.parked]
        fates += [f"media {self.media}"] if self.media else []
        return f"{answer}, {self.accepted} accepted" + (": " + ", ".join(fates) if fates else "")


STORED = Expects(accepted=1, stored=1)
MEDIA_STORED = Expects(accepted=1, stored=1, media="STORED")
CHANGED = Expects(accepted=1, changed=1)
RECORDED = Expects(accepted=1, recorded=1)


@dataclass(frozen=True)
class Sample:
    """One event of the day, in the shape in which Lambda gets it."""

    name: str
    description: str
    event: Json = field(repr=False)
    expects: Expects

    @property
    def path(self) -> Path:
        """The file that holds the event."""
        return FOLDER / f"{self.name}.json"

    @property
    def is_social(self) -> bool:
        """Whether it comes over SNS (AWS End User Messaging) and not over HTTP."""
        return "Records" in self.event

    @property
    def function(self) -> str:
        """The logical id of the function that gets it."""
        return "WhatsAppSocial" if self.is_social else "WhatsAppWebhook"

    @property
    def file_text(self) -> str:
        """What stands in the file."""
        return json.dumps(self.event, indent=2) + "\n"

    @property
    def raw_body(self) -> bytes:
        """The bytes that were signed and posted; empty for a GET."""
        body = self.event["body"] or ""
        return base64.b64decode(body) if self.event["isBase64Encoded"] else body.encode()

    @property
    def signed_headers(self) -> dict[str, str]:
        """What goes with `raw_body` when the sample is posted over HTTP: its type and signature."""
        wanted = {"content-type", "x-hub-signature-256"}
        return {k: v for k, v in self.event["headers"].items() if k.lower() in wanted}

    @property
    def published(self) -> str:
        """What goes to the topic when a social sample is published again."""
        message: str = self.event["Records"][0]["Sns"]["Message"]
        return message

    @property
    def entries(self) -> list[Json]:
        """The entries of the webhook; none in the handshake and where it cannot be read."""
        if "malformed" in self.expects.parked or not (self.is_social or self.raw_body):
            return []
        if self.is_social:
            entry = json.loads(self.published)["whatsAppWebhookEntry"]
            return [json.loads(entry) if isinstance(entry, str) else entry]
        entries: list[Json] = json.loads(self.raw_body)["entry"]
        return entries

    def items(self, *arrays: str) -> list[Json]:
        """What stands in these arrays of all changes, such as `messages` or `statuses`."""
        values = [change["value"] for entry in self.entries for change in entry["changes"]]
        return [item for array in arrays for value in values for item in value.get(array, [])]


@dataclass(frozen=True)
class Story:
    """The clock and the message ids of one telling; another `start` gives another, fresh day."""

    start: int = START
    """Midnight of the day, in seconds since 1970."""

    def at(self, minute: int) -> int:
        """The time of a minute of the day, in seconds since 1970."""
        return self.start + minute * 60

    def inbound_id(self, customer: Customer, sample: str) -> str:
        """The id of what this customer wrote in this sample."""
        return self._message_id(customer, f"in {sample}", b"\x12\x18\x14")

    def outbound_id(self, customer: Customer, sample: str) -> str:
        """The id of what the business wrote to this customer in this sample."""
        return self._message_id(customer, f"out {sample}", b"\x11\x18\x14")

    def says(
        self,
        name: str,
        description: str,
        customer: Customer,
        minute: int,
        body: Json,
        *,
        expects: Expects = STORED,
        number: BusinessNumber = COUNTER,
        message_id: str = "",
        arrives: int = 0,
        **extra: object,
    ) -> Sample:
        """
        A POST with one message of one customer; `extra` goes into the message.

        A repeated message has the `message_id` of the first and `arrives` in a later minute.
        """
        wamid = message_id or self.inbound_id(customer, name)
        message = payloads.message(customer, wamid, self.at(minute), body, **extra)
        change = payloads.messages_change(number, [message], [customer])
        return self.post(
            name, description, arrives or minute, change, expects=expects, number=number
        )

    def tells(
        self,
        name: str,
        description: str,
        minute: int,
        statuses: Sequence[Json],
        *,
        recipients: Sequence[Customer] = (),
        expects: Expects = CHANGED,
    ) -> Sample:
        """A POST with delivery states of messages from the counter's number."""
        change = payloads.statuses_change(COUNTER, statuses, recipients)
        return self.post(name, description, minute, change, expects=expects)

    def reports(
        self,
        name: str,
        description: str,
        minute: int,
        field: str,
        value: Json,
        *,
        waba: str = COUNTER.waba,
        expects: Expects = CHANGED,
    ) -> Sample:
        """A signed POST with a notice about a whole account: it names no number, and only its entry has a time."""
        entry = payloads.entry(waba, {"value": value, "field": field}) | {"time": self.at(minute)}
        event = gateway.post(name, self.at(minute) + 1, gateway.meta_bytes(payloads.webhook(entry)))
        return Sample(name, description, event, expects)

    def post(
        self,
        name: str,
        description: str,
        minute: int,
        *changes: Json,
        expects: Expects,
        number: BusinessNumber = COUNTER,
    ) -> Sample:
        """A signed POST with these changes, as Meta writes it."""
        body = payloads.webhook(payloads.entry(number.waba, *changes))
        event = gateway.post(name, self.at(minute) + 1, gateway.meta_bytes(body))
        return Sample(name, description, event, expects)

    def _message_id(self, customer: Customer, label: str, marks: bytes) -> str:
        # Built like the provider's own: base64 of the customer's address and a random part.
        # Ours is a hash, so that the same telling gives the same ids.
        address = (customer.wa_id or customer.user_id[-11:]).encode()
        part = hashlib.sha256(f"{self.start} {label}".encode()).hexdigest()[:20].upper().encode()
        packed = (
            b"\x1c\x18" + bytes([len(address)]) + address + b"\x15\x02\x00" + marks + part + b"\x00"
        )
        return "wamid." + base64.b64encode(packed).decode()
