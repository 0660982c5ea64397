"""The open conversations of a project: for agents' lists and for the limit on concurrent conversations."""

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.routes import Open
from shared.aws.dynamodb import Attributes, Table
from shared.runtime import clock

_HOUR = len("2026-03-01T09")


def keep(table: Table, company_id: str, project_id: str, opening: Open) -> None:
    """Write the list entry of an open conversation. Idempotent; the last write wins."""
    table.put(opening.attributes(key_of(company_id, project_id, opening.ref)))


def remove(table: Table, company_id: str, project_id: str, ref: str) -> None:
    """Delete the list entry of a conversation. Idempotent."""
    table.delete(key_of(company_id, project_id, ref))


def page(
    table: Table, company_id: str, project_id: str, limit: int, start: Attributes | None
) -> tuple[list[Open], Attributes | None]:
    """Return one page of a project's open conversations, not ordered by time, and the key of the next page."""
    partition = Key(PARTITION_KEY).eq(Open.partition(company_id, project_id))
    items, last = table.query(None, partition, limit=limit, start=start)
    return [Open.read(item) for item in items if not clock.is_over(item.get("ttl"))], last


def count_active(table: Table, company_id: str, project_id: str, since: str, most: int) -> int:
    """Count the conversations active since a time, to the hour; at most *most*."""
    active, start = 0, None
    while True:
        openings, start = page(table, company_id, project_id, 500, start)
        active += sum(opening.last_activity_at >= since for opening in openings)
        if active >= most or start is None:
            return min(active, most)


def hour_of(time: str) -> str:
    """Return a time truncated to the hour, in the same format."""
    return f"{time[:_HOUR]}:00:00.000Z"


def key_of(company_id: str, project_id: str, ref: str) -> Attributes:
    """Return the whole key of an entry, at which a page can begin or end."""
    return key(Open.partition(company_id, project_id), ref)


def ref_in(position: Attributes) -> str:
    """Return the conversation `ref` of an entry's key."""
    return str(position[SORT_KEY])
