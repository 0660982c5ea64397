"""
Tombstones of erased addresses and messages, stored by hash, and access to the items that an erasure deletes.

The state of a conversation is fenced first and replaced by a tombstone at the end.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from boto3.dynamodb.conditions import Key

from conversations.store import messages
from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.parts.state import State, state_key
from conversations.store.items.records import (
    Answered,
    ErasedAddress,
    ErasedMessage,
    Parked,
    ParkReason,
)
from conversations.store.items.routes import Alias, Inbound, Route
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.identity.keyed_hashes import address_hash, address_hashes
from shared.policy.consent.unreachable import Unreachable
from shared.runtime import clock
from shared.runtime.failures import Transient

ROUNDS = 4

type Person = tuple[str, str]  # company and address
type Name = tuple[str, str]  # provider and provider message id


def mark_address_erased(table: Table, company_id: str, address: str, at: str) -> None:
    """Write the tombstone of an erased address. Idempotent; the newest time wins."""
    tombstone = ErasedAddress(erased_at=at, ttl=ErasedAddress.time_to_live())
    table.put(tombstone.attributes(_address(company_id, address_hash(address))))


def mark_message_erased(table: Table, name: Name, at: str) -> None:
    """Write the tombstone of an erased message; delete its inbound marker, its link and its early files. Idempotent."""
    tombstone = ErasedMessage(erased_at=at, ttl=ErasedMessage.time_to_live())
    table.put(tombstone.attributes(_message(name)))
    table.delete(key(Inbound.partition(*name)))
    messages.unlink(table, *name)
    messages.forget_early_files(table, *name)


def is_message(table: Table, provider: str, provider_message_id: str) -> bool:
    """Whether a message has a tombstone."""
    return table.get(_message((provider, provider_message_id))) is not None


def of_message(provider: str, provider_message_id: str) -> Attributes:
    """Return the key of a message's tombstone."""
    return _message((provider, provider_message_id))


def covers(
    table: Table, persons: Collection[Person], at_ms: int, own_keys: Collection[Attributes]
) -> bool:
    """
    Whether one of the persons *persons* was erased at or after *at_ms*, or an item under a key in *own_keys* is erased.

    *own_keys*: the tombstone key of a message, or the possible state keys of a conversation. One strongly consistent
    read.
    """
    tombstones = [
        _address(company_id, hashed)
        for company_id, address in persons
        for hashed in address_hashes(address)
    ]
    items = table.get_many([*own_keys, *tombstones])
    own_partitions = {own_key[PARTITION_KEY] for own_key in own_keys}
    return any(
        State.is_erased(item)
        if item[PARTITION_KEY] in own_partitions
        else clock.from_text(ErasedAddress.read(item).erased_at) >= at_ms
        for item in items
    )


def read_state(table: Table, ref: str) -> State | None:
    """Return the state, also of a conversation being erased; None if there is none or only a tombstone."""
    item = table.get(state_key(ref))
    return State.read(item) if item and "conversation_id" in item else None


def fence_erased(table: Table, ref: str, at: str) -> bool:
    """
    Fence a conversation against new writers by setting `erased_at`; False if it was fenced before.

    The attributes by which its data is found stay until all other data is deleted. Idempotent.
    """
    try:
        table.update(
            state_key(ref),
            put={"item_type": State.item_type, **State.named(erased_at=at)},
            add=State.named(generation=1),
            when=State.attr("erased_at").not_exists(),
        )
    except ConditionFailed:
        return False
    return True


def replace_state(table: Table, ref: str, at: str, ttl: int) -> None:
    """Replace the state of an erased conversation by a tombstone. Idempotent."""
    facts = {"item_type": State.item_type, **State.named(erased_at=at, ttl=ttl)}
    table.put({**state_key(ref), **facts})


def read_item(table: Table, item_key: Attributes) -> Attributes | None:
    """Return the item with this key, also if it has expired but DynamoDB has not deleted it yet."""
    exactly = Key(PARTITION_KEY).eq(item_key[PARTITION_KEY]) & Key(SORT_KEY).eq(item_key[SORT_KEY])
    items, _ = table.query(None, exactly)
    return items[0] if items else None


def mark_parked_erased(table: Table, item_key: Attributes) -> None:
    """Mark a parked event as one of an erased person, before its body is deleted. Idempotent."""
    with suppress(ConditionFailed):  # The item is deleted already.
        table.update(
            item_key,
            put=Parked.named(reason=ParkReason.ERASED),
            when=Parked.attr("parked_id").exists(),
        )


def remove(table: Table, partition: str, sk: str) -> None:
    """Delete one item. Idempotent."""
    table.delete(key(partition, sk))


def remove_routes(table: Table, pair_hashes: Iterable[str], ref: str) -> None:
    """Delete the routes from these address pairs to a conversation. Idempotent."""
    for partition in map(Route.partition, pair_hashes):
        for item in _all(table, partition):
            if Route.read(item).ref == ref:
                remove(table, partition, str(item[SORT_KEY]))


def forget_address(table: Table, company_id: str, address: str) -> None:
    """Delete the alias of an address and its unreachable marks. Idempotent."""
    for hashed in address_hashes(address):
        for method in ChannelMethod:
            table.delete(Unreachable.key(company_id, hashed, method))
        table.delete(key(Alias.partition(company_id, hashed)))


def forget_in_answer(table: Table, hashed: str, *names: str) -> None:
    """
    Remove the parts *names* from the stored answer to an API request; later retries get the rest.

    Idempotent. Raises Transient.
    """
    for _ in range(ROUNDS):
        item = table.get(Answered.request_key(hashed))
        seen = Answered.read(item).answer if item else None
        if seen is None or not seen.keys() & set(names):
            return
        remaining = {name: part for name, part in seen.items() if name not in names}
        try:
            table.update(
                Answered.request_key(hashed),
                put=Answered.named(answer=remaining),
                when=Answered.attr("answer").eq(seen),
            )
        except ConditionFailed:
            continue
        return
    raise Transient("answer_contended")


def _all(table: Table, partition: str) -> Iterator[Attributes]:
    start: Attributes | None = None
    while True:
        items, start = table.query(None, Key(PARTITION_KEY).eq(partition), start=start)
        yield from items
        if start is None:
            return


def _address(company_id: str, hashed: str) -> Attributes:
    return key(ErasedAddress.partition(company_id, hashed))


def _message(name: Name) -> Attributes:
    return key(ErasedMessage.partition(messages.hash_of(*name)))
