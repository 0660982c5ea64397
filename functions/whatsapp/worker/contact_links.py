"""
Links of two contacts of the same person: found by the worker, or set and removed by an operator.

    both contacts --link--> the older one's conversation continues, and lists the messages of both
                  <-unlink-- each contact has its own conversation again; messages stay where they were stored
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from shared.aws.dynamodb import Table
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp import store
from whatsapp.store.items import Alias, Conversation, Phone

AUTOMATIC = "parley"
MOST_HOPS = 5


@dataclass(frozen=True, slots=True)
class Link:
    """A link of the contact *linked* to the older *primary*, by whom and why. *evidence*: id of an event in logs."""

    primary: str = ""
    linked: str = ""
    by: str = AUTOMATIC
    reason: str = ""
    evidence: str | None = None


@dataclass(frozen=True, slots=True)
class Contact:
    """A contact whose conversation is not continued by another one; *since*: the `receivedAt` of its first event."""

    key: str
    since: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """The contact of an event that names two. *link*: to make; None if there is one, or an operator unlinked them."""

    primary: str
    link: Link | None = None


def primary_of(
    table: Table, phone: str, contact_key: str, known: Mapping[str, Alias] | None = None
) -> Contact:
    """Return the contact whose conversation continues a contact's, itself if it has none. *known*: aliases by key."""
    for _ in range(MOST_HOPS):
        alias_pk = Alias.of_contact(phone, contact_key)
        record = (known or {}).get(alias_pk) or store.aliases.get(table, alias_pk)
        if record is None or record.linked_to is None:
            return Contact(contact_key, (record.since if record else None) or "")
        contact_key = record.linked_to
    raise Transient("links_too_long")


def pair_of(
    table: Table, phone: Phone, first: str, user: str, known: Mapping[str, Alias] | None = None
) -> Pair:
    """Return which of two contacts of one user continues, and the link to make. *user* is the one with the user id."""
    one, other = (primary_of(table, phone.phone, key, known) for key in (first, user))
    if one.key == other.key:
        return Pair(one.key)
    older, newer = sorted((one, other), key=lambda contact: (contact.since, contact.key))
    stored = store.links.get(table, phone.phone, newer.key)
    if stored is not None and stored.state == "unlinked" and stored.primary == older.key:
        return Pair(other.key)
    return Pair(older.key, Link(older.key, newer.key))


def link(table: Table, phone: Phone, made: Link) -> None:
    """
    Link two contacts. Safe to repeat.

    The pointer that later events follow is written last: until it is there, an event that names both does it all again.
    """
    _record(table, phone, made, "linked")
    store.linked_heads.join(
        table, _conversation(phone, made.primary), _conversation(phone, made.linked), phone
    )
    alias_pk = Alias.of_contact(phone.phone, made.linked)
    store.aliases.point(table, alias_pk, made.linked, made.primary, phone.company)


def unlink(table: Table, phone: Phone, undone: Link) -> None:
    """Undo a link. Safe to repeat. Messages that arrived in between stay in the conversation of the primary contact."""
    _record(table, phone, undone, "unlinked")
    store.aliases.unpoint(table, Alias.of_contact(phone.phone, undone.linked), undone.primary)
    store.linked_heads.part(
        table, _conversation(phone, undone.primary), _conversation(phone, undone.linked), phone
    )


def _record(table: Table, phone: Phone, made: Link, state: str) -> None:
    """Store the state of a link and the record of this change, unless it has been made."""
    # Imported here: links are rare, and the item classes would lengthen every cold start.
    from whatsapp.store.items.contacts.contact_links import ContactLink, ContactLinkChange  # noqa: PLC0415 - see above

    stored = store.links.get(table, phone.phone, made.linked)
    if stored is not None and (stored.state, stored.primary) == (state, made.primary):
        return
    n = stored.changes + 1 if stored else 1
    facts = {"linked": made.linked, "primary": made.primary, "state": state}
    record = ContactLinkChange(
        pk=ContactLinkChange.of(phone.phone, made.linked, n),
        company=phone.company,
        changed_at=clock.to_text(clock.now_ms()),
        changed_by=made.by,
        reason=made.reason,
        evidence=made.evidence,
        **facts,
    )
    changed = ContactLink(
        pk=ContactLink.key(phone.phone, made.linked),
        company=phone.company,
        phone=phone.phone,
        changes=n,
        **facts,
    )
    store.links.change(table, changed, record)


def _conversation(phone: Phone, contact_key: str) -> str:
    return Conversation.key(phone.arn_suffix, contact_key)


class NotLinkable(Exception):
    """Two contacts cannot be linked or unlinked; the text names the contact and the rule."""


def link_by_operator(table: Table, phone: Phone, contacts: tuple[str, str], request: Link) -> Link:
    """
    Link two contacts on an operator's *request* (`by` and `reason`) and return the link: the older contact continues.

    Safe to repeat. Raises NotLinkable.
    """
    for key in contacts:
        if store.heads.get(table, _conversation(phone, key)) is None:
            raise NotLinkable(f"{key}: has no conversation with this number")
    first, second = (primary_of(table, phone.phone, key) for key in contacts)
    if first.key == second.key:
        raise NotLinkable(f"{contacts[1]}: is linked already, or is the same contact")
    older, newer = sorted((first, second), key=lambda contact: (contact.since, contact.key))
    made = replace(request, primary=older.key, linked=newer.key)
    link(table, phone, made)
    return made


def unlink_by_operator(table: Table, phone: Phone, contact: str, request: Link) -> Link:
    """Undo the link of a contact on an operator's *request* and return it. Safe to repeat. Raises NotLinkable."""
    stored = store.links.get(table, phone.phone, contact)
    if stored is None:
        raise NotLinkable(f"{contact}: is not linked to another contact")
    undone = replace(request, primary=stored.primary, linked=contact)
    unlink(table, phone, undone)
    return undone
