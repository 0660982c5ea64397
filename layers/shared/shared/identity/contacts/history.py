"""
The history of a contact: one item per change by people, which names fields and holds no value.

An item is written in the transaction of its change, so that neither exists without the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from boto3.dynamodb.conditions import Key

from shared.aws.tables.merged_lists import MergedList
from shared.identity.contacts.items import CHANGE_DAYS, Change, Profile
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Collection

    from shared.aws.dynamodb import Attributes, Table
    from shared.identity.contacts.items import Record, What


@dataclass(frozen=True, slots=True)
class Act:
    """A request of the principal *by*; *cause* is its hash, the same for each repeat."""

    cause: str
    by: str


def written(
    table: Table,
    contact: tuple[str, str],
    what: What,
    act: Act,
    *,
    at: str,
    fields: Collection[str] = (),
) -> Attributes:
    """Return the write, for a transaction, of a change of a *contact* (company, id) at this time (ISO 8601)."""
    change = Change(
        **Change.key(*contact, Change.sort_of(clock.from_text(at), act.cause)),
        company_id=contact[0],
        what=what,
        by=act.by,
        at=at,
        fields=set(fields),
        ttl=clock.expires_in(CHANGE_DAYS * clock.DAY_SECONDS),
    )
    return table.to_put(change.attributes())


def page[Kept: Record](
    table: Table, person: Profile, kind: type[Kept], limit: int, before: str | None
) -> list[Kept]:
    """
    Return up to *limit* records of a contact and of all contacts merged into it, newest first, strongly consistent.

    *before*: the sort key of the last record of the page before.
    """
    names = [person.contact_id, *sorted(person.members)]
    listed = MergedList(
        item=kind,
        index=None,
        field="pk",
        order="sk",
        partitions=[Profile.key(person.company_id, one)["pk"] for one in names],
    )
    end = before or f"{kind.prefix()}~"
    where = Key(kind.name_of("sk")).between(kind.prefix(), end)
    found = listed.entries(table, limit=limit + 1, where=where)
    return list(islice((one for one in found if one.sk < end), limit))
