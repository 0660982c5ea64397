"""
Tombstones of erased contacts: no event of theirs up to the erasure is stored again, whenever it arrives.

    the id has an alias      the time is in the alias, which every event of a customer reads anyway
    the id has none          the time is under a keyed hash of the id, read before the alias is written

A new alias takes the time over, so that later events need no read of the tombstone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from aws_lambda_powertools.metrics import MetricUnit

from shared.privacy import tombstones
from shared.runtime import clock
from shared.runtime.observability import metrics
from whatsapp import store
from whatsapp.privacy import subjects
from whatsapp.store.items import Alias, pk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shared.aws.dynamodb import Table
    from whatsapp.inbound.event import Event
    from whatsapp.privacy.subjects import Contact


class Erased(Exception):
    """The event belongs to what was erased with its customer: nothing of it may be stored."""


def write(table: Table, company: str, contact: Contact, until: str) -> None:
    """
    Write the tombstones of a contact's ids, and the time into their aliases. Safe to repeat.

    Raises Transient after a concurrent write of an alias.
    """
    from whatsapp.store.items.contacts.privacy import ErasedContact  # noqa: PLC0415 - rare

    ends_at = clock.expires_in((ErasedContact.ttl_days or 0) * clock.DAY_SECONDS)
    for subject in contact.hashes:
        key = ErasedContact.key(company, subject)
        tombstones.write(table, ErasedContact(pk=key, company=company, until=until, ttl=ends_at))
    phones = [entry["phone"] for entry in store.phones.of_company(table, company)]
    keys = [Alias.of_contact(phone, each) for phone in phones for each in contact.ids]
    for key in dict.fromkeys([*contact.aliases, *keys]):
        alias = store.aliases.get(table, key)
        marked = _marked(alias, contact, until) if alias and alias.company == company else alias
        if marked is not None and marked != alias:
            changes = {"revision": (marked.revision or 0) + 1}
            store.aliases.write(table, marked.model_copy(update=changes))


def _marked(alias: Alias, contact: Contact, until: str) -> Alias:
    """Return an alias with the time of the erasure, where it leads or led to the contact."""
    if alias.owners is None:
        is_later = alias.target in contact.keys and (alias.erased_until or "") < until
        return alias.model_copy(update={"erased_until": until}) if is_later else alias
    owners = [
        {**owner, "erased": max(owner.get("erased", ""), until)}
        if owner.get("target") in contact.keys
        else owner
        for owner in alias.owners
    ]
    return alias.model_copy(update={"owners": owners})


def erased_until(table: Table, company: str, ids: Iterable[str]) -> str:
    """Return until when the events of these ids were erased; empty if never."""
    # Imported here: read once for each new id, and the item class would lengthen every cold start.
    from whatsapp.store.items.contacts.privacy import ErasedContact  # noqa: PLC0415 - see above

    hashed = dict.fromkeys(subject for each in ids for subject in subjects.hashes_of(each))
    keys = [pk(ErasedContact.key(company, subject)) for subject in hashed]
    return tombstones.newest(table, ErasedContact, keys)


def check_event(table: Table, company: str, event: Event) -> None:
    """Raise Erased for an event of an erased customer, by the ids in the event alone: costs a read."""
    at = clock.to_text(min(event.at * 1_000, event.accepted_at))
    named = subjects.ids_of(event)
    if named and at <= erased_until(table, company, named):
        refuse()


def refuse() -> NoReturn:
    """Count an event that meets a tombstone, and raise Erased."""
    metrics.add_metric("TombstoneHits", MetricUnit.Count, 1)
    raise Erased
