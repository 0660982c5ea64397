"""
Jobs on contacts that go on after the answer: which are open, over all companies, and how far they are.

The item of a job is written in the one transaction that makes the job, and removed with its last write. A run holds it
by a lease, and each write of the run names its owner.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal

from boto3.dynamodb.conditions import Key
from pydantic import Field

from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.tables import leases
from shared.aws.tables.items import Item, filled
from shared.aws.tables.leases import LeaseAttributes, LeaseLost, Leases

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shared.aws.dynamodb import Attributes, Table

OPEN_A_READ: Final = 100
# Of a company: each has a run at a time, and all companies share the runs of the account.
MOST_OPEN: Final = 10
NEW: Final = "new"  # stands for the owner until a run has taken the job over

type WorkKind = Literal["list", "import", "export", "undo"]


class OpenWork(Item):
    """
    A list whose members are being removed, an import, its undoing, or an export. `progress` is how far it is, in the
    words of its kind. A run holds it by a lease (`owner`, `lease_until`).
    """

    pk_pattern: ClassVar[str] = "OPEN_WORK"
    of_company_pattern: ClassVar[str] = "{company}#"
    sk_pattern: ClassVar[str] = of_company_pattern + "{kind}#{id}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = None

    pk: str = pk_pattern
    sk: str
    company_id: str
    kind: WorkKind
    object_id: str
    progress: Annotated[dict[str, Any], Field(default_factory=dict)]
    owner: str | None = NEW
    lease_until: int | None = 0  # ms since 1970

    @classmethod
    def of(cls, company: str, kind: WorkKind, object_id: str) -> OpenWork:
        """Return the item of a new job."""
        return cls(
            sk=filled(cls.sk_pattern, company, kind, object_id),
            company_id=company,
            kind=kind,
            object_id=object_id,
            progress={},
        )

    @classmethod
    def key_of(cls, company: str, kind: str, object_id: str) -> Attributes:
        """Return the key of a job."""
        return {"pk": cls.pk_pattern, "sk": filled(cls.sk_pattern, company, kind, object_id)}

    def key(self) -> Attributes:
        """Return the key of the item."""
        return {"pk": self.pk, "sk": self.sk}


def opened(table: Table) -> Iterator[OpenWork]:
    """Yield the open jobs of all companies. Reads OPEN_A_READ in a call."""
    start = None
    while True:
        listed = Key("pk").eq(OpenWork.pk_pattern)
        items, start = table.query(None, listed, limit=OPEN_A_READ, start=start)
        yield from map(OpenWork.read, items)
        if start is None:
            return


class TooManyOpen(Exception):
    """The company has MOST_OPEN jobs that have not ended."""


def require_room(table: Table, company: str) -> None:
    """Raise TooManyOpen unless a company may begin a job; at the same time it may begin a few more."""
    if not has_room(table, company):
        raise TooManyOpen(f"a company has at most {MOST_OPEN} open jobs on contacts")


def has_room(table: Table, company: str) -> bool:
    """Whether a company has fewer than MOST_OPEN open jobs. One read."""
    return len(of_company(table, company)) < MOST_OPEN


def of_company(table: Table, company: str) -> list[OpenWork]:
    """Return the open jobs of a company. One read."""
    prefix = OpenWork.of_company_pattern.format(company=company)
    listed = Key("pk").eq(OpenWork.pk_pattern) & Key("sk").begins_with(prefix)
    items, _ = table.query(None, listed, limit=2 * MOST_OPEN)
    return list(map(OpenWork.read, items))


def get(table: Table, company: str, kind: str, object_id: str) -> OpenWork | None:
    """Return a job; None once it has ended."""
    item = table.get(OpenWork.key_of(company, kind, object_id))
    return OpenWork.read(item) if item else None


def held(table: Table, work: OpenWork, owner: str, remaining_ms: int) -> OpenWork:
    """Take a job over for a run, and return it. Raises Held and Finished."""
    mine = OpenWork.named(owner=owner, lease_until=leases.expiry(remaining_ms))
    return OpenWork.read(_leases(table).take_over(work.key(), work.attributes(), mine))


def save(
    table: Table, work: OpenWork, progress: Mapping[str, Any], *beside: Attributes
) -> OpenWork:
    """Store how far a job is, with the writes *beside*, in one transaction, and return it. Raises LeaseLost."""
    owned = OpenWork.attr("owner").eq(work.owner)
    put = OpenWork.named(progress=dict(progress))
    try:
        table.transact(table.to_update(work.key(), put=put, when=owned), *beside)
    except TransactionRefused:
        raise LeaseLost from None
    return work.model_copy(update={"progress": dict(progress)})


def finish(table: Table, work: OpenWork, *beside: Attributes) -> None:
    """End a job, with the writes *beside*, in one transaction. Raises LeaseLost."""
    owned = OpenWork.attr("owner").eq(work.owner)
    try:
        if beside:
            table.transact(table.to_delete(work.key(), when=owned), *beside)
        else:
            table.delete(work.key(), when=owned)
    except (ConditionFailed, TransactionRefused):
        raise LeaseLost from None


def release(table: Table, work: OpenWork) -> None:
    """End the lease of this run: the next one continues."""
    _leases(table).release(work.key(), str(work.owner))


def _leases(table: Table) -> Leases:
    names = LeaseAttributes(OpenWork.name_of("owner"), OpenWork.name_of("lease_until"))
    return Leases(table, names)
