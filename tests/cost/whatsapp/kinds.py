"""
The measured kinds of events and their costs. To add a kind, add a line to `KINDS`.

The figures are the output of `make cost`; a test compares them at every length of the conversation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from events.whatsapp import gateway, payloads
from events.whatsapp.payloads import content, text
from events.whatsapp.sample_builder import START, SampleBuilder
from events.whatsapp.sample_data import (
    ADA,
    COMPANY,
    COUNTER,
    JUERGEN,
    STRANGER,
    BusinessNumber,
    Customer,
)
from local.sandbox.accounts.media import BUILT_IN, JPEG_IMAGE, OGG_VOICE
from shared.aws.sqs_fifo import Entry, digest
from shared.events.exchange import OutboundMessage, body_of
from shared.runtime.clock import to_text

if TYPE_CHECKING:
    from collections.abc import Callable

type Request = dict[str, Any] | Entry  # of a provider, or of another context
# The request of the nth event of a kind, from 0. It causes one event: the usual one, and the most expensive one.
type Make = Callable[[int], Request]

TIMELINE = SampleBuilder()
EVENTS = 10  # of each kind: as many as a batch of the worker holds
# Seconds into the day: measured events are later than the 10,000 messages of the set-up.
MEASURED_FROM = 20_000
WORDS = "Hello, is my bike ready? I could come by at five. 🚲"


@dataclass(frozen=True, slots=True)
class Figures:
    """
    The costs of an event, with its share of the common costs of a batch: the usual event, not the mean.

    `most_expensive` (write units) and `most_writes` are of the single event that costs most. `requests` are those to
    AWS, and `sqs` the part of them to the queue. Lines of metrics (EMF) are counted apart from the log's; the bytes
    are of both, and rounded up, so that small changes of a line do not change them.
    """

    write_units: int
    most_expensive: int
    most_writes: int
    read_units: float
    requests: float
    sqs: float
    log_lines: float
    metric_lines: float
    log_bytes: int


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The event that the worker sends to itself because of another one."""

    name: str
    figures: Figures


@dataclass(frozen=True, slots=True)
class Kind:
    """
    A kind of event: how its requests are made, after which others (the nth after their nth, not measured), how it ends,
    and whether another context answers at the number. *words*: the follow-up of the follow-up, at a number with a
    transcriber.
    """

    name: str
    make: Make
    figures: Figures
    after: tuple[Make, ...] = ()
    outcome: str = "persisted"
    follow_up: FollowUp | None = None
    words: FollowUp | None = None
    is_automated: bool = False


def older(first: int, last: int) -> Request:
    """One older webhook with some of the messages that exist before the measurement."""
    made = [_message(ADA, f"older {n}", START + n, text(WORDS)) for n in range(first, last)]
    return _post(START + last, payloads.messages_change(COUNTER, made, [ADA]))


def a_text(n: int) -> Request:
    """A message of Ada's."""
    return _said(ADA, f"text {n}", _at(n), text(WORDS))


def a_first_text(n: int) -> Request:
    """The first message of a customer, who has a user id as well: an alias is written for each id."""
    newcomer = Customer(
        "Robin Quill", wa_id=f"44770090{n:04}", user_id=f"GB.1392845071663058{n:04}"
    )
    return _said(newcomer, f"first {n}", _at(n), text(WORDS))


def an_image(n: int) -> Request:
    """A photo with a caption; a file of its own each."""
    return _said(ADA, f"image {n}", _at(n), _photo(n))


def a_voice_note(n: int) -> Request:
    """A voice note; a file of its own each."""
    given = BUILT_IN[OGG_VOICE]
    file = {"id": voice_id(n), "mime_type": given.mime_type, "sha256": given.webhook_sha256}
    return _said(ADA, f"voice {n}", _at(n), content("audio", file))


def voice_id(n: int) -> str:
    """The file of the nth voice note; the sandbox must have it."""
    return f"3003383421{n:06}"


def a_warm_up() -> Request:
    """An event before the measurement, so that the functions have the number, secret and tokens cached."""
    return _said(JUERGEN, "warm-up", START, _photo(EVENTS))


def media_id(n: int) -> str:
    """The file of the nth image; the sandbox must have it."""
    return f"2003383421{n:06}"


def an_echo(n: int) -> Request:
    """A message of the shop to Ada, sent in its own app."""
    written = payloads.echo(COUNTER, ADA, _sent(n), _at(n), text(WORDS))
    return _post(_at(n), payloads.change("smb_message_echoes", COUNTER, message_echoes=[written]))


def status_sent(n: int) -> Request:
    """The first status of an echo."""
    return _status(n, "sent", 1)


def status_delivered(n: int) -> Request:
    """The status `delivered` of an echo."""
    return _status(n, "delivered", 2)


def status_read(n: int) -> Request:
    """The status `read` of an echo."""
    return _status(n, "read", 3)


def a_reaction(n: int) -> Request:
    """Ada's reaction to a text of hers."""
    part = {"message_id": _id("text", n), "emoji": "👍"}
    return _said(ADA, f"reaction {n}", _at(n) + 1, content("reaction", part))


def an_edit(n: int) -> Request:
    """Ada's edit of a text of hers."""
    part = {"original_message_id": _id("text", n), "message": text(f"{WORDS} Or at six?")}
    return _said(ADA, f"edit {n}", _at(n) + 1, content("edit", part))


def a_revocation(n: int) -> Request:
    """Ada deletes a text of hers for everyone."""
    part = {"original_message_id": _id("text", n)}
    return _said(ADA, f"revocation {n}", _at(n) + 1, content("revoke", part))


def to_a_stranger(n: int) -> Request:
    """A message to a number that is not registered: parked."""
    return _said(ADA, f"stranger {n}", _at(n), text(WORDS), number=STRANGER)


def sent_elsewhere(n: int) -> Request:
    """The event of conversations about an answer that it sent to Ada."""
    message = OutboundMessage(
        provider="meta",
        provider_message_id=_sent(n),
        action_id=digest("action", str(n)),
        company=COMPANY,
        account=COUNTER.waba,
        business_address=COUNTER.phone,
        customer_address=f"+{ADA.wa_id}",
        message_type="text",
        content={"body": WORDS},
        occurred_at=to_text(_at(n) * 1_000),
    )
    return Entry(body_of(message), digest("outbound", str(n)), digest(message.action_id))


def _photo(n: int) -> payloads.Json:
    file = BUILT_IN[JPEG_IMAGE]
    part = {"mime_type": file.mime_type, "sha256": file.webhook_sha256, "caption": WORDS}
    return content("image", {"id": media_id(n)} | part)


def _at(n: int) -> int:
    return START + MEASURED_FROM + n


def _id(label: str, n: int) -> str:
    return TIMELINE.inbound_id(ADA, f"{label} {n}")


def _sent(n: int) -> str:
    return TIMELINE.outbound_id(ADA, f"echo {n}")


def _status(n: int, word: str, later: int) -> Request:
    pricing = {"billable": True, "pricing_model": "PMP", "category": "service", "type": "regular"}
    status = payloads.status(ADA, _sent(n), word, _at(n) + later, pricing=pricing)
    return _post(_at(n) + later, payloads.statuses_change(COUNTER, [status]))


def _said(
    customer: Customer, label: str, at: int, body: payloads.Json, number: BusinessNumber = COUNTER
) -> Request:
    written = _message(customer, label, at, body)
    return _post(at, payloads.messages_change(number, [written], [customer]))


def _message(customer: Customer, label: str, at: int, body: payloads.Json) -> payloads.Json:
    return payloads.message(customer, TIMELINE.inbound_id(customer, label), at, body)


def _post(at: int, change: payloads.Json) -> Request:
    body = payloads.webhook(payloads.entry(COUNTER.waba, change))
    return gateway.post("cost", at, gateway.meta_bytes(body))


SENT, ARRIVED = (an_echo, status_sent), (an_echo, status_sent, status_delivered)
KINDS = (
    # Figures: write units (usual, most), writes, read units, requests (all, SQS), lines (log, EMF), bytes of them.
    Kind("message: text", a_text, Figures(10, 12, 3, 2, 4.2, 1.2, 1, 1.1, 700)),
    Kind("message: text, new customer", a_first_text, Figures(12, 12, 4, 8, 9.2, 1.2, 1, 1.1, 700)),
    Kind(
        "message: image", an_image, Figures(12, 14, 4, 2, 6.2, 2.2, 1, 1.1, 700),
        follow_up=FollowUp("its file, fetched and stored", Figures(4, 4, 4, 4, 9.0, 2.0, 1, 1.0, 690)),
    ),
    Kind(
        "message: voice note", a_voice_note, Figures(12, 14, 4, 2, 6.2, 2.2, 1, 1.1, 700),
        follow_up=FollowUp("its recording, and a request", Figures(4, 4, 4, 4, 10.0, 3.0, 1, 1.0, 690)),
        words=FollowUp("its words, without the model", Figures(4, 4, 4, 4, 9.0, 2.0, 1, 1.0, 690)),
    ),
    Kind("message again", a_text, Figures(2, 4, 3, 2, 4.2, 1.2, 1, 1.1, 680), after=(a_text,), outcome="duplicate"),
    Kind("echo of the business's own app", an_echo, Figures(11, 15, 3, 7, 5.2, 1.2, 1, 1.1, 710)),
    Kind("status: sent", status_sent, Figures(3, 3, 2, 1, 4.2, 1.2, 1, 1.1, 700), after=(an_echo,)),
    Kind("status: delivered", status_delivered, Figures(4, 4, 2, 1, 4.2, 1.2, 1, 1.1, 700), after=SENT),
    Kind("status: read", status_read, Figures(4, 4, 2, 1, 4.2, 1.2, 1, 1.1, 700), after=ARRIVED),
    Kind("status again", status_sent, Figures(0, 0, 0, 1, 2.2, 1.2, 1, 1.1, 680), after=SENT, outcome="duplicate"),
    Kind("reaction", a_reaction, Figures(2, 2, 2, 3, 5.2, 1.2, 1, 1.1, 700), after=(a_text,)),
    Kind("edit", an_edit, Figures(3, 5, 3, 2, 6.2, 1.2, 1, 1.1, 700), after=(a_text,)),
    Kind("revocation", a_revocation, Figures(3, 5, 3, 3, 7.2, 1.2, 1, 1.1, 700), after=(a_text,)),
    Kind("message: text, handed over", a_text, Figures(10, 12, 3, 2, 5.2, 2.2, 1, 1.1, 700), is_automated=True),
    Kind(
        "status: delivered, of our own, not handed over", status_delivered, Figures(4, 4, 2, 1, 4.2, 1.2, 1, 1.1, 700),
        after=SENT, is_automated=True,
    ),
    Kind("answer of another context", sent_elsewhere, Figures(12, 12, 3, 7, 5.2, 0.2, 1, 0.1, 440)),
    Kind("parked: unknown number", to_a_stranger, Figures(5, 6, 3, 2, 6.2, 1.2, 1, 2.1, 880), outcome="parked"),
)  # fmt: skip
