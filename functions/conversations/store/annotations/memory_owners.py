"""
The person of a memory. One that was carried over from conversations of other contacts counts while these are the same
person: the owner of the conversation's first identifier always, others while a link or a merge by people joins them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.store.lists.inbox_heads import changes_of, claims_of
from shared.identity.contacts import resolution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.store.items.conversation import Conversation
    from conversations.store.items.parts.memory import Memory
    from conversations.store.items.parts.state import State
    from shared.aws.dynamodb import Table
    from shared.identity.contacts.claims import Claim
    from shared.identity.contacts.items import Profile


def is_of_person(
    log: Table, contacts: Table, item: Conversation, state: State, memory: Memory
) -> bool:
    """
    Whether all contacts that a memory may have something from are now the person of its conversation.

    Reads nothing if its first identifier names them. Raises Transient, ClientError and BotoCoreError.
    """
    company, named = item.company_id, {*memory.contacts}
    if not named:
        return True
    if named.issubset(ids_named(company, claims_of(item, state, ())[:1])):
        return True
    claims = claims_of(item, state, changes_of(log, item))
    profile = contact_of(contacts, company, claims)
    return named.issubset(ids_of_person(company, claims, profile))


def contact_of(contacts: Table, company: str, claims: Sequence[Claim]) -> Profile | None:
    """Return the contact that the claims of a conversation lead to, with merges by people; None if it has none yet."""
    for contact_id in ids_named(company, claims):
        if profile := resolution.current(contacts, company, contact_id):
            return profile
    return None


def ids_of_person(company: str, claims: Sequence[Claim], profile: Profile | None) -> set[str]:
    """Return the ids of a contact; without one those that it will have at least."""
    if profile is None:
        return {*ids_named(company, claims)}
    return {profile.contact_id, *profile.members}


def ids_named(company: str, claims: Sequence[Claim]) -> list[str]:
    """Return the ids of the contacts that claims name, under each identifier key."""
    return [one for claim in claims for one in resolution.ids_of(company, claim.identifier)]
