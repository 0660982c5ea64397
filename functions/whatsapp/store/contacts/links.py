"""Links of contacts, and the record of their changes."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.contacts.contact_links import ContactLink, ContactLinkChange
from whatsapp.store.items.item import PARTITION_KEY


def get(table: Table, phone: str, linked: str) -> ContactLink | None:
    """Return the link of a contact to another one, or the link that it had."""
    item = table.get(pk(ContactLink.key(phone, linked)))
    return ContactLink.read(item) if item else None


def change(table: Table, changed: ContactLink, record: ContactLinkChange) -> None:
    """
    Store the new state of a link, and the record of the change. Raises Transient after a concurrent change.

    The record first: after a crash in between, the same change is made again, and the record is replaced.
    """
    table.put(record.attributes())
    unchanged = Attr(PARTITION_KEY).not_exists() | ContactLink.attr("changes").eq(
        changed.changes - 1
    )
    try:
        table.put(changed.attributes(), when=unchanged)
    except ConditionFailed as refusal:
        if refusal.existing != changed.attributes():
            raise Transient("identity_contended") from None


def changes(table: Table, stored: ContactLink) -> list[ContactLinkChange]:
    """Return the records of a link's changes, oldest first."""
    records = keys(table, stored.pk)[:-1]
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in records])}
    return [ContactLinkChange.read(items[key]) for key in records if key in items]


def keys(table: Table, link_pk: str) -> list[str]:
    """Return the keys of a link and of the records of its changes; empty if there is no link with this key."""
    item = table.get(pk(link_pk))
    if item is None:
        return []
    stored = ContactLink.read(item)
    records = [
        ContactLinkChange.of(stored.phone, stored.linked, n) for n in range(1, stored.changes + 1)
    ]
    return [*records, link_pk]
