"""
Lookups that match a message to its conversation.

Address pairs, aliases, placements (an agent attached messages from another address to a conversation), business
addresses, inbound markers.
"""

from collections.abc import Iterable, Iterator

from boto3.dynamodb.conditions import Attr, Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.parts.state import State, state_key
from conversations.store.items.routes import Alias, BusinessAddress, Inbound, Placement, Route
from conversations.store.states import Gone
from shared.access.ownership.claims import Claim
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.identity.addresses import all_spellings, normal_form
from shared.identity.keyed_hashes import address_hash, address_hashes
from shared.runtime import clock

NEWEST = 10


def add(table: Table, pair_hash: str, created_at: str, ref: str, ttl: int | None) -> None:
    """Write the route from an address pair to a conversation. Idempotent."""
    route = Route(ref=ref, ttl=ttl)
    table.put(route.attributes(key(Route.partition(pair_hash), Route.sk(created_at, ref))))


def of_pair(table: Table, pair_hashes: Iterable[str]) -> list[str]:
    """Return the newest conversations of a pair, newest first, strongly consistent; one query per hash."""
    refs: dict[str, str] = {}
    for hashed in pair_hashes:
        condition = Key(PARTITION_KEY).eq(Route.partition(hashed))
        items, _ = table.query(None, condition, limit=NEWEST, newest_first=True)
        alive = [item for item in items if not clock.is_over(item.get("ttl"))]
        refs |= {str(item[SORT_KEY]): Route.read(item).ref for item in alive}
    return [refs[sk] for sk in sorted(refs, reverse=True)][:NEWEST]


def add_alias(table: Table, company_id: str, address: str, alias: Alias) -> None:
    """Write the alias from another address of a person to the address of their conversations. Idempotent."""
    hashed = address_hash(normal_form(address))
    table.put(alias.attributes(key(Alias.partition(company_id, hashed))))


def aliases(table: Table, company_id: str, address: str) -> list[str]:
    """
    Return the addresses that an alias points to; more than one if the alias changed during a key rotation, or if an
    earlier release wrote it in another spelling.
    """
    partitions = [
        Alias.partition(company_id, hashed)
        for spelling in all_spellings(address)
        for hashed in address_hashes(spelling)
    ]
    items = [table.get(key(partition)) for partition in partitions]
    return list(dict.fromkeys(Alias.read(item).primary_channel for item in items if item))


def note_placed_address(table: Table, ref: str, address: str) -> None:
    """Add another address of the person to a conversation's state. Idempotent. Raises Gone."""
    is_alive = State.attr("conversation_id").exists() & State.attr("erased_at").not_exists()
    placed_from = State.attr("placed_from")
    try:
        addition = State.named(placed_from=[address])
        table.update(
            state_key(ref), append=addition, when=is_alive & ~placed_from.contains(address)
        )
    except ConditionFailed as refusal:
        if refusal.existing is None or State.is_erased(refusal.existing):
            raise Gone(is_erased=refusal.existing is not None) from None


def put_placement(table: Table, company_id: str, address: str, placement: Placement) -> None:
    """Store the placement of an address in a conversation. Idempotent."""
    table.put(placement.attributes(_placement_key(company_id, address_hash(address), placement)))


def placements(table: Table, company_id: str, address: str) -> Iterator[Placement]:
    """
    Yield the placements of an address, strongly consistent, including expired ones; each once, with its longest
    `ttl`.
    """
    found: dict[tuple[str, str], Placement] = {}
    for hashed in address_hashes(address):
        for placement in _placements_under(table, Placement.partition(company_id, hashed)):
            longest = found.get((placement.ref, placement.business_address))
            if longest is None or (longest.ttl or 0) < (placement.ttl or 0):
                found[placement.ref, placement.business_address] = placement
    yield from found.values()


def remove_placement(table: Table, company_id: str, address: str, placement: Placement) -> None:
    """Delete a placement of an address. Idempotent."""
    for hashed in address_hashes(address):
        table.delete(_placement_key(company_id, hashed, placement))


def add_address(table: Table, channel: str, address: str, owner: BusinessAddress) -> None:
    """Store which project and account use a business address, unless stored already. Idempotent."""
    where = _address(channel, address, owner)
    provider = BusinessAddress.attr("provider").eq(owner.provider)
    account = BusinessAddress.attr("account")
    same = account.eq(owner.account) if owner.account else account.not_exists()
    try:
        # Conditional to save writes: most conversations of a project find the address stored.
        table.put(
            owner.attributes(where), when=Attr(PARTITION_KEY).not_exists() | ~(provider & same)
        )
    except ConditionFailed:
        return


def owners(table: Table, channel: str, address: str) -> list[BusinessAddress]:
    """
    Return the projects that use a business address, strongly consistent.

    All belong to the company that has claimed the address: projects of other companies are omitted.
    """
    condition = Key(PARTITION_KEY).eq(BusinessAddress.partition(channel, address))
    owners_of_address: list[BusinessAddress] = []
    holder: str | None = None
    start: Attributes | None = None
    while True:
        items, start = table.query(None, condition, start=start)
        for item in items:
            if item[SORT_KEY] == Claim.sk_pattern:
                holder = Claim.read(item).company_id
            else:
                owners_of_address.append(BusinessAddress.read(item))
        if start is None:
            return [owner for owner in owners_of_address if owner.company_id == holder]


def remove_address(table: Table, channel: str, address: str, owner: BusinessAddress) -> None:
    """Delete the record that a project uses an address. Idempotent."""
    table.delete(_address(channel, address, owner))


def mark(table: Table, provider: str, provider_message_id: str, taken: Inbound) -> Inbound:
    """Write the inbound marker of a provider's message unless it exists and return the stored marker."""
    where = key(Inbound.partition(provider, provider_message_id))
    try:
        table.put(taken.attributes(where), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        return Inbound.read(refusal.existing or {})
    return taken


def restamp(table: Table, provider: str, provider_message_id: str, seen: Inbound, at: str) -> bool:
    """Change the time in an inbound marker if it still equals *seen* (or already *at*); False otherwise."""
    where = key(Inbound.partition(provider, provider_message_id))
    same = Inbound.attr("message_timestamp").is_in([seen.message_timestamp, at])
    try:
        table.update(where, put=Inbound.named(message_timestamp=at), when=same)
    except ConditionFailed:
        return False
    return True


def assign(table: Table, provider: str, provider_message_id: str, ref: str) -> bool:
    """Assign an unmatched message to a conversation; False if it belongs to another one. Idempotent."""
    where = key(Inbound.partition(provider, provider_message_id))
    stored_ref = Inbound.attr("ref")
    is_free = stored_ref.not_exists() | stored_ref.eq(ref)
    exists = Inbound.attr("payload_hash").exists()
    try:
        table.update(where, put=Inbound.named(ref=ref), when=exists & is_free)
    except ConditionFailed:
        return False
    return True


def marked(table: Table, provider: str, provider_message_id: str) -> Inbound | None:
    """Return the inbound marker of a provider's message, or None."""
    item = table.get(key(Inbound.partition(provider, provider_message_id)))
    return Inbound.read(item) if item else None


def are_marked(table: Table, provider: str, ids: list[str]) -> set[str]:
    """Return which of at most 100 provider message ids have an inbound marker."""
    ids_by_key = {Inbound.partition(provider, message_id): message_id for message_id in ids}
    items = table.get_many([key(pk) for pk in ids_by_key])
    return {ids_by_key[str(item["pk"])] for item in items}


def _address(channel: str, address: str, owner: BusinessAddress) -> Attributes:
    sk = BusinessAddress.sk(owner.company_id, owner.project_id)
    return key(BusinessAddress.partition(channel, address), sk)


def _placements_under(table: Table, partition: str) -> Iterator[Placement]:
    start: Attributes | None = None
    while True:
        items, start = table.query(None, Key(PARTITION_KEY).eq(partition), start=start)
        yield from (Placement.read(item) for item in items)
        if start is None:
            return


def _placement_key(company_id: str, hashed: str, placement: Placement) -> Attributes:
    sk = Placement.sk(placement.ref, placement.business_address)
    return key(Placement.partition(company_id, hashed), sk)
