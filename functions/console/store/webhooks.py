"""Access patterns of webhooks and their deliveries, in the live table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables import leases
from shared.aws.tables.leases import LeaseAttributes, LeaseLost, Leases
from shared.inbox.lists import partitions
from shared.inbox.live.items import PARTITION_KEY
from shared.inbox.notifications.webhooks.items import Due, Logged, Waiting, Webhook
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shared.aws.dynamodb import Attributes, Table

MOST: Final = 10  # webhooks of a company
A_PAGE: Final = 100  # waiting deliveries that are read at once: about 25 KB, seven read units
MOST_PAGES: Final = 10
_DUE_A_READ: Final = 100


def of_company(table: Table, company: str) -> list[Webhook]:
    """Return the webhooks of a company, in the order of their ids."""
    items, _ = table.query(None, Key(PARTITION_KEY).eq(Webhook.partition(company)))
    return [Webhook.read(item) for item in items]


def get(table: Table, company: str, webhook: str) -> Webhook | None:
    """Return a webhook; None if the company has none with this id."""
    item = table.get(Webhook.key(company, webhook))
    return Webhook.read(item) if item else None


def create(table: Table, new: Webhook) -> Webhook:
    """Store a webhook unless there is one with its id; return the stored one."""
    try:
        table.put(new.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        return Webhook.read(refusal.existing or new.attributes())
    return new


def change(
    table: Table, webhook: Webhook, *, put: dict[str, Any] | None = None, drop: Sequence[str] = ()
) -> Webhook | None:
    """Change fields of a webhook, and return it; None if it was removed meanwhile."""
    try:
        item = table.update(
            webhook.own_key,
            put=Webhook.named(**(put or {})),
            drop=[Webhook.name_of(name) for name in drop],
            when=Webhook.attr("created_at").exists(),
        )
    except ConditionFailed:
        return None
    return Webhook.read(item)


def remove(table: Table, webhook: Webhook) -> None:
    """Delete a webhook; its deliveries expire. Safe to repeat."""
    table.delete(webhook.own_key)


def publish(inbox: Table, table: Table, company: str) -> None:
    """Let the feeds know which webhooks of a company are active, and what they want. Safe to repeat."""
    partitions.set_webhooks(
        inbox,
        company,
        lambda: {one.sk: one.wanted for one in of_company(table, company) if one.state == "active"},
    )


def held(table: Table, webhook: Webhook, owner: str, remaining_ms: int) -> Webhook:
    """Take a webhook over for a run, and return it. Raises Held."""
    mine = Webhook.named(owner=owner, lease_until=leases.expiry(remaining_ms))
    taken = _leases(table).take_over(webhook.own_key, webhook.attributes(), mine)
    return Webhook.read(taken)


def release(table: Table, webhook: Webhook) -> None:
    """End the lease of this run: the next one continues."""
    _leases(table).release(webhook.own_key, webhook.owner)


def note(
    table: Table, webhook: Webhook, *, put: dict[str, Any] | None = None, drop: Sequence[str] = ()
) -> Webhook:
    """Store how deliveries go, for the run that holds the webhook. Raises LeaseLost."""
    try:
        item = table.update(
            webhook.own_key,
            put=Webhook.named(**(put or {})),
            drop=[Webhook.name_of(name) for name in drop],
            when=Webhook.attr("owner").eq(webhook.owner),
        )
    except ConditionFailed:
        raise LeaseLost from None
    return Webhook.read(item)


def waiting(table: Table, webhook: Webhook) -> Iterator[Waiting]:
    """Yield the waiting deliveries of a webhook, oldest first, also expired ones: MOST_PAGES pages at most."""
    partition = Waiting.partition(webhook.company, webhook.sk)
    start: Attributes | None = None
    for _ in range(MOST_PAGES):
        listed = Key(PARTITION_KEY).eq(partition)
        items, start = table.query(None, listed, limit=A_PAGE, start=start)
        yield from map(Waiting.read, items)
        if start is None:
            return


def log(table: Table, logged: Logged) -> None:
    """Store how an attempt ended. Safe to repeat."""
    table.put(logged.attributes())


def logged(table: Table, company: str, webhook: str, delivery: str) -> Logged | None:
    """Return a delivery of the log."""
    item = table.get(Logged.key(company, webhook, delivery))
    return Logged.read(item) if item else None


def log_page(
    table: Table, webhook: Webhook, *, limit: int, start: Attributes | None
) -> tuple[list[Logged], Attributes | None]:
    """Return a page of the log, newest first, and the key to continue from."""
    partition = Logged.partition(webhook.company, webhook.sk)
    items, last = table.query(
        None, Key(PARTITION_KEY).eq(partition), limit=limit, start=start, newest_first=True
    )
    return [one for one in map(Logged.read, items) if not clock.is_over(one.ttl)], last


def due(table: Table) -> Iterator[Due]:
    """Yield what is due, of all companies, also later."""
    start: Attributes | None = None
    while True:
        listed = Key(PARTITION_KEY).eq(Due.pk_pattern)
        items, start = table.query(None, listed, limit=_DUE_A_READ, start=start)
        yield from map(Due.read, items)
        if start is None:
            return


def due_of(table: Table, company: str, webhook: str) -> Due | None:
    """Return what is due for a webhook."""
    item = table.get(Due.key(company, webhook))
    return Due.read(item) if item else None


def settled(
    table: Table, company: str, webhook: str, *, seen: Due | None, at_ms: int | None
) -> bool:
    """
    Store that nothing is due for a webhook before *at_ms*, None: nothing at all; False if a feed has stored a delivery
    since *seen* was read.
    """
    token = Due.attr("token")
    same = token.eq(seen.token) if seen is not None else token.not_exists()
    try:
        if at_ms is not None:
            table.put(Due.of(company, webhook, at_ms).attributes(), when=same)
        elif seen is not None:
            table.delete(Due.key(company, webhook), when=same)
        else:
            return due_of(table, company, webhook) is None
    except ConditionFailed:
        return False
    return True


def _leases(table: Table) -> Leases:
    names = LeaseAttributes(Webhook.name_of("owner"), Webhook.name_of("lease_until"))
    return Leases(table, names)
