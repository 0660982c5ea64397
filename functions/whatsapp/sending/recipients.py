"""
The recipient of a conversation, as far as it is proven: a number belongs to its owner among the customers.

    owner of the number              the message goes to
    unknown                          the number
    the conversation's contact       the number
    another contact, or nobody       the customer's user id; without one it is refused

The answer is read twice: before the policy is asked, and right before the call to the provider.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.providers.outcomes import NotSent
from whatsapp import store, transmission
from whatsapp.sending.failures import ADDRESS_WITHDRAWN, PolicyRefused
from whatsapp.store.items import Conversation
from whatsapp.worker import contact_links, number_owners

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from whatsapp.store.items import Phone


def proven(
    table: Table, phone: Phone, conversation: Conversation, *, named_at: str | None = None
) -> Conversation:
    """
    Return a conversation without the number of its customer if another customer has it now: answers go to the user id.

    *named_at*: when the number was chosen, if that was earlier; it must have had the same owner then. Raises
    PolicyRefused (`address_withdrawn`) without a user id.
    """
    if _is_theirs(table, phone, conversation, named_at):
        return conversation
    if not conversation.sender_user_id:
        raise PolicyRefused(ADDRESS_WITHDRAWN)
    return conversation.model_copy(update={"sender_phone": None})


def require(
    table: Table, phone: Phone, conversation: Conversation, *, named_at: str | None = None
) -> None:
    """Raise NotSent (`address_withdrawn`) if another customer has the number: nothing may be sent to it."""
    if not _is_theirs(table, phone, conversation, named_at):
        raise NotSent(ADDRESS_WITHDRAWN)


def _is_theirs(
    table: Table, phone: Phone, conversation: Conversation, named_at: str | None
) -> bool:
    number = transmission.recipient_of(conversation).phone
    alias = store.aliases.of_number(table, phone.phone, number) if number else None
    if alias is None or alias.company != phone.company:
        return True  # No customer has written from it.
    owner = number_owners.owners_of(alias)[-1]
    if owner.contact is None or (named_at and number_owners.has_changed(alias, named_at)):
        return False
    own = conversation.from_ or Conversation.contact_of(conversation.pk)
    if owner.contact == own:
        return True
    # Contacts of one person are linked.
    owners, theirs = (
        contact_links.primary_of(table, phone.phone, key).key for key in (owner.contact, own)
    )
    return owners == theirs
