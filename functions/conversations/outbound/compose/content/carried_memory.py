"""
The memory that a conversation begins with: the newest one of the person's conversations in its project.

    identifiers that the conversation proves --> contact, with merges by people --> its conversations in the inbox
    customer and business address            -------------------------------------> conversations of both (ROUTE)

The second way finds conversations that the inbox does not show yet, and stands alone if the first one fails. Both lead
to conversations that may be another person's: an entry is late, or a number has a new owner. So one counts only if
what it proves now names the person. A memory that was carried over counts only if it was from the same person's
conversations: else one that was carried while two contacts were merged would outlast the end of the merge.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from conversations.store import routes
from conversations.store.annotations import memories, memory_owners
from conversations.store.items import identifiers
from conversations.store.items.parts.memory import Memory
from conversations.store.lists.inbox_heads import ConversationHeads
from shared.inbox.items import Channel, Context, Entry, pk
from shared.inbox.lists import of_contact
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from collections.abc import Collection

    from conversations.configuration.resources import People, Resources
    from conversations.lifecycle.conversation import OpenConversation
    from shared.aws.dynamodb import Table
    from shared.identity.contacts.items import Profile
    from shared.inbox.items import Head

MOST = 100  # of the person's newest conversations, over all contexts


def begun(resources: Resources, people: People, opened: OpenConversation) -> Memory:
    """Return the memory that a conversation begins with; an empty one if the person has none in the project."""
    empty = Memory(by="ai", at=clock.to_text(clock.now_ms()), ttl=opened.conversation.ttl)
    heads = ConversationHeads(resources.table, resources.log)
    own = heads.read(opened.ref)
    if own is None:
        return empty
    ids, refs = _person(people, own)
    refs += routes.of_pair(resources.log, _pairs(opened))
    found = memories.read_many(resources.log, {*refs} - {opened.ref})
    for ref, earlier in sorted(found.items(), key=lambda one: one[1].at, reverse=True):
        if earlier.is_empty or not ids.issuperset(earlier.contacts):
            continue
        head = heads.read(ref)
        if head is not None and _is_of_person(head, own, ids):
            return empty.model_copy(
                update={
                    "at": earlier.at,  # a copy is as old as what it says
                    "summary": earlier.summary,
                    "facts": earlier.facts,
                    "carried_from": ref,
                    "contacts": sorted({*earlier.contacts, *ids.intersection(_named(head))}),
                }
            )
    return empty


def _person(people: People, own: Head) -> tuple[set[str], list[str]]:
    """
    Return the ids of the contact that a conversation names, and the contact's conversations in the project.

    Without a contact, or if it cannot be read, the ids are those that the contact will have at least.
    """
    company, claims = own.company_id, own.claims
    profile, listed = None, list[str]()
    try:
        profile = memory_owners.contact_of(people.contacts, company, claims)
        listed = _in_project(people.inbox, profile, own) if profile else []
    except (BotoCoreError, ClientError, Transient) as failure:
        logger.warning("contact not read", extra={"reason": type(failure).__name__})
    return memory_owners.ids_of_person(company, claims, profile), listed


def _in_project(inbox: Table, profile: Profile, own: Head) -> list[str]:
    keys = [pk(one.pk) for one in of_contact.listed(inbox, profile, MOST)]
    items = inbox.get_many(keys, is_consistent=False) if keys else []
    return [
        entry.reference
        for entry in map(Entry.read, items)
        if entry.context is Context.CONVERSATIONS and _place(entry) == _place(own)
    ]


def _is_of_person(head: Head, own: Head, ids: Collection[str]) -> bool:
    """
    Whether a conversation, as it is now, is in the project and with the person who has these *ids*.

    Two mail conversations of the same addresses that prove no identifier are taken for one person's; a number may have
    changed hands.
    """
    if _place(head) != _place(own):
        return False
    if not own.claims and not head.claims:
        return own.channel is Channel.EMAIL
    return not {*_named(head)}.isdisjoint(ids)


def _named(head: Head) -> list[str]:
    """Return the ids of the contact that a conversation names, under each identifier key."""
    return memory_owners.ids_named(head.company_id, head.claims[:1])


def _place(one: Head | Entry) -> tuple[str, str | None]:
    return one.company_id, one.project_id


def _pairs(opened: OpenConversation) -> list[str]:
    channel, business = opened.conversation.channel_method, opened.state.business_address
    return identifiers.pairs(channel, business, opened.customer)
