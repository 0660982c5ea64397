"""Placements: agents attach messages from other addresses to a conversation; stored in its state and by address."""

from collections.abc import Iterator

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, key
from conversations.store.items.log import State, state_key
from conversations.store.items.routes import Placement
from conversations.store.states import Gone
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.identity.keyed_hashes import address_hash, address_hashes


def note(table: Table, ref: str, address: str) -> None:
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


def put(table: Table, company_id: str, address: str, placement: Placement) -> None:
    """Store the placement of an address in a conversation. Idempotent."""
    table.put(placement.attributes(_where(company_id, address_hash(address), placement)))


def of_address(table: Table, company_id: str, address: str) -> Iterator[Placement]:
    """
    Yield the placements of an address, strongly consistent, including expired ones; each once, with its longest
    `ttl`.
    """
    placements: dict[tuple[str, str], Placement] = {}
    for hashed in address_hashes(address):
        for placement in _under(table, Placement.partition(company_id, hashed)):
            longest = placements.get((placement.ref, placement.business_address))
            if longest is None or (longest.ttl or 0) < (placement.ttl or 0):
                placements[placement.ref, placement.business_address] = placement
    yield from placements.values()


def forget(table: Table, company_id: str, address: str, placement: Placement) -> None:
    """Delete a placement of an address. Idempotent."""
    for hashed in address_hashes(address):
        table.delete(_where(company_id, hashed, placement))


def _under(table: Table, partition: str) -> Iterator[Placement]:
    start: Attributes | None = None
    while True:
        items, start = table.query(None, Key(PARTITION_KEY).eq(partition), start=start)
        yield from (Placement.read(item) for item in items)
        if start is None:
            return


def _where(company_id: str, hashed: str, placement: Placement) -> Attributes:
    sk = Placement.sk(placement.ref, placement.business_address)
    return key(Placement.partition(company_id, hashed), sk)
