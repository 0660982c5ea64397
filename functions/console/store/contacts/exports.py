"""Exports of contacts, in the table of the contacts, kept for a month; their files are kept for a day."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal

from pydantic import Field

from console.store.contacts.work import OpenWork
from shared.aws.dynamodb import TransactionRefused
from shared.aws.tables.items import Item, filled
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

KEPT_DAYS: Final = 30

type ExportFormat = Literal["csv", "jsonl"]


class Export(Item):
    """
    An export of contacts of a company: all, the members of a list, or the ones that fit filters, as its author
    may see them (`scopes`, `projects`). `finished_at` is when its file was whole, `total` how many contacts it has.
    """

    pk_pattern: ClassVar[str] = "EXPORT#{company}#{id}"
    sk_pattern: ClassVar[str] = "EXPORT"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = KEPT_DAYS

    pk: str
    sk: str = sk_pattern
    company_id: str
    export_id: str
    format: ExportFormat
    list_id: str | None = None
    label: str | None = Field(default=None, repr=False)
    owner: str | None = Field(default=None, repr=False)
    attribute: str | None = Field(default=None, repr=False)
    requested_at: str
    requested_by: str
    scopes: set[str]
    projects: set[str]
    total: int | None = None
    finished_at: str | None = None
    ttl: int

    @classmethod
    def key_of(cls, company: str, export_id: str) -> Attributes:
        """Return the whole key of an export."""
        return {"pk": filled(cls.pk_pattern, company, export_id), "sk": cls.sk_pattern}

    @property
    def work(self) -> OpenWork:
        """The item of its job, as it begins."""
        return OpenWork.of(self.company_id, "export", self.export_id)


def get(table: Table, company: str, export_id: str) -> Export | None:
    """Return an export (strongly consistent); None if there is none, or not any more."""
    item = table.get(Export.key_of(company, export_id))
    found = Export.read(item) if item else None
    return None if found is None or clock.is_over(found.ttl) else found


def begin(table: Table, asked: Export) -> None:
    """Store an export and its job at once. Safe to repeat: one that exists stays."""
    is_new = Export.attr("export_id").not_exists()
    try:
        table.transact(
            table.to_put(asked.attributes(), when=is_new), table.to_put(asked.work.attributes())
        )
    except TransactionRefused:
        return


def end_written(table: Table, found: Export, total: int) -> Attributes:
    """Return the write, for a transaction, of the end of an export."""
    put = Export.named(total=total, finished_at=clock.to_text(clock.now_ms()))
    return table.to_update(Export.key_of(found.company_id, found.export_id), put=put)
