"""
Authors of messages and of changes to them: an edit, a revocation or a reaction acts on a message of the same person in
the same conversation.

The ids in the event and in the message decide. Only if they differ, because a customer has new ones, the contacts are
read.
"""

from collections.abc import Mapping
from typing import Any

from shared.identity import addresses
from shared.runtime.failures import Permanent
from whatsapp.configuration.resources import Resources
from whatsapp.inbound import senders
from whatsapp.inbound.event import Event
from whatsapp.store.items import Conversation, Edit, Message, Phone
from whatsapp.worker import contact_links, contacts

OUTBOUND = "OUTBOUND"
BUSINESS = "business"
# The reason under which a change of another person's message is parked.
FOREIGN = "foreign_change"

# Who made a change: {"business": True}, or the customer's {"phone", "userId"} as far as the event names them.
type Author = Mapping[str, Any]


def of_event(event: Event, phone: Phone) -> dict[str, Any]:
    """Return the author of an event that changes a message."""
    payload = event.payload or {}
    sender = senders.sender_of("message", payload, event.contact)
    if event.kind == "echo" or phone.has_number(sender.phone):
        return {BUSINESS: True}
    ids = {"phone": sender.phone, "userId": sender.user_id}
    return {name: value for name, value in ids.items() if value}


def wrote(author: Author, message: Message) -> bool:
    """Whether the ids of an author are those of a message's author. True without ids: an older version stored none."""
    if not author:
        return True
    if author.get(BUSINESS) or message.direction == OUTBOUND:
        return bool(author.get(BUSINESS)) and message.direction == OUTBOUND
    user_id = author.get("userId")
    if user_id and message.sender_user_id:
        return bool(user_id == message.sender_user_id)
    phone = author.get("phone")
    return bool(phone) and _line(phone) == _line(message.sender_phone)


def _line(phone: str | None) -> str:
    return addresses.normal_digits(phone or "")


def check(resources: Resources, event: Event, phone: Phone, message: Message) -> None:
    """Raise Permanent (`foreign_change`) unless the author of a change wrote the message in this conversation."""
    author = of_event(event, phone)
    is_group = bool((event.payload or {}).get("group_id") or message.group_id)
    if wrote(author, message) and not author.get(BUSINESS) and not is_group:
        return
    # Only an echo names the customer of what the business changed, if at all.
    is_named = event.kind == "echo" or not author.get(BUSINESS)
    lookup = contacts.look_up(resources.table, event, phone) if is_named else None
    if lookup is None:
        if author.get(BUSINESS) and wrote(author, message):
            return
        raise Permanent(FOREIGN)
    check_conversation(resources, phone, message, lookup.conversation)
    is_business = bool(author.get(BUSINESS))
    if is_business != (message.direction == OUTBOUND):
        raise Permanent(FOREIGN)
    own = lookup.customer.contact_key
    if not is_business and not _is_same(resources, phone, message.from_pk or "", own):
        raise Permanent(FOREIGN)


def check_conversation(
    resources: Resources, phone: Phone, message: Message, conversation: str
) -> None:
    """Raise Permanent (`foreign_change`) unless a message is in the conversation of a contact or group."""
    key = Conversation.contact_of(message.conversation_pk)
    if not _is_same(resources, phone, key, conversation):
        raise Permanent(FOREIGN)


def of_early(record: Edit, message: Message, phone: Phone) -> Edit:
    """Return only the changes of a record, made before its message arrived, that the message's people may make."""
    contact = message.group_id or (message.to if message.direction == OUTBOUND else message.from_pk)
    actors = {contact, phone.display_phone}
    reactions = {
        actor: reaction
        for actor, reaction in (record.reactions or {}).items()
        if message.group_id or actor in actors
    }
    is_revoked = wrote(record.revoked_from or {}, message)
    return record.model_copy(
        update={
            "versions": [v for v in record.versions if wrote(v.get("author") or {}, message)],
            "reactions": reactions or None,
            "revoked_at": record.revoked_at if is_revoked else None,
        }
    )


def set_aside(record: Edit, message: Message, phone: Phone) -> dict[str, Any]:
    """Return the fields of a record that keep the changes that `of_early` leaves out apart; none if there are none."""
    theirs = of_early(record, message, phone)
    others = [version for version in record.versions if version not in theirs.versions]
    changes: dict[str, Any] = {}
    if others:
        changes |= {"versions": theirs.versions, "foreign_versions": others}
    if record.revoked_at and not theirs.revoked_at:
        changes |= {"revoked_at": None, "foreign_revocation": record.revoked_at}
    return changes


def _is_same(resources: Resources, phone: Phone, first: str, second: str) -> bool:
    """Whether two contacts are one person."""
    if first == second:
        return True
    one, other = (
        contact_links.primary_of(resources.table, phone.phone, key).key for key in (first, second)
    )
    return one == other
