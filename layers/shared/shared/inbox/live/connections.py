"""Access patterns of open connections."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from shared.access import revocations
from shared.aws.dynamodb import ConditionFailed
from shared.inbox.live.items import (
    CONNECTION_INDEX,
    PARTITION_KEY,
    PRINCIPAL_INDEX,
    SORT_KEY,
    Connection,
)
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Attributes, Table

MOST = 1_000  # about 300 KB


def of_company(table: Table, company: str) -> list[Connection]:
    """
    Return the open connections of a company, also of callers who lost access (see `with_access`), MOST at most:
    clients without hints look again once a minute.

    Strongly consistent and never cached: a client lists the inbox after it has connected, so a change that it does not
    see there must find its connection. Without connections: one read unit.
    """
    of_company = Key(PARTITION_KEY).eq(Connection.partition(company))
    condition = of_company & Key(SORT_KEY).begins_with(Connection.sort_key(""))
    items, _ = table.query(None, condition, limit=MOST)
    return [one for one in map(Connection.read, items) if not clock.is_over(one.ttl)]


def with_access(keys: Table, found: Sequence[Connection]) -> list[Connection]:
    """
    Leave out the connections whose callers' access is revoked: a connection may be open although it should be closed.

    Nothing is posted without this. *keys*: the table of API keys. One read unit for each caller, a hundred in a call.
    """
    revoked = revocations.find_all(keys, (one.principal for one in found))
    none = revocations.Revocation()
    return [one for one in found if not revoked.get(one.principal, none).covers(one.issued_at)]


def of_principal(table: Table, principal: str) -> list[Connection]:
    """Return the connections of a caller in all companies, except ones younger than the index (about a second)."""
    is_theirs = Key(Connection.name_of("principal")).eq(principal)
    condition = is_theirs & Key(SORT_KEY).begins_with(Connection.sort_key(""))
    keys: list[Attributes] = []
    start: Attributes | None = None
    while True:
        items, start = table.query(PRINCIPAL_INDEX, condition, start=start)
        keys += [{name: item[name] for name in (PARTITION_KEY, SORT_KEY)} for item in items]
        if start is None:
            return [Connection.read(item) for item in table.get_many(keys)]


def key_of(table: Table, connection_id: str) -> Attributes | None:
    """Return the key of a connection by its id; None if it is unknown, or younger than the index (about a second)."""
    condition = Key(Connection.name_of("connection_id")).eq(connection_id)
    items, _ = table.query(CONNECTION_INDEX, condition, limit=1)
    return {name: items[0][name] for name in (PARTITION_KEY, SORT_KEY)} if items else None


def heard(table: Table, key: Attributes, *, every_ms: int) -> Connection | None:
    """
    Store that a message of a connection is relayed now, and return the connection.

    None if the previous one was relayed less than *every_ms* ago, or the connection is closed.
    """
    now = clock.now_ms()
    heard_at = Connection.attr("heard_at")
    rested = heard_at.not_exists() | heard_at.lte(now - every_ms)
    try:
        stored = table.update(
            key,
            put=Connection.named(heard_at=now),
            when=Connection.attr("connection_id").exists() & rested,
        )
    except ConditionFailed:
        return None
    connection = Connection.read(stored)
    return None if clock.is_over(connection.ttl) else connection


def show(table: Table, key: Attributes, shown: str | None) -> None:
    """Store which conversation the client of a connection shows; None: none. A closed connection is left out."""
    with suppress(ConditionFailed):
        table.update(
            key,
            put=Connection.named(shown=shown),
            drop=() if shown else (Connection.name_of("shown"),),
            when=Connection.attr("connection_id").exists(),
        )


def remove(table: Table, key: Attributes) -> None:
    """Delete a connection. Safe to repeat."""
    table.delete(key)
