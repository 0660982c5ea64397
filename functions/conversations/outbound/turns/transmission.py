"""Step T5 of a turn: one send attempt through the ledger, and a later check if its outcome is unknown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversations.configuration.projects import SmsChannel
from conversations.store.items.parts.due import DueKind
from conversations.store.recovery import due
from shared.identity.business_accounts import BusinessAccount
from shared.identity.keyed_hashes import keyed_hash
from shared.providers.action_ledger import Action, OnDoubt
from shared.providers.action_ledger import State as Sending
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.configuration.resources import Resources, Run
    from conversations.lifecycle.conversation import OpenConversation, Speaking
    from conversations.outbound.providers.gateway import Providers
    from conversations.store.items.log import Message
    from conversations.store.items.turn import Turn
    from shared.providers.outcomes import Sent

# Settle a dead worker's attempt once its lease has expired and evidence has had time to arrive. Twilio does not
# document how soon its list contains a message; a message that is listed later than this counts as absent.
IN_DOUBT_MS = 150 * clock.SECOND_MS
MADE = frozenset({Sending.SENT, Sending.CONFIRMED})
# Reasons of the ledger's Transient for an attempt of unknown outcome.
IN_DOUBT = frozenset({"send_in_doubt", "send_in_progress"})


@dataclass(frozen=True, slots=True)
class Attempt:
    """
    The state of a send; *sent* is the provider's response, None if the ledger already had the outcome.

    *sender* is the account and address that *sent* was sent from.
    """

    standing: Sending
    sent: Sent | None
    sender: BusinessAccount

    @property
    def has_arrived(self) -> bool:
        """Whether the provider has accepted the message."""
        return self.standing in MADE


def attempt(resources: Resources, gateway: Providers, speaking: Speaking, run: Run) -> Attempt:
    """Send the message of a turn unless already sent. Raises Transient; in doubt, its reason is one of IN_DOUBT."""
    opened, message, action_id = speaking.opened, speaking.message, speaking.action_id
    sent: Sent | None = None

    def send() -> str | None:
        nonlocal sent
        sent = gateway.send(opened, message, action_id)
        return sent.provider_id

    sender = _sender(gateway, opened)
    standing = resources.ledger.perform(
        _intended(opened, message, action_id, sender),
        owner=run.owner,
        remaining_ms=run.remaining_ms(),
        send=send,
        evidence=lambda action: gateway.evidence(opened, message, action),
    )
    return Attempt(standing, sent, sender)


def was_tried(resources: Resources, action_id: str) -> bool:
    """Return whether a message may have been sent; one that certainly was not is checked by the policy again."""
    action = resources.ledger.action(action_id)
    return action is not None and action.may_have_been_sent


def settle_later(resources: Resources, opened: OpenConversation, turn: Turn) -> None:
    """Schedule a check of a turn with unknown outcome, after its worker's lease has expired."""
    due.put(
        resources.log,
        opened.ref,
        DueKind.IN_DOUBT,
        max(clock.now_ms(), turn.lease_until) + IN_DOUBT_MS,
        company=opened.company.company_id,
        message_sk=turn.message_sk,
    )


def sender_of(action: Action | None) -> BusinessAccount | None:
    """Return the account and address of an action; None if it no longer exists or an older version wrote it."""
    if action is None or (action.account is None and action.business_address is None):
        return None
    return BusinessAccount(
        provider=action.provider, account=action.account, business_address=action.business_address
    )


def _sender(gateway: Providers, opened: OpenConversation) -> BusinessAccount:
    """Return the account and address that would send a message of the conversation now."""
    channel = opened.channel
    # A Twilio messaging service selects one of its numbers.
    has_pool = isinstance(channel, SmsChannel) and channel.messaging_service_sid is not None
    return BusinessAccount(
        provider=channel.provider,
        account=gateway.account(opened),
        business_address=None if has_pool else opened.state.business_address,
    )


def _intended(
    opened: OpenConversation, message: Message, action_id: str, sender: BusinessAccount
) -> Action:
    in_doubt = opened.company.policy.in_doubt
    return Action(
        action_id=action_id,
        company=opened.company.company_id,
        channel=opened.conversation.channel_method,
        provider=sender.provider,
        account=sender.account,
        business_address=sender.business_address,
        on_doubt=OnDoubt.RESEND if in_doubt == "resend_if_absent" else OnDoubt.AT_MOST_ONCE,
        recipient_hash=keyed_hash("recipient", opened.customer),
        body_hash=keyed_hash("body", message.content),
        message_pk=f"{opened.ref}#{message.own_sk}",
    )
