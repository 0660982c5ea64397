"""
A person is erased: all that one company's conversations hold of them, by the addresses that they are known by.

    tombstones    by hash of each address: what comes again from before is not taken
    fences        on the state of each conversation: whoever has not begun to write, does not
    wait          until whoever had begun cannot be alive
    contents      logs, files, markers, threads, routes; then what lies outside of conversations
    items         last, and aliases, since they lead to all of it: those of the addresses that were given after others

What is looked for is there until all that it leads to is gone: a run that dies is made again, and ends the same.
Consent stays, it holds hashes only, and so does the fact that something was sent. Copies elsewhere (the inbox, the
provider's own log, letters in a dead-letter queue) are not reached; a letter that is redriven finds the tombstones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conversations.folders import folder_of
from conversations.privacy import orphans
from conversations.store import (
    conversations,
    erasures,
    idempotency,
    open_list,
    placements,
    routes,
    tombstones,
)
from conversations.store.items import identifiers
from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.conversation import Conversation
from conversations.store.items.log import FunctionResult, Message, State
from shared import addresses, clock
from shared.addresses import AddressInvalid, twins_of
from shared.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from shared.action_ledger import Action, Ledger
    from shared.aws.dynamodb import Table
    from shared.aws.s3 import Bucket

# The longest time-out of a function is 120 s; the rest covers clocks that differ.
SETTLES_MS = 130 * clock.SECOND_MS
ROUNDS = 3
TOMBSTONE_SECONDS = 35 * clock.DAY_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Eraser:
    """
    What erasing works with.

    *forget_thread* deletes a conversation's copy at its model's provider; False where it may still be there.
    """

    table: Table
    log: Table
    bucket: Bucket
    ledger: Ledger[Action]
    forget_thread: Callable[[Conversation], bool]


@dataclass(slots=True, kw_only=True)
class Erased:
    """How much was erased. *threads_left* are the provider's ids of copies that people have to delete there."""

    addresses: int = 0
    conversations: int = 0
    messages: int = 0
    files: int = 0
    unmatched: int = 0
    parked: int = 0
    threads: int = 0
    threads_left: list[str] = field(default_factory=list)


def erase(desk: Eraser, company_id: str, given: Sequence[str]) -> Erased:
    """
    Erase the person whom a company knows by these normalised addresses. It takes some minutes; safe to repeat.

    Raises Transient where they are being written to all the time.
    """
    given = _every_spelling(given)
    at = clock.to_text(clock.now_ms())
    everybody = _fence_all(desk, company_id, given, at)
    done = Erased(addresses=len(everybody))
    refs: list[str] = []
    for conversation, ref in _all(desk, company_id, everybody):
        _erase_contents(desk, conversation, ref, at, done)
        _erase_ways(desk, conversation, ref, everybody)
        refs.append(ref)
    strays = orphans.erase(desk.log, desk.bucket, company_id, everybody=everybody, refs=refs, at=at)
    done.unmatched = strays.unmatched
    done.parked += strays.parked
    for address in everybody:
        for conversation, ref in _all(desk, company_id, [address]):
            tombstones.bury(desk.log, ref, at, clock.expires_in(TOMBSTONE_SECONDS))
            conversations.erase(desk.table, conversation)
            done.conversations += 1
        _forget_address(desk, company_id, address, everybody)
    return done


def _everybody(desk: Eraser, company_id: str, given: Sequence[str]) -> list[str]:
    """
    All addresses of the person, each after those that only it leads to: aliases, where people have placed what came
    from these, what is named in the conversations under all of them, and aliases of that.

    No further: of two people who share a mailbox, or a telephone, only one is meant.
    """
    themselves = _every_spelling([*given, *_aliases(desk, company_id, given)])
    placed = [
        placement.primary_channel
        for address in themselves
        for placement in placements.of_address(desk.log, company_id, address)
    ]
    known = _every_spelling([*themselves, *placed])
    known = _every_spelling([*known, *_named(desk, company_id, known)])
    further = _every_spelling([*known, *_aliases(desk, company_id, known)])
    return list(reversed(further))


def _aliases(desk: Eraser, company_id: str, known: Sequence[str]) -> list[str]:
    return [other for one in known for other in routes.aliases(desk.log, company_id, one)]


def _named(desk: Eraser, company_id: str, known: Sequence[str]) -> list[str]:
    """The addresses that stand in the conversations under those that are known."""
    found: list[str | None] = []
    for conversation, ref in _all(desk, company_id, known):
        found += [conversation.recipient_tel, conversation.recipient_email]
        state = tombstones.until_buried(desk.log, ref)
        if state is not None:
            found += [state.customer_user_id, *state.placed_from]
    return list(filter(None, map(_normal, found)))


def _every_spelling(known: Sequence[str]) -> list[str]:
    """Addresses, and the other spellings of numbers among them: a person is found under each."""
    return list(dict.fromkeys(one for each in known for one in (each, *twins_of(each))))


def _fence_all(desk: Eraser, company_id: str, given: Sequence[str], at: str) -> list[str]:
    """
    Fence all conversations, and wait until nobody is at work who began before: all addresses of the person by then.

    Whoever was at work may have found another one.
    """
    everybody: list[str] = []
    for number in range(ROUNDS):
        known = _everybody(desk, company_id, given)
        new = [address for address in known if address not in everybody]
        everybody = [*(address for address in everybody if address not in known), *known]
        for address in new:
            erasures.bury_address(desk.log, company_id, address, at)
        fenced = 0
        for _, ref in _all(desk, company_id, everybody):
            fenced += tombstones.fence_erased(desk.log, ref, at)
        if number and not fenced and not new:
            return everybody
        # Also where nothing is known of them: their first message may be on its way through a worker.
        clock.sleep_ms(SETTLES_MS)
    raise Transient("written_to_all_the_time")


def _all(
    desk: Eraser, company_id: str, everybody: Sequence[str]
) -> Iterator[tuple[Conversation, str]]:
    for address in everybody:
        for found in conversations.ever_with_recipient(desk.table, company_id, address):
            # Named first: whoever adopts it meanwhile, with another key, uses the same `ref`.
            named = conversations.name(desk.table, found)
            if named is not None:
                yield named, identifiers.ref_of_item(named)


def _erase_contents(
    desk: Eraser, conversation: Conversation, ref: str, at: str, done: Erased
) -> None:
    _erase_log(desk, ref, at, done)
    # A request that was taken twice while the keys rotated may have put its data under another `ref`.
    for one in dict.fromkeys([ref, *identifiers.refs_of(conversation.conversation_id)]):
        _erase_files(desk.bucket, one, done)
    _erase_thread(desk, conversation, done)


def _erase_log(desk: Eraser, ref: str, at: str, done: Erased) -> None:
    """All under a conversation but its state; of each item first what it leads to."""
    for item in erasures.of_conversation(desk.log, ref):
        partition, sk = str(item[PARTITION_KEY]), str(item[SORT_KEY])
        if sk == State.sk():
            continue
        if sk.startswith(Message.first_sk):
            _erase_traces(desk, ref, Message.read(item), at, done)
            done.messages += 1
        elif item.get("item_type") == FunctionResult.item_type:
            desk.ledger.forget(sk.partition("#")[2])
        erasures.remove(desk.log, partition, sk)


def _erase_traces(desk: Eraser, ref: str, message: Message, at: str, done: Erased) -> None:
    """Erase the markers of a message, its parked statuses, and the facts that the ledger has of its send."""
    for name in filter(None, (message.provider_message_id, message.other_id)):
        if message.provider:
            named = (message.provider, name)
            erasures.bury_message(desk.log, named, at)
            done.parked += orphans.erase_of_message(desk.log, desk.bucket, named, at)
    if message.turn_id:
        desk.ledger.forget(identifiers.action_id(ref, message.turn_id))


def _erase_files(bucket: Bucket, ref: str, done: Erased) -> None:
    while keys := bucket.keys_under(folder_of(bucket, ref).prefix):
        for key in keys:
            bucket.delete(key)
            done.files += 1


def _erase_thread(desk: Eraser, conversation: Conversation, done: Erased) -> None:
    if conversation.thread_id is None:
        return
    if desk.forget_thread(conversation):
        done.threads += 1
    else:
        done.threads_left.append(conversation.thread_id)


def _erase_ways(
    desk: Eraser, conversation: Conversation, ref: str, everybody: Collection[str]
) -> None:
    """Routes, the list of open conversations, and the answer to the request, which holds the conversation's id."""
    log, item = desk.log, conversation
    state = tombstones.until_buried(desk.log, ref)
    business = {
        getattr(item, Conversation.by_pair[item.channel_method][1]),
        state.business_address if state else None,
    }
    for address in filter(None, business):
        pairs = identifiers.pairs(item.channel_method, address, item.primary_channel)
        erasures.remove_routes(log, pairs, ref)
    for address in state.placed_from if state else ():
        _erase_placements(desk, conversation, ref, address, is_known=address in everybody)
    open_list.remove(log, item.company_id, item.project_id, ref)
    asked = identifiers.request(item.company_id, item.project_id, item.request_id)
    idempotency.forget(log, asked, "conversation_id")


def _erase_placements(
    desk: Eraser, conversation: Conversation, ref: str, address: str, *, is_known: bool
) -> None:
    """What leads to a conversation from another address of its person; of one that *is_known* it goes with that."""
    item = conversation
    for placement in placements.of_address(desk.log, item.company_id, address):
        if placement.ref == ref:
            pairs = identifiers.pairs(item.channel_method, placement.business_address, address)
            erasures.remove_routes(desk.log, pairs, ref)
            if not is_known:
                placements.forget(desk.log, item.company_id, address, placement)


def _forget_address(
    desk: Eraser, company_id: str, address: str, everybody: Collection[str]
) -> None:
    """What is known of an address; that it leads to somebody else's conversation stays, for when it is given itself."""
    erasures.forget_address(desk.log, company_id, address)
    for placement in placements.of_address(desk.log, company_id, address):
        if placement.primary_channel in everybody:
            placements.forget(desk.log, company_id, address, placement)


def _normal(address: str | None) -> str | None:
    """An address as conversations are found by it: a user's id may have been kept as the provider wrote it."""
    if address is None or address.startswith("+") or "@" in address:
        return address
    try:
        return addresses.user_id(address)
    except AddressInvalid:
        return None
