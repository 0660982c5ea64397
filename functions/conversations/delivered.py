"""
What providers say became of our messages: by rank, never by the order in which it arrives.

A status finds its message by the provider's id, or by the action id that we gave along, so that one which is faster
than our own writes is not lost. Failure never overrides delivery, and what comes after a failure changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from conversations import arriving, records
from conversations.consequences import consequence
from conversations.falling_back import fall_back
from conversations.items.log import Delivery, Message, Stage, TurnKind
from conversations.lifecycle import OVER, WITH_PEOPLE, Status
from conversations.moving import Cause, move
from conversations.records import Resolve
from conversations.store import messages
from conversations.turns import Ended
from shared.failures import Permanent

if TYPE_CHECKING:
    from conversations.opened import Opened
    from conversations.resources import Resources
    from shared.events import DeliveryStatus

_D = Delivery
# The providers' words; what is not among them is kept and changes nothing.
_WORDS: dict[str, Delivery] = {
    # Twilio, "Message status values"
    "accepted": _D.ACCEPTED,
    "scheduled": _D.ACCEPTED,
    "queued": _D.QUEUED,
    "sending": _D.QUEUED,
    "sent": _D.SENT,
    "delivered": _D.DELIVERED,
    "read": _D.READ,
    "undelivered": _D.FAILED,
    "failed": _D.FAILED,
    "canceled": _D.FAILED,
    "partially_delivered": _D.FAILED,
    # AWS End User Messaging SMS, "Event types"
    "TEXT_QUEUED": _D.QUEUED,
    "TEXT_PENDING": _D.QUEUED,
    "TEXT_SUCCESSFUL": _D.SENT,
    "TEXT_DELIVERED": _D.DELIVERED,
    # SES, "Event types"
    "Send": _D.SENT,
    "Delivery": _D.DELIVERED,
    "Open": _D.READ,
    "Bounce": _D.FAILED,
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
_RANKS = (_D.DRAFT, _D.SENDING, _D.UNKNOWN, _D.ACCEPTED, _D.QUEUED, _D.SENT, _D.DELIVERED, _D.READ)
# What a failure may still replace: what was delivered was not lost.
_UNDECIDED = [rank for rank in _RANKS if rank not in {_D.DELIVERED, _D.READ}]


class Applied(StrEnum):
    """What became of a status."""

    CHANGED = "changed"
    OLD = "old"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class _Found:
    ref: str
    message_sk: str
    action_id: str


def apply(here: Resources, event: DeliveryStatus) -> Applied:
    """Apply one status. Raises Permanent (`unknown_message`) where no message of ours is meant."""
    found = _find(here, event)
    if found is None:
        raise Permanent("unknown_message")
    status = _meaning(event)
    if status is None:
        return Applied.IGNORED
    is_failure = status is Delivery.FAILED
    here.ledger.confirm(
        found.action_id,
        failed=is_failure,
        message_pk=f"{found.ref}#{found.message_sk}",
        company=_company(here, found.ref),
    )
    lower = _UNDECIDED if is_failure else list(_RANKS[: _RANKS.index(status)])
    facts = Message.named(
        delivery_status=status,
        delivery_status_at=event.occurred_at,
        error_code=event.error_code,
        provider_message_id=event.provider_message_id,
        segments=event.segments,
        price=event.price,
        currency=event.currency,
    )
    changed = messages.update(
        here.log, found.ref, found.message_sk, facts, only_from=[*lower, status]
    )
    if changed is None:
        return Applied.OLD
    opened = arriving.opened(here, found.ref)
    _settle_turn(here, opened, found)
    if is_failure:
        _failed(here, opened, changed, event)
    return Applied.CHANGED


def _find(here: Resources, event: DeliveryStatus) -> _Found | None:
    linked = messages.linked(here.log, event.provider, event.provider_message_id)
    if linked is not None:
        return _Found(linked.ref, linked.message_sk, linked.action_id)
    action = here.ledger.action(event.action_id) if event.action_id else None
    if action is None or action.message_pk is None:
        return None
    ref, _, sk = action.message_pk.partition("#")
    return _Found(ref, sk, action.action_id)


def _meaning(event: DeliveryStatus) -> Delivery | None:
    if event.status in _FAILURES_OF_SMS:
        return Delivery.FAILED if event.is_final else None
    return _WORDS.get(event.status)


def _company(here: Resources, ref: str) -> str:
    return arriving.opened(here, ref).company.company_id


def _settle_turn(here: Resources, opened: Opened, found: _Found) -> None:
    """A status is evidence: a turn that waits for any can be finished now."""
    turn = opened.state.turn
    if (
        turn
        and turn.stage is Stage.SENDING
        and turn.message_sk == found.message_sk
        and turn.is_over
    ):
        entry = records.entry(Resolve(ref=found.ref), found.ref, "resolve", found.action_id)
        here.channels[opened.conversation.channel_method].send([entry])


def _failed(here: Resources, opened: Opened, message: Message, event: DeliveryStatus) -> None:
    """A first message that nobody got fails the conversation; an answer that nobody got needs a person."""
    is_first = (message.turn_id or "").startswith("initial")
    if is_first and opened.state.last_inbound_at is not None:
        return  # They answered: whatever the provider says, they got it.
    if not is_first and message.author != "ai":
        return
    reason = f"delivery_failed:{event.error_code or event.status}"
    kind = TurnKind.INITIAL if is_first else TurnKind.REPLY
    end = consequence(kind, Ended.FAILED, reason)
    cause = Cause(who="provider", what=f"{message.entry_id}:{reason}", reason=reason)
    status = Status(opened.conversation.conversation_status)
    is_ours = (
        opened.state.moved_for == cause.what
    )  # a move of ours, whose worker may have died in it
    if status in OVER or (status in WITH_PEOPLE and not is_ours):
        return  # It shows at the message. Nobody expects anything, or people have the conversation anyway.
    move(here, opened, end.status or Status.FAILED, cause)
    if is_first:
        fall_back(here, opened)
