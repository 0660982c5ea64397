"""
Applies delivery statuses from providers by rank, independent of the order of arrival.

A status finds its message by the provider's id or by the action id sent along, so that a status faster than
Parley's own writes is not lost. A failure never overrides a delivery, and a status after a failure changes nothing; but
a message in doubt is completed by the first evidence of delivery.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from conversations.lifecycle import conversation
from conversations.lifecycle.conversation import addresses_of
from conversations.lifecycle.records import commands
from conversations.lifecycle.records.commands import Resolve
from conversations.lifecycle.status import OPEN, OVER, WITH_PEOPLE, Status
from conversations.lifecycle.transitions import Cause, move
from conversations.outbound.delivery.channel_fallback import fall_back
from conversations.outbound.delivery.late_delivery import finish_after_delivery, waits_in_doubt
from conversations.outbound.failures import consequence
from conversations.outbound.providers.status_codes import (
    Verdict,
    failure_reason,
    meaning,
    verdict,
)
from conversations.outbound.providers.twilio_accounts import is_unsupported
from conversations.outbound.results import Ended
from conversations.store import erasures, messages, states
from conversations.store.items import identifiers
from conversations.store.items.log import Delivery, Message
from conversations.store.items.records import ParkReason
from conversations.store.items.routes import Outbound
from conversations.store.items.turn import Stage, TurnKind
from shared.identity.business_accounts import OWN_PROVIDERS, BusinessAccount
from shared.policy.consent import unreachable
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.records import Consents
from shared.policy.consent.unreachable import Unreachable
from shared.runtime import clock
from shared.runtime.failures import Permanent

if TYPE_CHECKING:
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation
    from shared.events.exchange import DeliveryStatus

_D = Delivery
_RANKS = (_D.DRAFT, _D.SENDING, _D.UNKNOWN, _D.ACCEPTED, _D.QUEUED, _D.SENT, _D.DELIVERED, _D.READ)
# The states that a failure may replace: a delivered message cannot fail.
ARRIVED = frozenset({_D.DELIVERED, _D.READ})
_UNDECIDED = [rank for rank in _RANKS if rank not in ARRIVED]
_SOURCES = {Verdict.COMPLAINED: Source.COMPLAINT, Verdict.OPTED_OUT: Source.PROVIDER}
UNKNOWN_MESSAGE = "unknown_message"


class Applied(StrEnum):
    """The result of applying a status."""

    CHANGED = "changed"
    OLD = "old"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True, kw_only=True)
class _SentMessage:
    ref: str
    message_sk: str
    action_id: str
    is_linked: bool  # found by the provider's message id of the status
    provider: str
    account: str | None
    business_address: str | None


def apply(resources: Resources, event: DeliveryStatus) -> Applied:
    """
    Apply one status.

    Raises Permanent: `unknown_message` if no sent message matches, `TENANT_MISMATCH` if the status comes from another
    account or business address than the message was sent from.
    """
    sent = _find(resources, event)
    if sent is None:
        is_erased = erasures.is_message(resources.log, event.provider, event.provider_message_id)
        raise Permanent(ParkReason.ERASED if is_erased else UNKNOWN_MESSAGE)
    status = meaning(event)
    if status is None:
        return Applied.IGNORED
    opened = conversation.load(resources, sent.ref)
    if not _sender(opened, sent).covers(event):
        raise Permanent(ParkReason.TENANT_MISMATCH)
    is_failure = status is Delivery.FAILED
    # The link is written after the ledger recorded the send: with a link, only a failure is new to the ledger.
    if is_failure or not sent.is_linked:
        resources.ledger.confirm(
            sent.action_id,
            failed=is_failure,
            message_pk=f"{sent.ref}#{sent.message_sk}",
            company=opened.company.company_id,
        )
    if not sent.is_linked:
        _link(resources, event, sent)
    changed = _update_status(resources, event, sent, status)
    # The consequence for the recipient holds even if the message has a higher status by now.
    _apply_to_recipient(resources, opened, event, sent)
    if changed is None:
        _note_late_arrival(resources, opened, event, status)
        return Applied.OLD
    opened = conversation.load(resources, sent.ref)
    _settle_turn(resources, opened, sent)
    if is_failure:
        _failed(resources, opened, changed, event)
    else:
        cause = Cause(who="provider", what=f"{changed.entry_id}:{status}")
        finish_after_delivery(resources, opened, changed, sent.action_id, cause)
    return Applied.CHANGED


def _find(resources: Resources, event: DeliveryStatus) -> _SentMessage | None:
    linked = messages.linked(resources.log, event.provider, event.provider_message_id)
    if linked is not None:
        return _SentMessage(
            ref=linked.ref,
            message_sk=linked.message_sk,
            action_id=linked.action_id,
            is_linked=True,
            provider=event.provider,
            account=linked.account,
            business_address=linked.business_address,
        )
    action = resources.ledger.action(event.action_id) if event.action_id else None
    if action is None or action.message_pk is None:
        return None
    ref, _, sk = action.message_pk.partition("#")
    return _SentMessage(
        ref=ref,
        message_sk=sk,
        action_id=action.action_id,
        is_linked=False,
        provider=action.provider,
        account=action.account,
        business_address=action.business_address,
    )


def _sender(opened: OpenConversation, sent: _SentMessage) -> BusinessAccount:
    """Return the account and address that the message was sent from, as recorded at sending."""
    if sent.account is None and sent.business_address is None:
        # Sent before these were recorded: the current project settings decide.
        channel = opened.channel
        account = None if channel.provider in OWN_PROVIDERS else channel.account
        return BusinessAccount(provider=sent.provider, account=account)
    return BusinessAccount(
        provider=sent.provider, account=sent.account, business_address=sent.business_address
    )


def _link(resources: Resources, event: DeliveryStatus, sent: _SentMessage) -> None:
    """
    Link the provider id of the status to the message as well.

    AWS and Meta use different ids for one message, and customers' replies quote Meta's. After a send without response
    this id is the only one.
    """
    outbound = Outbound(
        ref=sent.ref,
        message_sk=sent.message_sk,
        action_id=sent.action_id,
        account=sent.account,
        business_address=sent.business_address,
        ttl=Outbound.time_to_live(),
    )
    # Update the message first: erasure finds the links of a message by its ids.
    also = Message.named(provider=event.provider, other_id=event.provider_message_id)
    messages.update(resources.log, sent.ref, sent.message_sk, {}, once=also)
    messages.link(resources.log, event.provider, event.provider_message_id, outbound)


def _update_status(
    resources: Resources, event: DeliveryStatus, sent: _SentMessage, status: Delivery
) -> Message | None:
    """Update the message's status; return it, or None if its status has a higher rank already."""
    lower = _UNDECIDED if status is Delivery.FAILED else list(_RANKS[: _RANKS.index(status)])
    facts = Message.named(
        delivery_status=status,
        delivery_status_at=event.occurred_at,
        error_code=event.error_code,
        segments=event.segments,
        price=event.price,
        currency=event.currency,
    )
    return messages.update(
        resources.log,
        sent.ref,
        sent.message_sk,
        facts,
        once=Message.named(provider_message_id=event.provider_message_id),
        only_from=[*lower, status],
    )


def _note_late_arrival(
    resources: Resources, opened: OpenConversation, event: DeliveryStatus, status: Delivery
) -> None:
    """Record that a failed first message was delivered: its status stays failed, but no fallback may send it again."""
    is_failed = opened.conversation.conversation_status == Status.FAILED
    if status in ARRIVED and is_failed and opened.state.arrived_late_at is None:
        states.note(resources.log, opened.ref, arrived_late_at=event.occurred_at)


def _settle_turn(resources: Resources, opened: OpenConversation, sent: _SentMessage) -> None:
    """Resume a turn that waits for evidence: a status is evidence."""
    turn = opened.state.turn
    if turn and turn.stage is Stage.SENDING and turn.message_sk == sent.message_sk and turn.is_over:
        entry = commands.entry(Resolve(ref=sent.ref), sent.ref, "resolve", sent.action_id)
        resources.channels[opened.conversation.channel_method].send([entry])


def _apply_to_recipient(
    resources: Resources, opened: OpenConversation, event: DeliveryStatus, sent: _SentMessage
) -> None:
    """Record the status's consequence for the recipient: an opt-out, or an unreachable address."""
    kind = verdict(event)
    if kind is Verdict.UNREACHABLE:
        if (opened.state.last_inbound_at or "") > event.occurred_at:
            return  # The customer has written from this address since.
        if is_unsupported(opened.channel, opened.customer):
            return
        record = Unreachable(
            reason=event.error_code or event.status,
            at=event.occurred_at,
            evidence=sent.action_id,
            ttl=Unreachable.time_to_live(),
        )
        company, channel = opened.company.company_id, opened.conversation.channel_method
        unreachable.note(resources.log, company, opened.customer, channel, record)
    elif kind is not None:
        _opt_out(resources, opened, event, sent, _SOURCES[kind])


def _opt_out(
    resources: Resources,
    opened: OpenConversation,
    event: DeliveryStatus,
    sent: _SentMessage,
    source: Source,
) -> None:
    """Record an opt-out that the provider reported, then end the conversation unless the customer opted in since."""
    consents, customer_addresses = Consents(resources.log), addresses_of(opened)
    company, channel = opened.company.company_id, opened.conversation.channel_method
    statement = Statement(
        source=source,
        at_ms=clock.from_text(event.occurred_at),
        evidence=sent.action_id,
        channel=channel,
    )
    consents.record_opt_out(company, customer_addresses, statement)
    cause = Cause(who="provider", what=f"{sent.action_id}:{source}", reason=source)
    is_open = Status(opened.conversation.conversation_status) in OPEN
    may_end = is_open or _is_ours(opened, cause)
    if may_end and consents.standing(company, customer_addresses, channel).is_opted_out:
        move(resources, opened, Status.OPTED_OUT, cause)


def _is_ours(opened: OpenConversation, cause: Cause) -> bool:
    """Return whether this status moved the conversation: an earlier worker may have been killed during the move."""
    return opened.state.moved_for == cause.what


def _failed(
    resources: Resources, opened: OpenConversation, message: Message, event: DeliveryStatus
) -> None:
    """Fail the conversation for an undelivered first message; hand it off for an undelivered reply."""
    is_first = message.turn_kind is TurnKind.INITIAL
    if is_first and opened.state.last_inbound_at is not None:
        return  # The customer replied, so the message was delivered regardless of the status.
    if is_first and message.turn_id != identifiers.first_turn(opened.state.releases):
        return  # An agent has released the message again; only the status of the new attempt counts.
    if not is_first and message.author != "ai":
        return
    reason = failure_reason(event, opened)
    kind = TurnKind.INITIAL if is_first else TurnKind.REPLY
    end = consequence(kind, Ended.FAILED, reason)
    cause = Cause(who="provider", what=f"{message.entry_id}:{reason}", reason=reason)
    status = Status(opened.conversation.conversation_status)
    was_in_doubt = is_first and waits_in_doubt(opened)
    is_handled = status in WITH_PEOPLE and not was_in_doubt and not _is_ours(opened, cause)
    if status in OVER or is_handled:
        return  # The message shows the failure; the conversation is over or agents handle it already.
    move(resources, opened, end.status or Status.FAILED, cause)
    if is_first:
        fall_back(resources, opened)
