"""
Numbers that a customer no longer has: the owner moved to another one, or another customer writes from it. Takes them
from the contact, and announces them.

AI conversations take the announcement and record it for the company: no conversation with the earlier owner, from any
number and in any context, uses the number afterwards. Repeated announcements have no effect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.events.exchange import NumberReleased, release_entry
from shared.runtime import clock
from whatsapp import store
from whatsapp.inbound import senders
from whatsapp.store import ordering
from whatsapp.store.contacts import owners
from whatsapp.store.contacts.owners import Owner
from whatsapp.worker import contact_links

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from whatsapp.configuration.resources import SendingResources
    from whatsapp.inbound.event import Event
    from whatsapp.inbound.senders import IdChange
    from whatsapp.store.items import Phone


def announce(
    resources: SendingResources, event: Event, phone: Phone, former_user_id: str | None
) -> None:
    """Announce that another customer, who *event* is from, has the number of the customer with *former_user_id*."""
    payload = event.payload or {}
    digits = senders.phone_of(event.kind, payload, event.contact)
    if digits:
        user_id = senders.bsuid_of(event.kind, payload, event.contact)
        _send(
            resources, event, phone, digits,
            former_user_id=former_user_id, next_user_id=user_id or None,
        )  # fmt: skip


def announce_notice(resources: SendingResources, event: Event, phone: Phone) -> None:
    """Announce the previous number of a notice about a changed number. A notice without one announces nothing."""
    change = senders.change_of(event.kind, event.payload or {})
    if change is None or not change.previous_phone:
        return
    if change.phone or change.user_id:  # else nothing has changed
        former = change.previous_user_id or None
        _send(resources, event, phone, change.previous_phone, former_user_id=former)


def announce_given_up(
    resources: SendingResources,
    event: Event,
    phone: Phone,
    digits: str,
    user_id: str,
    *,
    at: str,
) -> None:
    """Announce a number that the customer with *user_id* gave up *at* (`receivedAt`), by a notice that hid it."""
    moment = clock.from_text(ordering.moment_of(at))
    _send(resources, event, phone, digits, former_user_id=user_id or None, moment=moment)


def announce_change(
    resources: SendingResources,
    event: Event,
    phone: Phone,
    digits: str,
    *,
    users: tuple[str, str],
    at: str,
) -> None:
    """Announce that a number had the first of *users* and has the second one since *at* (`receivedAt`)."""
    moment = clock.from_text(ordering.moment_of(at))
    _send(
        resources, event, phone, digits,
        former_user_id=users[0], next_user_id=users[1], moment=moment,
    )  # fmt: skip


def _send(
    resources: SendingResources,
    event: Event,
    phone: Phone,
    digits: str,
    *,
    former_user_id: str | None,
    next_user_id: str | None = None,
    moment: int | None = None,
) -> None:
    if moment is None:
        moment = ordering.received_at_ms(event.at, event.index, event.accepted_at)
    released = NumberReleased(
        provider=phone.carrier,
        provider_message_id=event.id,
        account=phone.waba_meta_id,
        company=phone.company,
        channel_method="whatsapp",
        business_address=f"+{phone.display_phone}",
        customer_address=f"+{digits}",
        customer_user_id=former_user_id,
        next_user_id=next_user_id,
        received_at=clock.to_text(moment),
    )
    resources.conversation_inbound.send([release_entry(released)])


def release(table: Table, phone: Phone, contact_key: str, change: IdChange, notice: Owner) -> None:
    """Take the previous number from a contact: its next owner is another person."""
    if not change.previous_phone:
        return
    alias = store.aliases.of_number(table, phone.phone, change.previous_phone)
    if alias is None:
        return
    contacts = {owner.contact for owner in owners.owners_of(alias) if owner.contact}
    # The owner may be linked to the contact of the notice.
    own = {
        key
        for key in contacts
        if contact_links.primary_of(table, phone.phone, key).key == contact_key
    }
    former = Owner("", contact_key, change.previous_user_id or None)
    written = owners.released(alias, frozenset({contact_key, *own}), notice, former)
    if written is not None:
        store.aliases.write(table, written)
