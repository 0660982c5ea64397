"""Customer identity: one contact key for all ids that a provider uses for a customer."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shared.aws.dynamodb import Table
from whatsapp import store
from whatsapp.event import LONGEST_ID, Event
from whatsapp.inbound import senders
from whatsapp.store.items import Alias, Edit, Message, Phone, pk
from whatsapp.store.items.item import PARTITION_KEY


@dataclass(frozen=True, slots=True)
class Customer:
    """
    The customer of an event.

    `contact_key` is the `{customerWaId}` of the conversation's key: digits, else a business-scoped user id, else a
    group's id. `missing`: the aliases to write once the message is stored.
    """

    contact_key: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lookup:
    """
    The result of one consistent read before a message is stored: its customer, edits that arrived before it, and the
    message that it answers, if that belongs to the same number.
    """

    customer: Customer
    edit: Edit | None
    answered: Message | None = None


def look_up(table: Table, event: Event, phone: Phone) -> Lookup | None:
    """Return the customer of an event and the data related to its message; None if the event names no customer."""
    payload = event.payload or {}
    wa_id = senders.phone_of(event.kind, payload, event.contact)
    user_id = senders.bsuid_of(event.kind, payload, event.contact)
    group_id = str(payload.get("group_id") or "")
    by_phone = Alias.of_phone(phone.phone, wa_id) if wa_id else ""
    by_user = Alias.of_user(phone.phone, user_id) if user_id else ""
    edit_pk = Edit.key(event.id)
    answered_pk = _answered_by(payload)
    keys = [key for key in (by_phone, by_user, edit_pk, answered_pk) if key]
    items_by_key = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    edit = Edit.read(items_by_key[edit_pk]) if edit_pk in items_by_key else None
    answered = Message.read(items_by_key[answered_pk]) if answered_pk in items_by_key else None
    if answered and (answered.company, answered.phone) != (phone.company, phone.phone):
        answered = None
    if group_id:
        return Lookup(Customer(group_id, ()), edit, answered)
    if not (by_phone or by_user):
        return None

    aliases = [Alias.read(items_by_key[key]) for key in (by_phone, by_user) if key in items_by_key]
    # Two ids with different targets are two contacts until an agent links them; the older alias has been used so far.
    oldest = min(aliases, key=lambda alias: alias.created_at_ms, default=None)
    contact_key = oldest.target if oldest else wa_id or user_id
    # Digits that are the contact key need no alias. A user id does: the same customer may later appear with both ids.
    missing = tuple(
        key
        for key in (by_phone, by_user)
        if key and key not in items_by_key and not (key == by_phone and contact_key == wa_id)
    )
    return Lookup(Customer(contact_key, missing), edit, answered)


def _answered_by(payload: Mapping[str, Any]) -> str:
    """Return the key of the message that a message answers; empty if it answers none."""
    context = payload.get("context")
    answered = context.get("id") if isinstance(context, dict) else None
    is_id = isinstance(answered, str) and 0 < len(answered) <= LONGEST_ID
    return Message.key(str(answered)) if is_id else ""


def remember(table: Table, customer: Customer, phone: Phone) -> None:
    """Write the missing aliases. Safe to repeat: the first write wins."""
    for alias_pk in customer.missing:
        store.messages.add_alias(table, alias_pk, customer.contact_key, phone.company)


def follow_change(table: Table, event: Event, contact_key: str, phone: Phone) -> None:
    """
    Link a customer's changed number or user id to the same contact.

    Reads `system` messages (`wa_id` or `new_wa_id`, `user_id`) and `user_id_update` events (Meta, "System messages").
    """
    payload = event.payload or {}
    system = payload.get("system")
    change = system if isinstance(system, dict) else payload
    for name in ("wa_id", "new_wa_id"):
        if (
            isinstance(change.get(name), str)
            and change[name].isdecimal()
            and change[name] != contact_key
        ):
            alias = Alias.of_phone(phone.phone, change[name])
            store.messages.add_alias(table, alias, contact_key, phone.company)
    if isinstance(change.get("user_id"), dict):
        change = change | {"user_id": change["user_id"].get("current")}
    for name in ("user_id", "new_user_id", "current_user_id"):
        if isinstance(change.get(name), str) and change[name] and change[name] != contact_key:
            alias = Alias.of_user(phone.phone, change[name])
            store.messages.add_alias(table, alias, contact_key, phone.company)
