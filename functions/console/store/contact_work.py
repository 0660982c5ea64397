"""
Work on contacts that goes on after the answer: which is open, over all companies.

An item says that there is work, in the one transaction that makes it; the list or the import says how far it is. A run
removes the item once nothing is left. Runs may be started twice: each work is safe to repeat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, Literal

from boto3.dynamodb.conditions import Key

from shared.aws.tables.items import Item, filled

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

MOST_OPEN: Final = 50  # that one look finds

type WorkKind = Literal["list", "import"]


class OpenWork(Item):
    """A list whose members are being removed, or an import."""

    pk_pattern: ClassVar[str] = "OPEN_WORK"
    sk_pattern: ClassVar[str] = "{company}#{kind}#{id}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str = pk_pattern
    sk: str
    company_id: str
    kind: WorkKind
    object_id: str

    @classmethod
    def of(cls, company: str, kind: WorkKind, object_id: str) -> OpenWork:
        """Return the item of a work."""
        return cls(
            sk=filled(cls.sk_pattern, company, kind, object_id),
            company_id=company,
            kind=kind,
            object_id=object_id,
        )

    def key(self) -> Attributes:
        """Return the key of the item."""
        return {"pk": self.pk, "sk": self.sk}


def opened(table: Table) -> list[OpenWork]:
    """Return the open work of all companies; MOST_OPEN at most."""
    items, _ = table.query(None, Key("pk").eq(OpenWork.pk_pattern), limit=MOST_OPEN)
    return [OpenWork.read(item) for item in items]


def close(table: Table, work: OpenWork) -> None:
    """Remove work of which nothing is left. Safe to repeat."""
    table.delete(work.key())
