"""
The words in which contexts talk to each other over queues: each shape once.

Dataclasses, because ingress functions make them and must start fast; workers check what they receive with pydantic,
which takes the same classes. Times are ISO 8601 in UTC with milliseconds, `2026-03-01T09:30:00.000Z`; numbers are
E.164; addresses of e-mail are case-folded. Nothing of a person shows in a `repr`.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal

from shared.aws.sqs_fifo import to_json

type Channel = Literal["whatsapp", "sms", "email"]
type Provider = Literal["twilio", "aws_sms", "meta", "aws_social", "ses"]
type Kind = Literal[
    "text", "button", "list", "media", "location", "contacts", "reaction", "unknown"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """An answer that was tapped: what the business attached to it, and what stood on it."""

    payload: str | None = field(default=None, repr=False)
    label: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file of a message: where it is (an address, the provider's id, or our own `s3://` copy) and what it is."""

    url: str | None = field(default=None, repr=False)
    provider_id: str | None = None
    mime_type: str | None = None
    name: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """A place that somebody shared; degrees as the provider wrote them."""

    latitude: str = field(repr=False)
    longitude: str = field(repr=False)
    name: str | None = field(default=None, repr=False)
    address: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundMessage:
    """
    A message of a customer; as `human_reply` one that the business wrote outside Parley.

    *account* is whom the provider vouched for: an account SID, a WABA id, the ARN of a topic. *company* has the number
    in the inbox that reports the message; None of providers that no inbox is for. *extra* holds what has no field here,
    at most 8 KB; for e-mail `auto_answer_allowed` among it.
    """

    type: Literal["inbound_message", "human_reply"] = "inbound_message"
    v: int = 1
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
    """The file of a message that is told of already is in our bucket by now: *file* has its `s3://` address."""

    type: Literal["file_stored"] = "file_stored"
    v: int = 1
    provider: Provider
    provider_message_id: str
    account: str
    channel_method: Channel
    business_address: str
    file: File


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryStatus:
    """
    What a provider says became of a message of ours, in its own word (*status*): ranks are the reader's.

    *action_id* is the ledger's, where the provider gives it back. *is_final* is None where the provider does not say.
    *price* is a decimal number in *currency*. Of SES, *status* is the `eventType`, and *extra* has what it says of a
    bounce or a complaint (`bounceType`, `complaintFeedbackType`), or *error_code* is that word. *business_address* is
    the sender of the message, as in `InboundMessage`, where the provider gives it.
    """

    type: Literal["delivery_status"] = "delivery_status"
    v: int = 1
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
    v: int = 1
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTrigger:
    """Somebody waits for an answer in the conversation *ref*; *message_sk* is the message that asked for it."""

    type: Literal["reply_trigger"] = "reply_trigger"
    v: int = 1
    ref: str
    message_sk: str


type Event = InboundMessage | FileStored | DeliveryStatus | OutboundMessage | ReplyTrigger


def body_of(event: Event) -> str:
    """The event as the body of a queue's message: ASCII JSON without what is absent."""
    return to_json(_present(event))


def _present(value: Any) -> Any:  # noqa: ANN401 - an event or a part of one
    if is_dataclass(value):
        named = {f.name: _present(getattr(value, f.name)) for f in fields(value)}
        return {name: part for name, part in named.items() if part not in (None, [], {})}
    if isinstance(value, list):
        return [_present(entry) for entry in value]
    return value
