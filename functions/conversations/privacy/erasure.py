"""
Erases a person's data from the conversations of one company, starting from the person's addresses.

    tombstones    by hash of each address: older events that arrive again are refused
    fences        on the state of each conversation: no worker starts writing to it
    wait          until every worker that started before the fence has timed out
    contents      logs, files, markers, threads, routes; then unmatched messages and parked events
    items         last, with aliases, since all other data is found through them; the given addresses come after others

Each lookup item exists until all data that it leads to is deleted: an interrupted run is repeated with the same result.
Consent records stay, since they hold hashes only, and so does the fact that something was sent. Copies elsewhere (the
inbox, the provider's own log, dead letters) are not erased; the tombstones refuse a dead letter that is redriven.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversations.configuration.folders import folder_of
from conversations.privacy import mail_files, orphans
from conversations.store import (
    conversations,
    erasures,
    open_list,
    routes,
)
from conversations.store.items import identifiers
from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.conversation import Conversation
from conversations.store.items.log import Message, State
from conversations.store.items.parts.function_result import FunctionResult
from shared.ai.providers.openai import Account
from shared.ai.providers.openai_mirror import delete_conversation
from shared.identity import addresses
from shared.identity.addresses import AddressInvalid, other_spellings
from shared.providers.outcomes import Misconfigured
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from shared.action_ledger import Action, Ledger
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket
    from shared.providers.company_secrets import CompanySecrets

# The longest function timeout is 120 s; the rest covers clock skew.
SETTLES_MS = 130 * clock.SECOND_MS
ROUNDS = 3
TOMBSTONE_SECONDS = 35 * clock.DAY_SECONDS


@dataclass(slots=True, kw_only=True, eq=False)
class ErasureDependencies:
    """Tables, bucket and ledger; the companies' secrets and OpenAI's URL, for the copies of conversations there."""

    table: Table
    log: Table
    bucket: Bucket
    ledger: Ledger[Action]
    credentials: CompanySecrets
    openai_url: str


@dataclass(slots=True, kw_only=True)
class Erased:
    """Counts of erased data. *threads_left*: provider ids of copies that an operator has to delete at the provider."""

    addresses: int = 0
    conversations: int = 0
    messages: int = 0
    files: int = 0
    unmatched: int = 0
    parked: int = 0
    threads: int = 0
    threads_left: list[str] = field(default_factory=list)


def erase(deps: ErasureDependencies, company_id: str, known_addresses: Sequence[str]) -> Erased:
    """
    Erase the person with these normalised addresses from a company's data. Takes some minutes; idempotent.

    Raises Transient if new conversations or addresses keep appearing during the erasure.
    """
    known_addresses = _every_spelling(known_addresses)
    at = clock.to_text(clock.now_ms())
    all_addresses = _fence_all(deps, company_id, known_addresses, at)
    done = Erased(addresses=len(all_addresses))
    refs: list[str] = []
    for conversation, ref in _conversations_of(deps, company_id, all_addresses):
        _erase_contents(deps, conversation, ref, at, done)
        _erase_routes(deps, conversation, ref, all_addresses)
        refs.append(ref)
    strays = orphans.erase(
        deps.log, deps.bucket, company_id, addresses=all_addresses, refs=refs, at=at
    )
    done.unmatched = strays.unmatched
    done.parked += strays.parked
    for address in all_addresses:
        for conversation, ref in _conversations_of(deps, company_id, [address]):
            erasures.replace_state(deps.log, ref, at, clock.expires_in(TOMBSTONE_SECONDS))
            conversations.erase(deps.table, conversation)
            done.conversations += 1
        _forget_address(deps, company_id, address, all_addresses)
    return done


def _all_addresses(deps: ErasureDependencies, company_id: str, start: Sequence[str]) -> list[str]:
    """
    Return all addresses of the person, each after the addresses that are found only through it.

    These are aliases, addresses of conversations to which agents attached messages from these, addresses named in the
    conversations of all of them, and their aliases. The search stops there: a mailbox or telephone may be shared
    with a person who is not to be erased.
    """
    themselves = _every_spelling([*start, *_aliases(deps, company_id, start)])
    placed = [
        placement.primary_channel
        for address in themselves
        for placement in routes.placements(deps.log, company_id, address)
    ]
    reachable = _every_spelling([*themselves, *placed])
    reachable = _every_spelling(
        [*reachable, *_contacts_in_conversations(deps, company_id, reachable)]
    )
    further = _every_spelling([*reachable, *_aliases(deps, company_id, reachable)])
    return list(reversed(further))


def _aliases(deps: ErasureDependencies, company_id: str, originals: Sequence[str]) -> list[str]:
    return [
        other for address in originals for other in routes.aliases(deps.log, company_id, address)
    ]


def _contacts_in_conversations(
    deps: ErasureDependencies, company_id: str, recipients: Sequence[str]
) -> list[str]:
    """Return the addresses stored in the conversations of the known addresses."""
    contacts: list[str | None] = []
    for conversation, ref in _conversations_of(deps, company_id, recipients):
        contacts += [conversation.recipient_tel, conversation.recipient_email]
        state = erasures.read_state(deps.log, ref)
        if state is not None:
            contacts += [state.customer_user_id, *state.placed_from]
    return list(filter(None, map(_normal, contacts)))


def _every_spelling(originals: Sequence[str]) -> list[str]:
    """Return the addresses and the alternative spellings of phone numbers; a person may be stored under any."""
    return list(
        dict.fromkeys(
            spelling for address in originals for spelling in (address, *other_spellings(address))
        )
    )


def _fence_all(
    deps: ErasureDependencies, company_id: str, start: Sequence[str], at: str
) -> list[str]:
    """
    Fence all conversations, wait for workers that started before, and return all addresses of the person by then.

    Repeats, since a worker may have stored another address or conversation meanwhile. Raises Transient.
    """
    all_addresses: list[str] = []
    for number in range(ROUNDS):
        current = _all_addresses(deps, company_id, start)
        new = [address for address in current if address not in all_addresses]
        all_addresses = [
            *(address for address in all_addresses if address not in current),
            *current,
        ]
        for address in new:
            erasures.mark_address_erased(deps.log, company_id, address, at)
        fenced = 0
        for _, ref in _conversations_of(deps, company_id, all_addresses):
            fenced += erasures.fence_erased(deps.log, ref, at)
        if number and not fenced and not new:
            return all_addresses
        # Wait even without any conversation: a worker may be processing the person's first message.
        clock.sleep_ms(SETTLES_MS)
    raise Transient("written_to_all_the_time")


def _conversations_of(
    deps: ErasureDependencies, company_id: str, recipients: Sequence[str]
) -> Iterator[tuple[Conversation, str]]:
    for address in recipients:
        for stored in conversations.ever_with_recipient(deps.table, company_id, address):
            # Store `ref_key` first: a concurrent import under another key then uses the same `ref`.
            named = conversations.name(deps.table, stored)
            if named is not None:
                yield named, identifiers.ref_of_item(named)


def _erase_contents(
    deps: ErasureDependencies, conversation: Conversation, ref: str, at: str, done: Erased
) -> None:
    _erase_log(deps, conversation.company_id, ref, at, done)
    # A request that was accepted twice during a key rotation may have stored its data under another `ref`.
    for candidate_ref in dict.fromkeys([ref, *identifiers.refs_of(conversation.conversation_id)]):
        _erase_files(deps.bucket, candidate_ref, done)
    _erase_thread(deps, conversation, done)


def _erase_log(deps: ErasureDependencies, company_id: str, ref: str, at: str, done: Erased) -> None:
    """Erase all log items of a conversation except its state; data referenced by an item is erased before the item."""
    for item in erasures.of_conversation(deps.log, ref):
        partition, sk = str(item[PARTITION_KEY]), str(item[SORT_KEY])
        if sk == State.sk():
            continue
        if sk.startswith(Message.first_sk):
            message = Message.read(item)
            _erase_traces(deps, ref, message, at, done)
            done.files += mail_files.delete(deps.bucket, company_id, message.media)
            done.messages += 1
        elif item.get("item_type") == FunctionResult.item_type:
            deps.ledger.forget(sk.partition("#")[2])
        erasures.remove(deps.log, partition, sk)


def _erase_traces(
    deps: ErasureDependencies, ref: str, message: Message, at: str, done: Erased
) -> None:
    """Erase the markers of a message, its parked statuses and the ledger's record of its send."""
    for name in filter(None, (message.provider_message_id, message.other_id)):
        if message.provider:
            named = (message.provider, name)
            erasures.mark_message_erased(deps.log, named, at)
            done.parked += orphans.erase_of_message(deps.log, deps.bucket, named, at)
    if message.turn_id:
        deps.ledger.forget(identifiers.action_id(ref, message.turn_id))


def _erase_files(bucket: Bucket, ref: str, done: Erased) -> None:
    while keys := bucket.keys_under(folder_of(bucket, ref).prefix):
        for key in keys:
            bucket.delete(key)
            done.files += 1


def _erase_thread(deps: ErasureDependencies, conversation: Conversation, done: Erased) -> None:
    if conversation.thread_id is None:
        return
    if _delete_thread(deps, conversation):
        done.threads += 1
    else:
        done.threads_left.append(conversation.thread_id)


def _delete_thread(deps: ErasureDependencies, conversation: Conversation) -> bool:
    """Delete the copy at OpenAI with the conversation's own account; False if the copy may still exist."""
    reference = (conversation.ai_config or {}).get("api_key_reference")
    if not isinstance(reference, str) or conversation.thread_id is None:
        return False
    try:
        secret = deps.credentials.secret(conversation.company_id, reference)
    except Misconfigured:
        return False
    return delete_conversation(Account(deps.openai_url, secret), conversation.thread_id)


def _erase_routes(
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


def _forget_address(
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


def _normal(address: str | None) -> str | None:
    """Normalise an address for lookups; None if invalid. User ids may be stored in the provider's spelling."""
    if address is None or address.startswith("+") or "@" in address:
        return address
    try:
        return addresses.user_id(address)
    except AddressInvalid:
        return None
