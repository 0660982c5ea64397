"""Customer identity: one contact key for all ids that a provider uses for a customer. The rules: `number_owners`."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import digest
from shared.identity import addresses
from shared.runtime import clock
from whatsapp import store
from whatsapp.configuration.resources import SendingResources
from whatsapp.inbound import senders
from whatsapp.inbound.event import LONGEST_ID, Event
from whatsapp.inbound.senders import IdChange
from whatsapp.privacy import tombstones
from whatsapp.store import ordering
from whatsapp.store.items import Alias, Edit, Message, Phone, pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.worker import contact_links, number_owners, released_numbers
from whatsapp.worker.contact_links import Link
from whatsapp.worker.number_owners import Named, Owner

BOTH_IDS = "a message names ids of both"
CHANGED_IDS = "the provider reported a change of one's ids to the other's"


@dataclass(frozen=True, slots=True)
class Customer:
    """
    The customer of an event.

    `contact_key` is the `{customerWaId}` of the conversation's key: digits, else a business-scoped user id, else a
    group's id. The owner of a number that another contact gave up has the user id, or the digits with the time of that.
    `aliases` and `link`: to write once the message is stored. `lost_by`: the customer who had the number before.
    """

    contact_key: str
    aliases: tuple[Alias, ...] = ()
    link: Link | None = None
    lost_by: Owner | None = None


@dataclass(frozen=True, slots=True)
class Lookup:
    """
    The result of one consistent read before a message is stored: its customer, edits that arrived before it, and the
    message that it answers, if that belongs to the same number.

    In a group the customer is the participant; for the business's own messages it is the group itself.
    """

    customer: Customer
    edit: Edit | None
    answered: Message | None = None
    group_id: str | None = None

    @property
    def conversation(self) -> str:
        """The `{customerWaId}` of the conversation's key: the group's id, or the customer's contact key."""
        return self.group_id or self.customer.contact_key


def look_up(table: Table, event: Event, phone: Phone) -> Lookup | None:
    """
    Return the customer of an event and the data related to its message; None if the event names no customer.

    Raises Erased for an event of a contact from before its erasure.
    """
    payload = event.payload or {}
    wa_id = addresses.normal_digits(senders.phone_of(event.kind, payload, event.contact))
    user_id = senders.bsuid_of(event.kind, payload, event.contact)
    group_id = str(payload.get("group_id") or "")[:LONGEST_ID] or None
    by_phone = Alias.all_of_phone(phone.phone, wa_id) if wa_id else []
    by_user = Alias.of_user(phone.phone, user_id) if user_id else ""
    edit_pk = Edit.key(phone.phone, event.id)
    answered_pk = _answered_by(payload)
    keys = [key for key in (*by_phone, by_user, edit_pk, answered_pk) if key]
    items_by_key = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    edit = Edit.read(items_by_key[edit_pk]) if edit_pk in items_by_key else None
    answered = Message.read(items_by_key[answered_pk]) if answered_pk in items_by_key else None
    if answered and (answered.company, answered.phone) != (phone.company, phone.phone):
        answered = None
    named = Named(
        phone=phone.phone,
        wa_id=wa_id,
        user_id=user_id,
        number=store.aliases.found_of(by_phone, items_by_key),
        user=store.aliases.found_of([by_user], items_by_key),
        at=_at(event),
        company=phone.company,
        now_ms=clock.now_ms(),
    )
    change = senders.change_of(event.kind, payload)
    customer = _customer(table, event, phone, named, change)
    if customer is None and group_id:
        customer = Customer(group_id)
    return Lookup(customer, edit, answered, group_id) if customer else None


def contact_of(table: Table, phone: Phone, wa_id: str, user_id: str, at: str) -> str:
    """
    Return the contact key of a person that is named beside an event's sender, without storing anything.

    Empty if the person is unknown, or was erased after that time.
    """
    aliases = _aliases(table, phone.phone, wa_id, user_id)
    named = Named(
        phone=phone.phone, wa_id=addresses.normal_digits(wa_id), user_id=user_id,
        number=aliases[0], user=aliases[1], at=at,
        company=phone.company, now_ms=clock.now_ms(),
    )  # fmt: skip
    if at <= _erased_until(table, named)[0]:
        return ""
    resolved = number_owners.resolve(named)
    return contact_links.primary_of(table, phone.phone, resolved.contact).key if resolved else ""


def remember(resources: SendingResources, event: Event, customer: Customer, phone: Phone) -> None:
    """
    Write the aliases of a customer, and the link of two contacts. Safe to repeat.

    Raises Transient after a concurrent write of other values; the next delivery reads them.
    """
    if customer.lost_by is not None:
        # First: once the aliases are written, no delivery finds that the number changed hands.
        released_numbers.announce(resources, event, phone, customer.lost_by.user_id)
    for alias in customer.aliases:
        store.aliases.write(resources.table, alias)
    if customer.link is not None:
        contact_links.link(resources.table, phone, customer.link)


def follow_change(table: Table, event: Event, contact_key: str, phone: Phone, at: str) -> None:
    """
    Give a contact its new number and user id, and release its previous number. Safe to repeat, in any order.

    *at*: the `receivedAt` of the change. A new id that another contact has links the two.
    """
    change = senders.change_of(event.kind, event.payload or {})
    if change is None:
        return
    mark = digest(event.id)[:16]
    same = [_follow_user(table, phone, contact_key, change, at)]
    notice = Owner(at, change=mark)
    if change.phone:
        same.append(_take_number(table, phone, contact_key, change, notice))
    if change.phone or change.user_id:
        # A new user id comes with a new number, which the notice may hide.
        _release_number(table, phone, contact_key, change, notice)
    for other in same:
        if other is not None and other != contact_key:
            pair = contact_links.pair_of(table, phone, contact_key, other)
            if pair.link is not None:
                evidence = replace(pair.link, reason=CHANGED_IDS, evidence=event.correlation_id)
                contact_links.link(table, phone, evidence)


def _customer(
    table: Table, event: Event, phone: Phone, named: Named, change: IdChange | None
) -> Customer | None:
    if event.kind == "identity":
        # Which of the two user ids the number belongs to is not documented, so it does not prove anything.
        named = replace(named, wa_id="") if named.user else _by_number(named)
    elif change is not None:
        named = replace(named, change=digest(event.id)[:16])
    times = _times_of_erasure(table, named)
    resolved = number_owners.resolve(named)
    if resolved is None and change is not None and (change.phone or change.user_id):
        # The previous ids are unknown, so the new ones name the contact.
        number, user = _aliases(table, named.phone, change.phone, change.user_id)
        resolved = number_owners.resolve(
            replace(
                named, wa_id=change.phone, user_id=change.user_id, number=number, user=user, change=None,
            )
        )  # fmt: skip
        named = replace(named, wa_id=change.phone, user_id=change.user_id, number=number, user=user)
        times = _times_of_erasure(table, named)
    if resolved is None:
        return None
    resolved = replace(resolved, writes=_with_times(resolved.writes, named, max(times)))
    # An alias to write has the pointer of the stored one; a new contact has none.
    known = {alias.pk: alias for alias in (*resolved.writes, named.number, named.user) if alias}
    if resolved.same is None:
        primary = contact_links.primary_of(table, named.phone, resolved.contact, known)
        return Customer(primary.key, resolved.writes, lost_by=resolved.lost_by)
    pair = contact_links.pair_of(table, phone, *resolved.same, known)
    link = pair.link and replace(pair.link, reason=BOTH_IDS, evidence=event.correlation_id)
    # Two contacts that an operator unlinked stay apart: the user id decides.
    return Customer(pair.primary, resolved.writes, link)


def _erased_until(table: Table, named: Named) -> tuple[str, str]:
    """
    Return until when events of these ids were erased, and the same of the ids that have no alias: empty if never.

    Only ids without an alias cost a read. Their alias is written next, and takes the time over.
    """
    new = [named.wa_id] if named.wa_id and named.number is None else []
    new += [named.user_id] if named.user_id and named.user is None else []
    of_new_ids = tombstones.erased_until(table, named.company, new) if new else ""
    return number_owners.erased_until(named, of_new_ids), of_new_ids


def _times_of_erasure(table: Table, named: Named) -> tuple[str, str]:
    """Return the same, unless the event is from before the erasure: then raise Erased."""
    times = _erased_until(table, named)
    if named.at <= times[0]:
        tombstones.refuse()
    return times


def _with_times(writes: tuple[Alias, ...], named: Named, time: str) -> tuple[Alias, ...]:
    """Return aliases to write, where new ones have the time until which events of the customer were erased."""
    stored = {alias.pk for alias in (named.number, named.user) if alias}
    return tuple(
        alias.model_copy(update={"erased_until": time})
        if time and alias.pk not in stored
        else alias
        for alias in writes
    )


def _by_number(named: Named) -> Named:
    return replace(named, user_id="") if named.wa_id else named


def _follow_user(
    table: Table, phone: Phone, contact_key: str, change: IdChange, at: str
) -> str | None:
    """Add the previous and the new user id to a contact; return another contact that has the new one."""
    other = None
    for user_id in filter(None, (change.previous_user_id, change.user_id)):
        alias_pk = Alias.of_user(phone.phone, user_id)
        alias = store.aliases.get(table, alias_pk)
        if alias is None:
            alias = Alias(
                pk=alias_pk, company=phone.company, target=contact_key, created_at_ms=clock.now_ms(), since=at,
                erased_until=tombstones.erased_until(table, phone.company, [user_id]) or None,
            )  # fmt: skip
            store.aliases.write(table, alias)
        elif alias.target != contact_key:
            other = alias.target
    return other


def _take_number(
    table: Table, phone: Phone, contact_key: str, change: IdChange, notice: Owner
) -> str | None:
    """Give the new number to a contact; return another contact that has it and is the same user."""
    new = replace(notice, contact=contact_key, user_id=change.user_id or None)
    alias = store.aliases.of_number(table, phone.phone, change.phone)
    if alias is None:
        alias = Alias(
            pk=Alias.of_phone(phone.phone, change.phone), company=phone.company, target=contact_key,
            created_at_ms=clock.now_ms(), since=new.since, user_id=new.user_id,
            erased_until=tombstones.erased_until(table, phone.company, [change.phone]) or None,
        )  # fmt: skip
        store.aliases.write(table, alias)
        return None
    written, other = number_owners.taken(alias, new)
    if written is not None:
        store.aliases.write(table, written)
    return other


def _release_number(
    table: Table, phone: Phone, contact_key: str, change: IdChange, notice: Owner
) -> None:
    """Take the previous number from a contact: its next owner is another person."""
    if not change.previous_phone:
        return
    alias = store.aliases.of_number(table, phone.phone, change.previous_phone)
    if alias is None:
        return
    owners = {owner.contact for owner in number_owners.owners_of(alias) if owner.contact}
    # The owner may be linked to the contact of the notice.
    own = {
        key
        for key in owners
        if contact_links.primary_of(table, phone.phone, key).key == contact_key
    }
    written = number_owners.released(alias, frozenset({contact_key, *own}), notice)
    if written is not None:
        store.aliases.write(table, written)


def _answered_by(payload: Mapping[str, Any]) -> str:
    """Return the key of the message that a message answers; empty if it answers none."""
    context = payload.get("context")
    answered = context.get("id") if isinstance(context, dict) else None
    is_id = isinstance(answered, str) and 0 < len(answered) <= LONGEST_ID
    return Message.key(str(answered)) if is_id else ""


def _aliases(
    table: Table, phone: str, wa_id: str, user_id: str
) -> tuple[Alias | None, Alias | None]:
    """Return the stored aliases of a number and a user id."""
    return (
        store.aliases.of_number(table, phone, wa_id) if wa_id else None,
        store.aliases.get(table, Alias.of_user(phone, user_id)) if user_id else None,
    )


def _at(event: Event) -> str:
    return ordering.received_at(event.at, event.accepted_at, event.place)
