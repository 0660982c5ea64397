"""Addresses that a channel does not reach. They stand in keys as hashes only."""

from boto3.dynamodb.conditions import Attr

from conversations.items.books import Unreachable
from conversations.items.log_item import PARTITION_KEY, key
from shared.addresses import address_hash
from shared.dynamodb import Attributes, ConditionFailed, Table


def note(table: Table, company_id: str, address: str, channel: str, found: Unreachable) -> None:
    """Keep that a channel does not reach an address, unless something newer is known. Safe to repeat."""
    at = Unreachable.attr("at")
    is_newer = Attr(PARTITION_KEY).not_exists() | at.lt(found.at)
    try:
        table.put(found.attributes(_where(company_id, address, channel)), when=is_newer)
    except ConditionFailed:
        return


def of_address(table: Table, company_id: str, address: str, channel: str) -> Unreachable | None:
    """What is known of an address on a channel, strongly consistent; None where it may be written to."""
    item = table.get(_where(company_id, address, channel))
    return Unreachable.read(item) if item else None


def clear(table: Table, company_id: str, address: str, channel: str, heard_at: str) -> None:
    """Forget it where somebody wrote from there since. Reads first: hardly any message finds something to forget."""
    known = of_address(table, company_id, address, channel)
    if known is None or known.at >= heard_at:
        return
    where = _where(company_id, address, channel)
    try:
        table.delete(where, when=Unreachable.attr("at").eq(known.at))
    except ConditionFailed:
        return


def _where(company_id: str, address: str, channel: str) -> Attributes:
    partition = Unreachable.partition(company_id, address_hash(address))
    return key(partition, Unreachable.sk(channel))
