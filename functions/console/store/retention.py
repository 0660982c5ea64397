"""Retention of idle people in a context, set by companies, in the table of the contacts: one item for each company."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from boto3.dynamodb.conditions import Key
from pydantic import Field

from shared.aws.audited import audited
from shared.aws.dynamodb import ConditionFailed
from shared.aws.tables.items import Item, filled
from shared.identity.contacts.details import VersionConflict

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shared.aws.dynamodb import Attributes, Table


@audited(maps=("days", "proposed"))
class Retention(Item):
    """
    The days after which a person without a message leaves a context, by context; a context that is absent keeps people.

    `proposed` are days that one administrator has set and another one has to set again, by `proposed_by`. `positions`
    say where the next look at the lists of the inbox begins, by context: the `activity` of an entry. `requested` counts
    the requests that were made.
    """

    pk_pattern: ClassVar[str] = "RETENTION"
    sk_pattern: ClassVar[str] = "{company}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str = pk_pattern
    sk: str
    company_id: str
    version: int = 0
    days: dict[str, int] = Field(default_factory=dict)
    changed_at: str | None = None
    changed_by: str | None = None
    proposed: dict[str, int] | None = None
    proposed_by: str | None = None
    positions: dict[str, str] = Field(default_factory=dict)
    requested: int = 0
    looked_at: str | None = None

    @classmethod
    def key_of(cls, company: str) -> Attributes:
        """Return the whole key of a company's item."""
        return {"pk": cls.pk_pattern, "sk": filled(cls.sk_pattern, company)}


def of_company(table: Table, company: str) -> Retention:
    """Return what a company has set (strongly consistent), or an item that keeps all."""
    key = Retention.key_of(company)
    item = table.get(key)
    return Retention.read(item) if item else Retention(**key, company_id=company)


def replace(table: Table, retention: Retention, **fields: object) -> Retention:
    """
    Write the next version and return it; looks begin anew, and what was requested is counted on. Raises VersionConflict
    after another change.
    """
    version = Retention.attr("version")
    changed = {"company_id": retention.company_id, **fields, "version": retention.version + 1}
    put = {name: value for name, value in changed.items() if value is not None}
    drop = [name for name, value in changed.items() if value is None]
    try:
        stored = table.update(
            Retention.key_of(retention.company_id),
            put=Retention.named(**put),
            drop=[Retention.name_of(name) for name in (*drop, "positions")],
            when=version.not_exists() | version.eq(retention.version),
        )
    except ConditionFailed:
        raise VersionConflict("version: the days have changed; read them again") from None
    return Retention.read(stored)


def note_look(table: Table, retention: Retention, positions: dict[str, str], at: str) -> None:
    """Record where the next look begins; nothing after a change of the days, which begins anew."""
    try:
        table.update(
            Retention.key_of(retention.company_id),
            put=Retention.named(positions=positions, looked_at=at),
            when=Retention.attr("version").eq(retention.version),
        )
    except ConditionFailed:
        return


def count_request(table: Table, company: str) -> Attributes:
    """Return the write that counts a request, for the transaction that makes it."""
    return table.to_update(Retention.key_of(company), add=Retention.named(requested=1))


def all_set(table: Table) -> Iterator[Retention]:
    """Yield the companies that have set days, those first that were looked at least recently."""
    found: list[Retention] = []
    start: Attributes | None = None
    while True:
        items, start = table.query(None, Key("pk").eq(Retention.pk_pattern), start=start)
        found += [one for one in map(Retention.read, items) if one.days]
        if start is None:
            break
    yield from sorted(found, key=lambda one: one.looked_at or "")
