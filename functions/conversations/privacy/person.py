"""The addresses of a person in a company's conversations, and the conversations that these have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.privacy.owned_numbers import OWNED, Owners, number_of
from conversations.store import conversations, erasures, messages, routes
from conversations.store.items import identifiers
from shared.identity import addresses
from shared.identity.addresses import AddressInvalid, other_spellings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conversations.privacy.dependencies import ErasureDependencies
    from conversations.store.items.conversation import Conversation


def all_addresses(deps: ErasureDependencies, company_id: str, given: Sequence[str]) -> list[str]:
    """
    Return all addresses of the person, each after the addresses that are found only through it.

    These are aliases, addresses of conversations to which agents attached messages from these, addresses named in the
    conversations of all of them, and their aliases. The search stops there: a mailbox or telephone may be shared
    with a person who is not to be erased.
    """
    owners = Owners(deps, company_id)
    users = [one for one in given if addresses.is_user_id(one)]
    start = every_spelling([owners.of_user(one, users) for one in given])
    themselves = every_spelling([*start, *_aliases(owners, start)])
    placed = [
        placement.primary_channel
        for address in themselves
        for placement in routes.placements(deps.log, company_id, address)
    ]
    reachable = every_spelling([*themselves, *placed])
    reachable = every_spelling([*reachable, *_contacts_in_conversations(owners, reachable)])
    further = every_spelling([*reachable, *_aliases(owners, reachable)])
    return list(reversed(further))


def conversations_of(
    deps: ErasureDependencies, company_id: str, recipients: Sequence[str]
) -> Iterator[tuple[Conversation, str]]:
    """Yield the conversations of these addresses, each with its `ref`."""
    owners = Owners(deps, company_id)
    for address in recipients:
        for stored in conversations.ever_with_recipient(deps.table, company_id, number_of(address)):
            named = with_ref(deps, stored)
            if named is not None and owners.has(address, *named):
                yield named


def is_since(deps: ErasureDependencies, ref: str, at: str) -> bool:
    """Whether a customer has begun a conversation after a time: what is erased up to then does not reach it."""
    first = messages.first(deps.log, ref)
    return first is not None and first.author == "customer" and first.message_timestamp > at


def with_ref(
    deps: ErasureDependencies, conversation: Conversation
) -> tuple[Conversation, str] | None:
    """
    Return a conversation with its `ref`; None if it is gone.

    Its `ref_key` is stored first: a concurrent import under another key then uses the same `ref`.
    """
    named = conversations.name(deps.table, conversation)
    return (named, identifiers.ref_of_item(named)) if named is not None else None


def every_spelling(originals: Sequence[str]) -> list[str]:
    """Return the addresses and the alternative spellings of phone numbers; a person may be stored under any."""
    return list(
        dict.fromkeys(
            spelling for address in originals for spelling in (address, *_others(address))
        )
    )


def _others(address: str) -> list[str]:
    number = number_of(address)
    return [f"{one}{address.removeprefix(number)}" for one in other_spellings(number)]


def _aliases(owners: Owners, originals: Sequence[str]) -> list[str]:
    """Return the addresses that messages have named together; a number with several owners leads to none of them."""
    users = [one for one in originals if addresses.is_user_id(one)]
    return [
        owners.of_user(other, [address] if addresses.is_user_id(address) else users)
        for address in originals
        if OWNED not in address
        for other in routes.aliases(owners.deps.log, owners.company_id, address)
    ]


def _contacts_in_conversations(owners: Owners, recipients: Sequence[str]) -> list[str]:
    """Return the addresses stored in the conversations of the known addresses."""
    deps, contacts = owners.deps, list[str | None]()
    for conversation, ref in conversations_of(deps, owners.company_id, recipients):
        contacts += [owners.of_conversation(conversation, ref), conversation.recipient_email]
        state = erasures.read_state(deps.log, ref)
        if state is not None:
            contacts += [state.customer_user_id, *state.placed_from]
    return list(filter(None, map(_normal, contacts)))


def _normal(address: str | None) -> str | None:
    """Normalise an address for lookups; None if invalid. User ids may be stored in the provider's spelling."""
    if address is None or address.startswith("+") or "@" in address:
        return address
    try:
        return addresses.user_id(address)
    except AddressInvalid:
        return None
