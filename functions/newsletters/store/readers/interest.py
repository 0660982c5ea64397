"""Since when readers have shown interest, by the keyed hashes of their addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.store.items import Interest
from newsletters.store.items.item import PARTITION_KEY
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Table


def note(table: Table, company_id: str, recipient: str, at: str) -> None:
    """Note that a reader has shown interest; the first time stays. Idempotent. One write unit."""
    ttl = clock.expires_in(Interest.ttl_days * clock.DAY_SECONDS)
    key = Interest.key(company_id, recipient)
    table.update(key, put_once=Interest.named(since=at), put=Interest.named(ttl=ttl))


def since(table: Table, company_id: str, recipients: Sequence[str]) -> dict[str, str]:
    """Return since when readers have shown interest, of those who have. One read of at most 100 items."""
    keys = {one: Interest.key(company_id, one) for one in recipients}
    of = {key[PARTITION_KEY]: one for one, key in keys.items()}
    items = [*map(Interest.read, table.get_many([*keys.values()]) if keys else ())]
    return {of[one.PK]: one.since for one in items if not clock.is_over(one.ttl)}
