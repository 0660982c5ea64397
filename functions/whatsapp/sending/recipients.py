"""
The recipient of a conversation, as far as it is proven: a number belongs to its owner among the customers.

    owner of the number              the message goes to
    unknown                          the number
    the conversation's contact       the number
    another contact, or nobody       the customer's user id; without one it is refused

A number that only the business has written to is not proven: its owner is unknown. After a notice it gets nothing.

Both are read right before the call to the provider: the owner, and the company's record of withdrawn numbers, which is
by number and not by business number:

    the number changed hands         the message goes to
    before it was proven or named    the number
    since then, to this customer     the number
    since then                       the customer's user id; without one it is refused

A number is proven by a message of the conversation's customer from it. If no customer has written from it to this
business number, it is the request that names it: an action, a campaign, or the message that is sent again. After a
notice of the earlier owner alone a request does not count, since it is unknown who has the number: until a message
comes from it, nothing is sent there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.policy.consent import withdrawals
from shared.providers.outcomes import NotSent
from whatsapp import store, transmission
from whatsapp.sending.failures import ADDRESS_WITHDRAWN, PolicyRefused
from whatsapp.store import ordering
from whatsapp.store.contacts import owners
from whatsapp.store.items import Conversation
from whatsapp.worker import contact_links

if TYPE_CHECKING:
    from whatsapp.sending.gate import Gate
    from whatsapp.store.items import Alias, Phone


def proven(
    gate: Gate,
    phone: Phone,
    conversation: Conversation,
    *,
    named_at: str | None = None,
    is_last: bool = False,
) -> Conversation:
    """
    Return a conversation without the number of its customer if another customer has it now: answers go to the user id.

    *named_at*: when the number was chosen, if that was earlier; it must have had the same owner then. *is_last*: no
    `require` follows. Raises PolicyRefused (`address_withdrawn`) without a user id.
    """
    if _is_theirs(gate, phone, conversation, named_at, is_final=is_last):
        return conversation
    return by_user_id(conversation)


def by_user_id(conversation: Conversation) -> Conversation:
    """Return a conversation whose messages go to the customer's user id. Raises PolicyRefused without one."""
    if not conversation.sender_user_id:
        raise PolicyRefused(ADDRESS_WITHDRAWN)
    return conversation.model_copy(update={"sender_phone": None})


def require(
    gate: Gate, phone: Phone, conversation: Conversation, *, named_at: str | None = None
) -> None:
    """Raise NotSent (`address_withdrawn`) if the number is another person's: nothing may be sent to it."""
    if not _is_theirs(gate, phone, conversation, named_at, is_final=True):
        raise NotSent(ADDRESS_WITHDRAWN)


def _is_theirs(
    gate: Gate, phone: Phone, conversation: Conversation, named_at: str | None, *, is_final: bool
) -> bool:
    """Whether the number is the customer's. *is_final*: read the withdrawn numbers, too."""
    number = transmission.recipient_of(conversation).phone
    if not number:
        return True
    alias = store.aliases.of_number(gate.table, phone.phone, number)
    if alias is not None and alias.company != phone.company:
        alias = None
    newest = owners.owners_of(alias)[-1] if alias else None
    if newest is not None and not newest.is_proven:
        if newest.change:
            return False  # since the notice only the business has written there
        alias = None
    if alias is not None and not _is_owned(gate, phone, conversation, alias, named_at):
        return False
    return not (is_final and _is_withdrawn(gate, phone, conversation, alias, named_at))


def _is_owned(
    gate: Gate, phone: Phone, conversation: Conversation, alias: Alias, named_at: str | None
) -> bool:
    """Whether the contact of a conversation owns the number, as customers of *phone* prove it."""
    owner = owners.owners_of(alias)[-1]
    if owner.contact is None or (named_at and owners.has_changed(alias, named_at)):
        return False
    own = conversation.from_ or Conversation.contact_of(conversation.pk)
    if owner.contact == own:
        return True
    # Contacts of one person are linked.
    holder, theirs = (
        contact_links.primary_of(gate.table, phone.phone, key).key for key in (owner.contact, own)
    )
    return holder == theirs


def _is_withdrawn(
    gate: Gate,
    phone: Phone,
    conversation: Conversation,
    alias: Alias | None,
    named_at: str | None,
) -> bool:
    """Whether the number changed hands at any business number of the company since it was proven or named."""
    recipient, user_id = (
        transmission.recipient_of(conversation).address,
        conversation.sender_user_id,
    )
    since, named = conversation.number_proven_at, named_at or conversation.named_at
    if alias is not None:
        owner = owners.owners_of(alias)[-1]  # is the contact of the conversation
        user_id = user_id or owner.user_id
        since = max(since, ordering.moment_of(owner.since))
    withdrawn_at = withdrawals.withdrawn_at(
        gate.consents.table, str(phone.company), str(recipient), since,
        named_at=named if alias is None else "", user_id=user_id, is_consistent=False,
    )  # fmt: skip
    return withdrawn_at is not None
