"""Removes what leads to the conversations of an erased person. Each call is safe to repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.store import erasures, routes
from conversations.store.items import identifiers
from conversations.store.items.conversation import Conversation
from conversations.store.lists import open_list
from shared.ai.providers.openai import Account
from shared.ai.providers.openai_mirror import delete_conversation
from shared.providers.outcomes import Misconfigured

if TYPE_CHECKING:
    from collections.abc import Collection

    from conversations.privacy.dependencies import ErasureDependencies
    from conversations.store.items.log import Message


def traces_of_message(deps: ErasureDependencies, ref: str, message: Message, at: str) -> None:
    """Erase the markers of a message, and the ledger's record of its send."""
    for name in names_of(message):
        erasures.mark_message_erased(deps.log, name, at)
    if message.turn_id:
        deps.ledger.forget(identifiers.action_id(ref, message.turn_id))


def names_of(message: Message) -> list[erasures.Name]:
    """Return the names that its provider gave a message."""
    ids = filter(None, (message.provider_message_id, message.other_id))
    return [(message.provider, one) for one in ids] if message.provider else []


def thread(deps: ErasureDependencies, conversation: Conversation) -> bool:
    """Delete the copy at OpenAI with the conversation's own account; False if the copy may still exist."""
    reference = (conversation.ai_config or {}).get("api_key_reference")
    if not isinstance(reference, str) or conversation.thread_id is None:
        return False
    try:
        secret = deps.credentials.secret(conversation.company_id, reference)
    except Misconfigured:
        return False
    return delete_conversation(Account(deps.openai_url, secret), conversation.thread_id)


def routes_of(
    deps: ErasureDependencies, conversation: Conversation, ref: str, all_addresses: Collection[str]
) -> None:
    """Erase routes, placements, the entries of lists, and the id of the conversation in the stored request answer."""
    log, item = deps.log, conversation
    state = erasures.read_state(deps.log, ref)
    business = {
        getattr(item, Conversation.by_pair[item.channel_method][1]),
        state.business_address if state else None,
    }
    for address in filter(None, business):
        pairs = identifiers.pairs(item.channel_method, address, item.primary_channel)
        erasures.remove_routes(log, pairs, ref)
    for address in state.placed_from if state else ():
        _erase_placements(deps, conversation, ref, address, is_known=address in all_addresses)
    open_list.remove(log, item.company_id, item.project_id, ref)
    open_list.forget_ended(log, item.company_id, item.project_id, item.created_at, ref)
    request_key = identifiers.request(item.company_id, item.project_id, item.request_id)
    erasures.forget_in_answer(log, request_key, "conversation_id")


def address(
    deps: ErasureDependencies, company_id: str, address: str, all_addresses: Collection[str]
) -> None:
    """
    Erase the alias, unreachable marks and placements of an address.

    Placements in other persons' conversations stay, for an erasure that names this address itself.
    """
    erasures.forget_address(deps.log, company_id, address)
    for placement in routes.placements(deps.log, company_id, address):
        if placement.primary_channel in all_addresses:
            routes.remove_placement(deps.log, company_id, address, placement)


def _erase_placements(
    deps: ErasureDependencies, conversation: Conversation, ref: str, address: str, *, is_known: bool
) -> None:
    """
    Erase the routes, and unless *is_known* the placements, that lead from another address to a conversation.

    Placements of a known address are erased with that address.
    """
    item = conversation
    for placement in routes.placements(deps.log, item.company_id, address):
        if placement.ref == ref:
            pairs = identifiers.pairs(item.channel_method, placement.business_address, address)
            erasures.remove_routes(deps.log, pairs, ref)
            if not is_known:
                routes.remove_placement(deps.log, item.company_id, address, placement)
