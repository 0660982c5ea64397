"""
Erases a contact from the inbox of a company: each thing of the listing is removed, or loses the customer.

    intents   a send in doubt loses its content: its outcome becomes a stub
    fence     every message and call up to the request gets the mark `erased`: no event adds anything to it any more
    pages     things are removed or lose the customer

Messages, calls and files become stubs under their keys, which a redelivery finds. A message of the same person after
the request is kept, and its conversation begins with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime import clock
from whatsapp import store
from whatsapp.privacy import shares
from whatsapp.privacy.contents import campaign_lists, kinds
from whatsapp.store.items import Alias, Conversation, Intent, Media, Message, pk
from whatsapp.store.items.conversations.groups import Call, Group
from whatsapp.store.items.item import PARTITION_KEY

if TYPE_CHECKING:
    from shared.privacy.inventory import Found
    from whatsapp.privacy.contents.stored_data import Listing
    from whatsapp.privacy.subjects import Contact

# The worker's timeout is 60 s; the rest covers clock skew. A file in progress finds its record revoked when it ends.
SETTLES_MS = 90 * clock.SECOND_MS


def fence(table: Table, message: Message | Call) -> None:
    """Mark a message or call as erased, and its file as revoked. Safe to repeat."""
    facts = Message.named(erased=True, ttl=clock.expires_in(kinds.STUB_SECONDS))
    try:
        table.update(pk(message.pk), put=facts, when=Attr(PARTITION_KEY).exists())
    except ConditionFailed:
        return
    for media_id in kinds.media_ids_of(message):
        record = store.media.get(table, Media.key(media_id))
        if record is not None and (record.company, record.message_pk) == (
            message.company,
            message.pk,
        ):
            store.media.mark_unavailable(table, record, "REVOKED", kinds.ERASED)


def remove(listing: Listing, found: Found) -> None:
    """Remove an item, or what it or a list says about the customer. Safe to repeat."""
    table, kind, key = listing.table, found.kind, found.key
    if kind == kinds.CAMPAIGN_LIST:
        campaign_lists.forget(listing.bucket, key, listing.contact.ids)
        return
    if found.act == shares.SHARE:
        shares.remove(table, listing.share, key)
        return
    item = table.get(pk(key))
    if item is None:
        return
    if kind in kinds.STUBS:
        table.put(kinds.STUBS[kind].of(item))
    elif kind in kinds.STRIPPED:
        table.update(pk(key), drop=kinds.STRIPPED[kind])
    elif kind == Alias.item_type and item.get("owners"):
        _forget_owners(table, Alias.read(item), listing.contact)
    elif kind == Conversation.item_type:
        store.head_erasure.forget_until(table, Conversation.read(item), listing.until)
    elif kind == Intent.item_type and item.get("receivedAt"):
        _strip_intent(table, Intent.read(item))
    elif kind == Group.item_type:
        _leave(table, Group.read(item), listing.contact)
    else:
        table.delete(pk(key))


def _forget_owners(table: Table, alias: Alias, contact: Contact) -> None:
    """
    Remove the contact from the owners of a number. An earlier owner's entry stays: the contact's next message from the
    number must not reach that owner's conversation.
    """
    owners = [
        {name: value for name, value in owner.items() if name in {"since", "change", "erased"}}
        if owner.get("target") in contact.keys
        else owner
        for owner in alias.owners or []
    ]
    targets = [owner["target"] for owner in owners if "target" in owner]
    if not targets:
        table.delete(pk(alias.pk))
        return
    changes = {"owners": owners, "target": targets[-1], "user_id": None}
    table.put(alias.model_copy(update=changes).attributes())


def _strip_intent(table: Table, intent: Intent) -> None:
    """Remove the content of a send, unless it is settled: the message made from it is a stub."""
    names = {Message.name_of(field) for field in kinds.FACTS_OF_A_MESSAGE} | {"itemType"}
    facts = {name: value for name, value in intent.message.items() if name in names}
    stub = facts | Message.named(erased=True, ttl=clock.expires_in(kinds.STUB_SECONDS))
    try:
        table.update(
            pk(intent.pk),
            put=Intent.named(message=stub),
            drop=[Intent.name_of("seen_key")],
            when=Intent.attr("received_at").eq(intent.received_at),
        )
    except ConditionFailed:
        return


def _leave(table: Table, group: Group, contact: Contact) -> None:
    """Remove the contact from the lists of a group. Raises Transient after a concurrent write."""
    left = group.model_copy(
        update={
            "participants": [each for each in group.participants if each not in contact.keys],
            "admins": [each for each in group.admins if each not in contact.keys],
        }
    )
    if left != group:
        store.groups.replace(table, left.model_copy(update={"revision": group.revision + 1}))
