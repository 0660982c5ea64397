"""
Whose an item is. Messages, edits and files are keyed by the provider's ids alone, so one tenant's valid signature could
name another's: what an event may touch belongs to the company whose number reported it.
"""

from shared.action_ledger import Action
from shared.events import OutboundMessage
from shared.failures import Permanent
from shared.tenancy.business_accounts import BusinessAccount
from whatsapp import store
from whatsapp.resources import Resources
from whatsapp.store.items import Edit, Media, Message, Phone

FOREIGN = "tenant_mismatch"


def message_of(here: Resources, message_pk: str, phone: Phone) -> Message | None:
    """The message with this key, None where there is none. Raises Permanent (`tenant_mismatch`)."""
    message = store.messages.get(here.table, message_pk)
    if message is not None and (message.company, message.phone) != (phone.company, phone.phone):
        raise Permanent(FOREIGN)
    return message


def edit_of(here: Resources, message_id: str, phone: Phone) -> Edit:
    """What is known of a message besides itself, empty where nothing is. Raises Permanent (`tenant_mismatch`)."""
    edit = store.edits.get(here.table, Edit.key(message_id))
    if edit is not None and edit.company != phone.company:
        raise Permanent(FOREIGN)
    return edit or Edit(pk=Edit.key(message_id), company=phone.company)


def check_media(record: Media, phone: Phone) -> Media:
    """The record. Raises Permanent (`foreign_media`) when another company's message brought it."""
    if record.company != phone.company:
        raise Permanent("foreign_media")
    return record


def check_action(action: Action, phone: Phone) -> None:
    """Raise Permanent (`tenant_mismatch`) unless the action is of the company and the number that report about it."""
    if action.company != phone.company or action.business_address not in {None, phone.phone}:
        raise Permanent(FOREIGN)


def check_announced(sent: OutboundMessage, phone: Phone) -> None:
    """Raise Permanent (`tenant_mismatch`) unless another context sent through the provider and account of *phone*."""
    if not BusinessAccount(provider=phone.carrier, account=phone.waba_meta_id).covers(sent):
        raise Permanent(FOREIGN)
