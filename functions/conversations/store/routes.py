"""How a message finds its conversation: pairs of addresses, aliases of a person, and whose a business address is."""

from collections.abc import Iterable

from boto3.dynamodb.conditions import Attr, Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.claims import Claim
from conversations.store.items.routes import Alias, BusinessAddress, Inbound, Route
from shared import clock
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.keyed_hashes import address_hash, address_hashes

NEWEST = 10


def add(table: Table, pair_hash: str, created_at: str, ref: str, ttl: int | None) -> None:
    """Let a pair of addresses lead to a conversation. Safe to repeat."""
    route = Route(ref=ref, ttl=ttl)
    table.put(route.attributes(key(Route.partition(pair_hash), Route.sk(created_at, ref))))


def of_pair(table: Table, pair_hashes: Iterable[str]) -> list[str]:
    """The newest conversations of a pair, newest first, strongly consistent; one query for each key's hash."""
    found: dict[str, str] = {}
    for hashed in pair_hashes:
        condition = Key(PARTITION_KEY).eq(Route.partition(hashed))
        items, _ = table.query(None, condition, limit=NEWEST, newest_first=True)
        alive = [item for item in items if not clock.is_over(item.get("ttl"))]
        found |= {str(item[SORT_KEY]): Route.read(item).ref for item in alive}
    return [found[sk] for sk in sorted(found, reverse=True)][:NEWEST]


def add_alias(table: Table, company_id: str, address: str, alias: Alias) -> None:
    """Let another address of a person lead to the one that their conversations are under. Safe to repeat."""
    table.put(alias.attributes(key(Alias.partition(company_id, address_hash(address)))))


def aliases(table: Table, company_id: str, address: str) -> list[str]:
    """Where a person with this address is known: one address, or more where the alias changed as the keys rotated."""
    places = [Alias.partition(company_id, hashed) for hashed in address_hashes(address)]
    found = [table.get(key(place)) for place in places]
    return list(dict.fromkeys(Alias.read(item).primary_channel for item in found if item))


def add_address(table: Table, channel: str, address: str, owner: BusinessAddress) -> None:
    """Note whose an address of a business is, unless it is noted so. Safe to repeat."""
    where = _address(channel, address, owner)
    provider = BusinessAddress.attr("provider").eq(owner.provider)
    account = BusinessAddress.attr("account")
    same = account.eq(owner.account) if owner.account else account.not_exists()
    try:
        # A write only where something is new: most conversations of a project find it noted.
        table.put(
            owner.attributes(where), when=Attr(PARTITION_KEY).not_exists() | ~(provider & same)
        )
    except ConditionFailed:
        return


def owners(table: Table, channel: str, address: str) -> list[BusinessAddress]:
    """
    The projects that use an address of a business, strongly consistent.

    All belong to the company that has claimed the address: projects of another company are left out.
    """
    condition = Key(PARTITION_KEY).eq(BusinessAddress.partition(channel, address))
    found: list[BusinessAddress] = []
    holder: str | None = None
    start: Attributes | None = None
    while True:
        items, start = table.query(None, condition, start=start)
        for item in items:
            if item[SORT_KEY] == Claim.sk_pattern:
                holder = Claim.read(item).company_id
            else:
                found.append(BusinessAddress.read(item))
        if start is None:
            return [owner for owner in found if owner.company_id == holder]


def remove_address(table: Table, channel: str, address: str, owner: BusinessAddress) -> None:
    """Forget that a project uses an address. Safe to repeat."""
    table.delete(_address(channel, address, owner))


def mark(table: Table, provider: str, provider_message_id: str, taken: Inbound) -> Inbound:
    """Note that a provider's message was taken, unless it was; the note as it stands."""
    where = key(Inbound.partition(provider, provider_message_id))
    try:
        table.put(taken.attributes(where), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        return Inbound.read(refusal.existing or {})
    return taken


def restamp(table: Table, provider: str, provider_message_id: str, seen: Inbound, at: str) -> bool:
    """Give a taken message another time, if it still has the one that was *seen*."""
    where = key(Inbound.partition(provider, provider_message_id))
    same = Inbound.attr("message_timestamp").is_in([seen.message_timestamp, at])
    try:
        table.update(where, put=Inbound.named(message_timestamp=at), when=same)
    except ConditionFailed:
        return False
    return True


def place(table: Table, provider: str, provider_message_id: str, ref: str) -> bool:
    """Let a taken message of nobody be one of this conversation; False where it is another one's. Safe to repeat."""
    where = key(Inbound.partition(provider, provider_message_id))
    known = Inbound.attr("ref")
    is_free = known.not_exists() | known.eq(ref)
    exists = Inbound.attr("payload_hash").exists()
    try:
        table.update(where, put=Inbound.named(ref=ref), when=exists & is_free)
    except ConditionFailed:
        return False
    return True


def marked(table: Table, provider: str, provider_message_id: str) -> Inbound | None:
    """The note about a provider's message."""
    item = table.get(key(Inbound.partition(provider, provider_message_id)))
    return Inbound.read(item) if item else None


def are_marked(table: Table, provider: str, ids: list[str]) -> set[str]:
    """Which of at most 100 of a provider's messages were taken."""
    wanted = {Inbound.partition(provider, one): one for one in ids}
    found = table.get_many([key(pk) for pk in wanted])
    return {wanted[str(item["pk"])] for item in found}


def _address(channel: str, address: str, owner: BusinessAddress) -> Attributes:
    sk = BusinessAddress.sk(owner.company_id, owner.project_id)
    return key(BusinessAddress.partition(channel, address), sk)
