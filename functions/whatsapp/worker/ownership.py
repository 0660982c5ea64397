"""
Checks the ownership of items. Messages and files are keyed by provider ids alone, so a valid signature of one tenant
could name another tenant's item: an event may only touch items of the company whose number reported it. Statuses,
edits, reactions and aliases have the number in their key.
"""

from shared.events.exchange import OutboundMessage
from shared.identity.business_accounts import BusinessAccount
from shared.providers.action_ledger import Action
from shared.runtime.failures import Permanent
from whatsapp import store
from whatsapp.configuration.resources import Resources, SendingResources
from whatsapp.store.items import Edit, Media, Message, Phone

FOREIGN = "tenant_mismatch"


def message_of(resources: SendingResources, message_pk: str, phone: Phone) -> Message | None:
    """Return the message with this key, None if missing. Raises Permanent (`tenant_mismatch`)."""
    message = store.messages.get(resources.table, message_pk)
    if message is not None and (message.company, message.phone) != (phone.company, phone.phone):
        raise Permanent(FOREIGN)
    return message


def edit_of(resources: Resources, message_id: str, phone: Phone) -> Edit:
    """Return the changes of a message that this number recorded, empty if there are none."""
    edit_pk = Edit.key(phone.phone, message_id)
    edit = store.message_reports.get_edit(resources.table, edit_pk)
    return edit or Edit(pk=edit_pk, company=phone.company)


def check_media(record: Media, phone: Phone) -> Media:
    """Return the record. Raises Permanent (`foreign_media`) if it belongs to another company."""
    if record.company != phone.company:
        raise Permanent("foreign_media")
    return record


def check_action(action: Action, phone: Phone) -> None:
    """Raise Permanent (`tenant_mismatch`) unless the action belongs to the reporting company and number."""
    if action.company != phone.company or action.business_address not in {None, phone.phone}:
        raise Permanent(FOREIGN)


def check_announced(sent: OutboundMessage, phone: Phone) -> None:
    """Raise Permanent (`tenant_mismatch`) unless another context sent through the provider and account of *phone*."""
    if not BusinessAccount(provider=phone.carrier, account=phone.waba_meta_id).covers(sent):
        raise Permanent(FOREIGN)
