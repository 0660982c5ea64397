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
from whatsapp.store.contacts import owners, people
from whatsapp.store.contacts.owners import Owner
from whatsapp.store.contacts.people import Held
from whatsapp.store.items import Alias, Edit, Message, Phone, pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.worker import contact_links
from whatsapp.worker.contact_links import Link
from whatsapp.worker.owners import company_owners, number_owners, released_numbers
from whatsapp.worker.owners.number_owners import Named, Resolved

BOTH_IDS = "a message names ids of both"
CHANGED_IDS = "the provider reported a change of one's ids to the other's"


@dataclass(frozen=True, slots=True)
class Customer:
    """
    The customer of an event.

    `contact_key` is the `{customerWaId}` of the conversation's key: digits, else a business-scoped user id, else a
    group's id. The owner of a number that another contact gave up has the user id, or the digits with the time of that.
    `aliases` and `link`: to write once the message is stored. `lost_by`: the customer who had the number before.
    `given_up`: the earlier notice by which the customer gave the number up. `number`: the digits of the event, if it
    shows an owner of them that is new here; `has_passed_on`: who is not the first one.
    """

    contact_key: str
    aliases: tuple[Alias, ...] = ()
    link: Link | None = None
    lost_by: Owner | None = None
    given_up: Owner | None = None
    number: str | None = None
    has_passed_on: bool = False


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
        is_proof=not senders.is_outbound(event.kind, payload),
        is_history=event.field == "history",
    )
    change = senders.change_of(event.kind, payload)
    if change is None:
        named = replace(named, later=_later_key(table, phone, named))
    customer = _customer(table, event, phone, named, change)
    if customer is None and group_id:
        customer = Customer(group_id)
    return Lookup(customer, edit, answered, group_id) if customer else None


def _later_key(table: Table, phone: Phone, named: Named) -> str | None:
    """Return the key of a contact whose number is new here, and who is its later owner at the company."""
    if named.number is not None or not named.wa_id or not named.is_proof:
        return None
    # What the last second has changed is compared once the aliases of this event are written.
    known = people.held_at(
        table, named.company, named.wa_id, is_only_of_several=True, is_consistent=False
    )
    owner = Owner(named.at, named.wa_id, named.user_id or None)
    held = Held(phone.phone, phone.arn_suffix, phone.waba_meta_id, owner)
    all_owners = people.of([*known, held])
    person = next(each for each in all_owners if held in each.held)
    if person is all_owners[0]:
        return None
    return named.user_id or person.later_key(named.wa_id)


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
    if customer.given_up is not None:
        payload = event.payload or {}
        ids = (
            of(event.kind, payload, event.contact) for of in (senders.phone_of, senders.bsuid_of)
        )
        released_numbers.announce_given_up(
            resources, event, phone, *ids, at=customer.given_up.since
        )
    for alias in customer.aliases:
        store.aliases.write(resources.table, alias)
    if customer.link is not None:
        contact_links.link(resources.table, phone, customer.link)
    if customer.number is not None:
        company_owners.compare(
            resources, event, phone, customer.number, has_passed_on=customer.has_passed_on
        )


def follow_change(
    resources: SendingResources, event: Event, contact_key: str, phone: Phone, at: str
) -> None:
    """
    Give a contact its new number and user id, and release its previous number. Safe to repeat, in any order.

    *at*: the `receivedAt` of the change. A new id that another contact has links the two.
    """
    change = senders.change_of(event.kind, event.payload or {})
    if change is None:
        return
    table, notice = resources.table, Owner(at, change=digest(event.id)[:16])
    # A new user id comes with a new number. The notice may hide it, and the previous one.
    is_left = bool(change.phone or change.user_id)
    is_hidden = is_left and not senders.phone_of(event.kind, event.payload or {}, event.contact)
    mark = notice if is_hidden else None
    user, *same = _follow_user(table, phone, contact_key, change, at, left=mark)
    if change.phone:
        same.append(_take_number(table, phone, contact_key, change, notice))
    if is_hidden and user is not None and user.wa_id not in {None, change.phone}:
        change = replace(change, previous_phone=str(user.wa_id))
        released_numbers.announce_given_up(
            resources, event, phone, change.previous_phone, change.previous_user_id, at=at
        )
    if is_left:
        released_numbers.release(table, phone, contact_key, change, notice)
    for digits in filter(None, (change.previous_phone, change.phone)):
        company_owners.compare(resources, event, phone, digits, has_passed_on=True)
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
    customer = _of_number(named, resolved)
    if resolved.same is None:
        primary = contact_links.primary_of(table, named.phone, resolved.contact, known)
        return replace(customer, contact_key=primary.key)
    pair = contact_links.pair_of(table, phone, *resolved.same, known)
    link = pair.link and replace(pair.link, reason=BOTH_IDS, evidence=event.correlation_id)
    # Two contacts that an operator unlinked stay apart: the user id decides.
    return replace(customer, contact_key=pair.primary, link=link)


def _of_number(named: Named, resolved: Resolved) -> Customer:
    """
    Return the customer that an event's ids lead to, with the number if the event shows its owner: for the first time,
    or again after a crash.
    """
    number = Alias.of_phone(named.phone, named.wa_id) if named.wa_id else None
    written = next((alias for alias in resolved.writes if alias.pk == number), None)
    stored = owners.owners_of(named.number) if named.number else ()
    is_new = written is not None or any(one.since == named.at for one in stored)
    known = written or named.number
    return Customer(
        contact_key=resolved.contact,
        aliases=resolved.writes,
        lost_by=resolved.lost_by,
        given_up=resolved.given_up,
        number=named.wa_id if is_new else None,
        has_passed_on=known is not None and known.owners is not None,
    )


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
    table: Table, phone: Phone, contact_key: str, change: IdChange, at: str, *, left: Owner | None
) -> tuple[Alias | None, str | None]:
    """
    Add the previous and the new user id to a contact, the previous one with the notice *left* by which its number is
    another person's. Return the alias of the previous one, and another contact that has one of both.
    """
    previous, other = None, None
    for user_id in filter(None, (change.previous_user_id, change.user_id)):
        alias_pk = Alias.of_user(phone.phone, user_id)
        alias = stored = store.aliases.get(table, alias_pk)
        if alias is None:
            alias = Alias(
                pk=alias_pk, company=phone.company, target=contact_key, created_at_ms=clock.now_ms(), since=at,
                erased_until=tombstones.erased_until(table, phone.company, [user_id]) or None,
            )  # fmt: skip
        elif alias.target != contact_key:
            other = alias.target
        if user_id == change.previous_user_id:
            previous = alias = (
                alias if left is None else owners.left(alias, left, is_new=stored is None)
            )
        if alias != stored:
            store.aliases.write(table, alias)
    return previous, other


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
    written, other = owners.taken(alias, new)
    if written is not None:
        store.aliases.write(table, written)
    return other


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
