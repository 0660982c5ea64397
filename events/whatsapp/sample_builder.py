"""Samples, their expected results, and the times and ids of the day."""

import base64
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from events.whatsapp import gateway, payloads
from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import COUNTER, BusinessNumber, Customer

FOLDER = Path(__file__).parent
START = 1767225600
"""2026-01-01T00:00:00Z: midnight of the day in the files. Minutes in the scenarios count from this time."""


@dataclass(frozen=True)
class Expects:
    """
    The expected result of a sample if all samples before it were processed in order.

    Every accepted event has exactly one outcome: stored, changed, recorded, duplicate or parked.
    """

    status: int | None = 200
    """Status of the HTTP response; None for SNS, which gets no response."""
    accepted: int = 0
    """Events that go to the queue."""
    stored: int = 0
    """New MESSAGE items."""
    changed: int = 0
    """Events that change other items: statuses, reactions, edits, revocations."""
    recorded: int = 0
    """Events without an item class, stored only as WEBHOOK_EVENT."""
    duplicate: int = 0
    """Messages that are already stored."""
    parked: tuple[str, ...] = ()
    """The reasons why events were parked."""
    refused: bool = False
    """The ingress refuses the request: nothing goes to the queue."""
    media: str = ""
    """Final status of the stored message's media file: STORED, FAILED or EXPIRED."""

    def summary(self) -> str:
        """One line for a table, such as `200, 2 accepted: 1 stored, 1 duplicate`."""
        response = "SNS" if self.status is None else str(self.status)
        if self.refused:
            return f"{response}, refused"
        counts = [
            f"{count} {outcome}"
            for outcome, count in [
                ("stored", self.stored),
                ("changed", self.changed),
                ("recorded", self.recorded),
                ("duplicate", self.duplicate),
            ]
            if count
        ]
        counts += [f"parked `{reason}`" for reason in self.parked]
        counts += [f"media {self.media}"] if self.media else []
        return f"{response}, {self.accepted} accepted" + (
            ": " + ", ".join(counts) if counts else ""
        )


STORED = Expects(accepted=1, stored=1)
MEDIA_STORED = Expects(accepted=1, stored=1, media="STORED")
CHANGED = Expects(accepted=1, changed=1)
RECORDED = Expects(accepted=1, recorded=1)


@dataclass(frozen=True)
class Sample:
    """One Lambda event of the day."""

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
        """Whether it arrives over SNS (AWS End User Messaging), not over HTTP."""
        return "Records" in self.event

    @property
    def function(self) -> str:
        """The logical id of the invoked function."""
        return "WhatsAppSocial" if self.is_social else "WhatsAppWebhook"

    @property
    def file_text(self) -> str:
        """The content of the file."""
        return json.dumps(self.event, indent=2) + "\n"

    @property
    def raw_body(self) -> bytes:
        """The bytes that were signed and posted; empty for a GET."""
        body = self.event["body"] or ""
        return base64.b64decode(body) if self.event["isBase64Encoded"] else body.encode()

    @property
    def signed_headers(self) -> dict[str, str]:
        """The headers of `raw_body` with its content type and signature."""
        names = {"content-type", "x-hub-signature-256"}
        return {
            name: value for name, value in self.event["headers"].items() if name.lower() in names
        }

    @property
    def published(self) -> str:
        """The SNS message of a social sample."""
        message: str = self.event["Records"][0]["Sns"]["Message"]
        return message

    @property
    def entries(self) -> list[Json]:
        """The entries of the webhook; none for the handshake and for unreadable bodies."""
        if "malformed" in self.expects.parked or not (self.is_social or self.raw_body):
            return []
        if self.is_social:
            entry = json.loads(self.published)["whatsAppWebhookEntry"]
            return [json.loads(entry) if isinstance(entry, str) else entry]
        entries: list[Json] = json.loads(self.raw_body)["entry"]
        return entries

    def items(self, *arrays: str) -> list[Json]:
        """Return the items of these arrays in all changes, such as `messages` or `statuses`."""
        values = [change["value"] for entry in self.entries for change in entry["changes"]]
        return [item for array in arrays for value in values for item in value.get(array, [])]


@dataclass(frozen=True)
class SampleBuilder:
    """The times and message ids of one day; another *start* gives a day with other ids."""

    start: int = START
    """Midnight of the day, in seconds since 1970."""

    def at(self, minute: int) -> int:
        """Return the time of a minute of the day, in seconds since 1970."""
        return self.start + minute * 60

    def inbound_id(self, customer: Customer, sample: str) -> str:
        """Return the id of this customer's message in this sample."""
        return self._message_id(customer, f"in {sample}", b"\x12\x18\x14")

    def outbound_id(self, customer: Customer, sample: str) -> str:
        """Return the id of the business's message to this customer in this sample."""
        return self._message_id(customer, f"out {sample}", b"\x11\x18\x14")

    def customer_message(
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
        Return a POST with one message of one customer; *extra* are fields of the message.

        A repeated message has the *message_id* of the first and *arrives* in a later minute.
        """
        wamid = message_id or self.inbound_id(customer, name)
        message = payloads.message(customer, wamid, self.at(minute), body, **extra)
        change = payloads.messages_change(number, [message], [customer])
        return self.post(
            name, description, arrives or minute, change, expects=expects, number=number
        )

    def delivery_statuses(
        self,
        name: str,
        description: str,
        minute: int,
        statuses: Sequence[Json],
        *,
        recipients: Sequence[Customer] = (),
        expects: Expects = CHANGED,
    ) -> Sample:
        """Return a POST with delivery statuses of messages from the counter's number."""
        change = payloads.statuses_change(COUNTER, statuses, recipients)
        return self.post(name, description, minute, change, expects=expects)

    def account_notice(
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
        """Return a signed POST with a notice about a whole account: without a number, and a time only in its entry."""
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
        """Return a signed POST with these changes, as Meta sends it."""
        body = payloads.webhook(payloads.entry(number.waba, *changes))
        event = gateway.post(name, self.at(minute) + 1, gateway.meta_bytes(body))
        return Sample(name, description, event, expects)

    def _message_id(self, customer: Customer, label: str, marks: bytes) -> str:
        # Built like the provider's own: base64 of the customer's address and a random part.
        # This one is a hash, so that the same start gives the same ids.
        address = (customer.wa_id or customer.user_id[-11:]).encode()
        part = hashlib.sha256(f"{self.start} {label}".encode()).hexdigest()[:20].upper().encode()
        packed = (
            b"\x1c\x18" + bytes([len(address)]) + address + b"\x15\x02\x00" + marks + part + b"\x00"
        )
        return "wamid." + base64.b64encode(packed).decode()
