"""Which conversations of a project are not over: for agents' lists, and for the limit on how many there may be."""

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY, key
from conversations.store.items.routes import Open
from shared import clock
from shared.aws.dynamodb import Attributes, Table

_HOUR = len("2026-03-01T09")


def keep(table: Table, company_id: str, project_id: str, opening: Open) -> None:
    """Write how an open conversation stands. Safe to repeat; the last one counts."""
    table.put(opening.attributes(key_of(company_id, project_id, opening.ref)))


def remove(table: Table, company_id: str, project_id: str, ref: str) -> None:
    """Take a conversation that is over off the list. Safe to repeat."""
    table.delete(key_of(company_id, project_id, ref))


def page(
    table: Table, company_id: str, project_id: str, limit: int, start: Attributes | None
) -> tuple[list[Open], Attributes | None]:
    """One page of a project's open conversations, in no order of time, and the key to go on from."""
    partition = Key(PARTITION_KEY).eq(Open.partition(company_id, project_id))
    items, last = table.query(None, partition, limit=limit, start=start)
    return [Open.read(item) for item in items if not clock.is_over(item.get("ttl"))], last


def count_active(table: Table, company_id: str, project_id: str, since: str, most: int) -> int:
    """How many were active since a time, to the hour; counts no further than *most*."""
    found, start = 0, None
    while True:
        openings, start = page(table, company_id, project_id, 500, start)
        found += sum(opening.last_activity_at >= since for opening in openings)
        if found >= most or start is None:
            return min(found, most)


def hour_of(time: str) -> str:
    """A time to the hour, in the same format."""
    return f"{time[:_HOUR]}:00:00.000Z"


def key_of(company_id: str, project_id: str, ref: str) -> Attributes:
    """The whole key of an entry: where a page begins or ends."""
    return key(Open.partition(company_id, project_id), ref)


def ref_in(position: Attributes) -> str:
    """The conversation of a key."""
    return str(position[SORT_KEY])
