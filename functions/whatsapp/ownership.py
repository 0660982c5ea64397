"""
Whose an item is. Messages, edits and files are keyed by the provider's ids alone, so one tenant's valid signature could
name another's: what an event may touch belongs to the company whose number reported it.
"""

from shared.failures import Permanent
from whatsapp import store
from whatsapp.items import Edit, Media, Message, Phone
from whatsapp.resources import Resources

FOREIGN = "foreign_message"


def message_of(here: Resources, message_pk: str, phone: Phone) -> Message | None:
    """The message with this key, None where there is none. Raises Permanent (`foreign_message`)."""
    message = store.messages.get(here.table, message_pk)
    if message is not None and (message.company, message.phone) != (phone.company, phone.phone):
        raise Permanent(FOREIGN)
    return message


def edit_of(here: Resources, message_id: str, phone: Phone) -> Edit:
    """What is known of a message besides itself, empty where nothing is. Raises Permanent (`foreign_message`)."""
    edit = store.edits.get(here.table, Edit.key(message_id))
    if edit is not None and edit.company != phone.company:
        raise Permanent(FOREIGN)
    return edit or Edit(pk=Edit.key(message_id), company=phone.company)


def check_media(record: Media, phone: Phone) -> Media:
    """The record. Raises Permanent (`foreign_media`) when another company's message brought it."""
    if record.company != phone.company:
        raise Permanent("foreign_media")
    return record
