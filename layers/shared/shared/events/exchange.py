"""
The events that contexts exchange over queues; each shape is defined once.

Dataclasses, because ingress functions create them and must start fast. Workers validate received events with pydantic
against the same classes. Times are ISO 8601 in UTC with milliseconds, `2026-03-01T09:30:00.000Z`; phone numbers are
E.164; e-mail addresses are case-folded. `repr` shows no personal data.

Several contexts queue events for `conversations`, so their message groups and deduplication ids are defined here too:
the messages of one customer share a group regardless of the sender. Both ids are digests, so they reveal no address.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, Literal

from shared.aws.sqs_fifo import Entry, digest, to_json
from shared.events.versions import VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_EXTRA_BYTES = 8 << 10
LEFT_OUT = "parley_left_out"

type Channel = Literal["whatsapp", "sms", "email"]
type Provider = Literal["twilio", "aws_sms", "meta", "aws_social", "ses"]
type Kind = Literal[
    "text", "button", "list", "media", "location", "contacts", "reaction", "unknown"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A tapped button or list entry: the payload set by the business, and the label shown to the customer."""

    payload: str | None = field(default=None, repr=False)
    label: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """
    A file of a message: its location (a URL, the provider's id, or our own `s3://` copy), type and name.

    *transcript*: the text of a stored recording, if the inbox has one.
    """

    url: str | None = field(default=None, repr=False)
    provider_id: str | None = None
    mime_type: str | None = None
    name: str | None = field(default=None, repr=False)
    transcript: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A shared location; degrees as the provider formats them."""

    latitude: str = field(repr=False)
    longitude: str = field(repr=False)
    name: str | None = field(default=None, repr=False)
    address: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundMessage:
    """
    A message from a customer; with type `human_reply`, one that the business wrote outside Parley.

    *account* is verified by the provider: an account SID, a WABA id, the ARN of a topic. *company* owns the number in
    the inbox that reports the message; None for providers that the inbox does not serve. *extra* holds provider fields
    without a field of their own, at most 8 KB; for e-mail it includes `auto_answer_allowed`, `trust` (see
    `shared.identity.authors`) and `admitted`.
    """

    type: Literal["inbound_message", "human_reply"] = "inbound_message"
    v: int = VERSION
    provider: Provider
    provider_message_id: str
    account: str
    company: str | None = None
    channel_method: Channel
    business_address: str
    customer_address: str | None = field(default=None, repr=False)
    customer_user_id: str | None = field(default=None, repr=False)
    profile_name: str | None = field(default=None, repr=False)
    received_at: str
    kind: Kind
    text: str | None = field(default=None, repr=False)
    button: Button | None = None
    media: list[File] = field(default_factory=list)
    location: Location | None = None
    reply_to: str | None = None
    opt_out_type: str | None = None
    extra: dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileStored:
    """
    A file of an already reported message has been copied to our bucket: *file* has its `s3://` address. Reported again
    if its recording has become text.
    """

    type: Literal["file_stored"] = "file_stored"
    v: int = VERSION
    provider: Provider
    provider_message_id: str
    account: str
    channel_method: Channel
    business_address: str
    file: File


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberReleased:
    """
    A customer no longer has the number *customer_address*, as shown at *received_at*: the provider reported another
    one, or another customer writes from it. *customer_user_id* is the earlier owner's, *next_user_id* the next one's,
    if known. *company* takes note even if none of its projects uses the business address.
    """

    type: Literal["number_released"] = "number_released"
    v: int = VERSION
    provider: Provider
    provider_message_id: str
    account: str
    company: str | None = None
    channel_method: Channel
    business_address: str
    customer_address: str = field(repr=False)
    customer_user_id: str | None = field(default=None, repr=False)
    next_user_id: str | None = field(default=None, repr=False)
    received_at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryStatus:
    """
    A provider's delivery status for a message that we sent. *status* is the provider's own word; the consumer ranks it.

    *action_id* is the ledger's, if the provider echoes it. *is_final* is None if the provider does not say. *price* is
    a decimal number in *currency*. For SES, *status* is the `eventType`, and the details of a bounce or a complaint are
    in *extra* (`bounceType`, `complaintFeedbackType`) or in *error_code*. *business_address* is the sender of the
    message, as in `InboundMessage`, if the provider reports it.
    """

    type: Literal["delivery_status"] = "delivery_status"
    v: int = VERSION
    provider: Provider
    provider_message_id: str
    account: str
    channel_method: Channel
    business_address: str | None = None
    action_id: str | None = None
    status: str
    error_code: str | None = None
    is_final: bool | None = None
    occurred_at: str
    segments: int | None = None
    price: str | None = None
    currency: str | None = None
    extra: dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundMessage:
    """
    A message that *company* has sent through a number of the inbox.

    *content* is the provider's JSON of that *message_type*.
    """

    type: Literal["outbound_message"] = "outbound_message"
    v: int = VERSION
    provider: Provider
    provider_message_id: str
    action_id: str
    company: str | None = None
    account: str
    business_address: str
    customer_address: str | None = field(default=None, repr=False)
    customer_user_id: str | None = field(default=None, repr=False)
    message_type: str
    content: dict[str, Any] = field(repr=False)
    occurred_at: str


type Event = InboundMessage | FileStored | NumberReleased | DeliveryStatus | OutboundMessage


def body_of(event: Event) -> str:
    """Serialise the event as a queue message body: ASCII JSON without empty fields."""
    return to_json(_present(event))


def _present(value: Any) -> Any:  # noqa: ANN401 - an event or a part of one
    if is_dataclass(value):
        named = {f.name: _present(getattr(value, f.name)) for f in fields(value)}
        return {name: part for name, part in named.items() if part not in (None, [], {})}
    if isinstance(value, list):
        return [_present(entry) for entry in value]
    return value


def bounded_extra(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the provider fields that fit into 8 KB of JSON, short ones first; `parley_left_out` counts the others."""
    sizes = {name: len(to_json({name: value})) for name, value in extra.items()}
    kept: dict[str, Any] = {}
    left = MOST_EXTRA_BYTES - len(to_json({LEFT_OUT: len(extra)}))
    for name in sorted(sizes, key=lambda name: (sizes[name], name)):
        left -= sizes[name]
        if left < 0:
            return kept | {LEFT_OUT: len(extra) - len(kept)}
        kept[name] = extra[name]
    return kept


def inbound_entry(message: InboundMessage) -> Entry:
    """Build the entry of a message on `conversations-inbound.fifo`; one group per pair of addresses."""
    customer = message.customer_address or message.customer_user_id or ""
    return Entry(
        body=body_of(message),
        group=digest(message.channel_method, message.business_address, customer),
        # With the account, so that a forged message cannot suppress another account's message. With the content, so
        # that one id with two contents reaches intake, which parks the second.
        deduplication=digest(
            message.type,
            message.provider,
            message.account,
            message.provider_message_id,
            customer,
            message.text or "",
            str(len(message.media)),
        ),
    )


def release_entry(released: NumberReleased) -> Entry:
    """Build the entry of a released number on `conversations-inbound.fifo`, in the group of the number's messages."""
    return Entry(
        body=body_of(released),
        group=digest(released.channel_method, released.business_address, released.customer_address),
        deduplication=digest(
            released.type, released.provider, released.account, released.provider_message_id
        ),
    )


def file_entry(stored: FileStored) -> Entry:
    """
    Build the entry of a file on `conversations-inbound.fifo`, one per storage location, and one for its transcript.

    Files have their own group: messages do not wait for files, and the two may arrive in either order.
    """
    return Entry(
        body=body_of(stored),
        group=digest(stored.type, stored.provider, stored.provider_message_id),
        deduplication=digest(
            stored.type,
            stored.provider,
            stored.account,
            stored.business_address,
            stored.provider_message_id,
            stored.file.url or "",
            *(("transcript",) if stored.file.transcript is not None else ()),
        ),
    )


def status_entry(status: DeliveryStatus) -> Entry:
    """
    Build the entry of a delivery status on `conversations-statuses.fifo`.

    All statuses of a message share its id, so *status* and error code are part of the deduplication id. Account and
    business address are too: a status that the worker refuses because of them must not suppress the correct one.
    """
    return Entry(
        body=body_of(status),
        group=digest(status.provider_message_id),
        deduplication=digest(
            status.provider,
            status.account,
            status.business_address or "",
            status.provider_message_id,
            status.status,
            status.error_code or "",
        ),
    )
