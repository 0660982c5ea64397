"""Addresses that a channel does not reach. Keys contain only their hashes."""

from contextlib import suppress

from boto3.dynamodb.conditions import Attr

from conversations.store.items.base import PARTITION_KEY, key
from conversations.store.items.records import Unreachable
from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.identity.keyed_hashes import address_hash, address_hashes


def note(table: Table, company_id: str, address: str, channel: str, record: Unreachable) -> None:
    """Record that a channel does not reach an address, unless a newer record exists. Idempotent."""
    at = Unreachable.attr("at")
    is_newer = Attr(PARTITION_KEY).not_exists() | at.lt(record.at)
    try:
        where = _where(company_id, address_hash(address), channel)
        table.put(record.attributes(where), when=is_newer)
    except ConditionFailed:
        return


def of_address(table: Table, company_id: str, address: str, channel: str) -> Unreachable | None:
    """Return the newest record of an address on a channel, strongly consistent; None if it may be written to."""
    records = _records(table, company_id, address, channel)
    return max((record for _, record in records), key=lambda record: record.at, default=None)


def clear(table: Table, company_id: str, address: str, channel: str, received_at: str) -> None:
    """Delete records older than a message from the address. Reads first, since most messages have none to delete."""
    for where, record in _records(table, company_id, address, channel):
        if record.at < received_at:
            with suppress(ConditionFailed):
                table.delete(where, when=Unreachable.attr("at").eq(record.at))


def _records(
    table: Table, company_id: str, address: str, channel: str
) -> list[tuple[Attributes, Unreachable]]:
    """Return the stored records of an address under each identifier key, with the key of each item."""
    item_keys = [_where(company_id, hashed, channel) for hashed in address_hashes(address)]
    items = [(where, table.get(where)) for where in item_keys]
    return [(where, Unreachable.read(item)) for where, item in items if item]


def _where(company_id: str, hashed: str, channel: str) -> Attributes:
    return key(Unreachable.partition(company_id, hashed), Unreachable.sk(channel))
