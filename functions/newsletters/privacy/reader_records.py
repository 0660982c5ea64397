"""
Stored data of an address as a reader: sign-ups, choices, evidence of consent, times of sign-ups.

An erasure removes it first, so that no worker makes a contact of it any more; the state of consent stays under the
keyed hash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from boto3.dynamodb.conditions import Key

from newsletters.store.items import Signup
from newsletters.store.items.item import PARTITION_KEY, SORT_KEY
from shared.aws.tables.dynamodb_json import plain
from shared.identity.keyed_hashes import address_hashes
from shared.privacy.inventory import Found, Page

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

KIND: Final = "reader_records"
_A_PAGE: Final = 50


def page(table: Table, company: str, address: str, start: Attributes | None) -> Page:
    """Return a page of the records of an address, over all identifier keys."""
    partitions = [Signup.partition_of(company, one) for one in address_hashes(address)]
    own = str(start[PARTITION_KEY]) if start else partitions[0]
    rows, last = table.query(None, Key(PARTITION_KEY).eq(own), limit=_A_PAGE, start=_key(start))
    found = [Found(KIND, f"{row[PARTITION_KEY]} {row[SORT_KEY]}") for row in rows]
    if last is not None:
        return Page(found, {name: last[name] for name in (PARTITION_KEY, SORT_KEY)})
    following = partitions[partitions.index(own) + 1 :] if own in partitions else []
    return Page(found, {PARTITION_KEY: following[0]} if following else None)


def remove(table: Table, found: Found) -> None:
    """Delete a record. Safe to repeat."""
    table.delete(_of(found))


def line(table: Table, found: Found) -> dict[str, object] | None:
    """Return a record for an export; None if it has gone."""
    item = table.get(_of(found))
    return {"kind": KIND, "item": plain(item)} if item else None


def _key(start: Attributes | None) -> Attributes | None:
    """Return the key behind which a partition is read; None for its beginning."""
    return start if start and SORT_KEY in start else None


def _of(found: Found) -> Attributes:
    partition, _, sort = found.key.partition(" ")
    return {PARTITION_KEY: partition, SORT_KEY: sort}
