"""Maps provider status codes to delivery states, and failures to facts about the recipient. Pure."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from conversations.outbound.failures import Kind
from conversations.outbound.providers.twilio_accounts import is_unsupported
from conversations.store.items.log import Delivery
from shared.providers.outcomes import AddressUnusable, OptedOut, WindowClosed
from shared.providers.twilio import api

if TYPE_CHECKING:
    from conversations.lifecycle.conversation import OpenConversation
    from shared.events.exchange import DeliveryStatus

COMPLAINT = "Complaint"
_BOUNCE = "Bounce"
_HARD = "Permanent"  # SES's `bounceType`; after any other type the mailbox may accept the next mail
_NOT_SPAM = "not-spam"  # SES's `complaintFeedbackType`: the mail was moved out of the spam folder
_D = Delivery
# Provider statuses; others are stored and change nothing.
_WORDS: dict[str, Delivery] = {
    # Twilio, "Message status values"; includes Meta's, except `played` of voice messages
    "accepted": _D.ACCEPTED,
    "scheduled": _D.ACCEPTED,
    "queued": _D.QUEUED,
    "sending": _D.QUEUED,
    "sent": _D.SENT,
    "delivered": _D.DELIVERED,
    "read": _D.READ,
    "played": _D.READ,
    "undelivered": _D.FAILED,
    "failed": _D.FAILED,
    "canceled": _D.FAILED,
    "partially_delivered": _D.FAILED,
    # AWS End User Messaging SMS, "Event types"
    "TEXT_QUEUED": _D.QUEUED,
    "TEXT_PENDING": _D.QUEUED,
    "TEXT_SUCCESSFUL": _D.SENT,
    "TEXT_DELIVERED": _D.DELIVERED,
    # SES, "Event types". A complaint implies that the mail was delivered.
    "Send": _D.SENT,
    "Delivery": _D.DELIVERED,
    "Open": _D.READ,
    COMPLAINT: _D.DELIVERED,
    _BOUNCE: _D.FAILED,
    "Reject": _D.FAILED,
    "Rendering Failure": _D.FAILED,
}
_FAILURES_OF_SMS = frozenset(
    {
        "TEXT_BLOCKED",
        "TEXT_CARRIER_BLOCKED",
        "TEXT_SPAM",
        "TEXT_INVALID",
        "TEXT_INVALID_MESSAGE",
        "TEXT_UNREACHABLE",
        "TEXT_CARRIER_UNREACHABLE",
        "TEXT_TTL_EXPIRED",
        "TEXT_PROTECT_BLOCKED",
    }
)


class Verdict(StrEnum):
    """The consequence of a status for the recipient, in addition to that for the message."""

    COMPLAINED = "complained"
    OPTED_OUT = "opted_out"
    UNREACHABLE = "unreachable"


def meaning(event: DeliveryStatus) -> Delivery | None:
    """Return the delivery state of a status; None if it changes nothing."""
    if event.status in _FAILURES_OF_SMS:
        return Delivery.FAILED if event.is_final else None
    return _WORDS.get(event.status)


def verdict(event: DeliveryStatus) -> Verdict | None:
    """
    Return the consequence of a status for the recipient, if any.

    A complaint or a provider's opt-out is the recipient's own decision; a hard bounce, and Twilio's codes for invalid
    numbers, mean that the channel never reaches the address.
    """
    if event.provider == "ses":
        if event.status == COMPLAINT:
            is_meant = _detail(event, "complaintFeedbackType") != _NOT_SPAM
            return Verdict.COMPLAINED if is_meant else None
        is_hard = event.status == _BOUNCE and _detail(event, "bounceType") == _HARD
        return Verdict.UNREACHABLE if is_hard else None
    if event.provider == "twilio" and meaning(event) is Delivery.FAILED:
        refusal = api.refusal(api.number(event.error_code))
        if isinstance(refusal, OptedOut):
            return Verdict.OPTED_OUT
        if isinstance(refusal, AddressUnusable):
            return Verdict.UNREACHABLE
    return None


def failure_reason(event: DeliveryStatus, opened: OpenConversation) -> str:
    """Return the conversation's reason for a failed delivery: the refusal's, if a send is refused for it too."""
    code = event.error_code or event.status
    refusal = api.refusal(api.number(code)) if event.provider == "twilio" else None
    if isinstance(refusal, WindowClosed):
        return f"{Kind.WINDOW_CLOSED}:{code}"
    if isinstance(refusal, AddressUnusable) and is_unsupported(opened.channel, opened.customer):
        return f"{Kind.UNSUPPORTED}:{code}"
    return f"delivery_failed:{code}"


def _detail(event: DeliveryStatus, name: str) -> str | None:
    """Return a detail of an SES bounce or complaint: from *extra*, in SES's structure, else the error code."""
    part = event.extra.get(event.status.lower())
    value = (part if isinstance(part, dict) else event.extra).get(name)
    return value if isinstance(value, str) else event.error_code
