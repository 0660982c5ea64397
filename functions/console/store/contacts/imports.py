"""
Imports of contacts and what their rows have done, in the table of the contacts. They are kept for a month, and listed
in a partition of their own of the index of activity.

    new -> running -> done        `new`: the file is uploaded; `running`: the job (`contact_work`) has the counts so far
    done: undo running -> done    the job takes back the memberships that the import alone has made
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal

from boto3.dynamodb.conditions import Key
from pydantic import BaseModel, ConfigDict, Field

from console.store.contacts import work
from console.store.contacts.work import OpenWork
from shared.aws.dynamodb import ConditionFailed, TransactionRefused
from shared.aws.tables.items import Item, filled
from shared.identity.contacts.items import ACTIVITY_INDEX
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Collection

    from shared.aws.dynamodb import Attributes, Table

KEPT_DAYS: Final = 30

type ImportStage = Literal["new", "running", "done"]
type UndoStage = Literal["running", "done"]
type ImportEnd = Literal["done", "stopped", "file_missing", "file_unreadable"]


class Attested(BaseModel):
    """
    What the company attests for all rows: on which *channels* the people have agreed, have opted out, or are not
    reached, the *source* in its words, and since when.
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    state: Literal["opted_in", "opted_out", "unreachable"] = "opted_in"
    channels: set[str]
    source: str = Field(repr=False)
    given_at: str


class Import(Item):
    """
    An import of a company. `columns` are the fields of the file's columns, "" for one that is not imported; `start` and
    `line` are where the rows begin. `cause`: hash of the request that started it. Counts are there once it is done.
    With `is_stopping` its run ends it before the next rows. `undo_counts`: what became of the memberships of its rows.
    `erased`: while it runs, the ids of the profiles of people who were erased since; their rows are refused.
    """

    pk_pattern: ClassVar[str] = "IMPORT#{company}#{id}"
    sk_pattern: ClassVar[str] = "IMPORT"
    activity_pattern: ClassVar[str] = "IMPORTS#{company}"
    indexes: ClassVar[tuple[str, ...]] = (ACTIVITY_INDEX,)
    ttl_days: ClassVar[int | None] = KEPT_DAYS

    pk: str
    sk: str = sk_pattern
    company_id: str
    import_id: str
    activity_pk: str | None = None
    last_activity_at: str | None = None  # when it was created: the place in the list
    stage: ImportStage = "new"
    is_stopping: bool = False
    erased: Annotated[set[str], Field(default_factory=set)]
    created_at: str
    created_by: str
    started_by: str | None = None
    cause: str | None = None
    columns: list[str] = Field(default_factory=list)
    encoding: str = ""
    delimiter: str = ""
    start: int = 0
    line: int = 0
    total: int = 0
    region: str | None = None
    fills: bool = False
    list_id: str | None = None
    consent: Attested | None = None
    counts: Annotated[dict[str, int], Field(default_factory=dict)]
    outcome: ImportEnd | None = None
    finished_at: str | None = None
    undo: UndoStage | None = None
    undone_by: str | None = None
    undo_counts: Annotated[dict[str, int], Field(default_factory=dict)]
    ttl: int

    @classmethod
    def key_of(cls, company: str, import_id: str) -> Attributes:
        """Return the whole key of an import."""
        return {"pk": filled(cls.pk_pattern, company, import_id), "sk": cls.sk_pattern}


class ImportRows(Item):
    """
    What some rows of an import have done, in their order: `{line, outcome}`, with `column` and `rule` of a refused one,
    and `contact` if the import has a list; then `undone` of an import that was undone. `first` is the number of the
    first one.
    """

    pk_pattern: ClassVar[str] = Import.pk_pattern
    sk_pattern: ClassVar[str] = "ROWS#{first}"
    indexes: ClassVar[tuple[str, ...]] = ()
    ttl_days: ClassVar[int | None] = KEPT_DAYS

    pk: str
    sk: str
    company_id: str
    rows: list[dict[str, Any]]
    ttl: int

    @classmethod
    def sort_of(cls, first: int) -> str:
        """Return the sort key of the rows from this one on."""
        return filled(cls.sk_pattern, f"{first:07}")


def get(table: Table, company: str, import_id: str) -> Import | None:
    """Return an import (strongly consistent); None if there is none, or not any more."""
    item = table.get(Import.key_of(company, import_id))
    found = Import.read(item) if item else None
    return None if found is None or clock.is_over(found.ttl) else found


def add(table: Table, company: str, import_id: str, by: str) -> Import:
    """Store a new import. Safe to repeat: one that exists stays."""
    known = get(table, company, import_id)
    if known is not None:
        return known
    now = clock.to_text(clock.now_ms())
    made = Import(
        **Import.key_of(company, import_id),
        company_id=company,
        import_id=import_id,
        activity_pk=filled(Import.activity_pattern, company),
        last_activity_at=now,
        created_at=now,
        created_by=by,
        erased=set(),
        counts={},
        undo_counts={},
        ttl=clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS),
    )
    table.put(made.attributes())
    return made


def begin(table: Table, started: Import) -> bool:
    """Store an import that runs, and its job, at once; return False if it has been started already."""
    job = OpenWork.of(started.company_id, "import", started.import_id)
    is_new = Import.attr("stage").eq("new")
    try:
        table.transact(
            table.to_put(started.attributes(), when=is_new), table.to_put(job.attributes())
        )
    except TransactionRefused:
        return False
    return True


def begin_undo(table: Table, found: Import, by: str) -> bool:
    """Store that an import is being undone, and its job, at once; return False if that has begun before."""
    job = OpenWork.of(found.company_id, "undo", found.import_id)
    is_new = Import.attr("stage").eq("done") & Import.attr("undo").not_exists()
    put = Import.named(undo="running", undone_by=by)
    key = Import.key_of(found.company_id, found.import_id)
    try:
        table.transact(table.to_update(key, put=put, when=is_new), table.to_put(job.attributes()))
    except TransactionRefused:
        return False
    return True


def undo_end_written(table: Table, found: Import, counts: dict[str, int]) -> Attributes:
    """Return the write, for a transaction, of the end of an undoing."""
    put = Import.named(undo="done", undo_counts=counts)
    return table.to_update(Import.key_of(found.company_id, found.import_id), put=put)


def rows_after(table: Table, found: Import, after: str | None) -> ImportRows | None:
    """Return the next rows behind a sort key, None behind the last ones."""
    first = ImportRows.sort_of(0) if after is None else f"{after}~"
    last = f"{ImportRows.sk_pattern.partition('{')[0]}~"
    condition = Key("pk").eq(found.pk) & Key("sk").between(first, last)
    items, _ = table.query(None, condition, limit=1)
    return next(map(ImportRows.read, items), None)


def stop(table: Table, found: Import) -> None:
    """Ask the run of an import to end it; one that does not run stays as it is. Safe to repeat."""
    running = Import.attr("stage").eq("running")
    key = Import.key_of(found.company_id, found.import_id)
    with suppress(ConditionFailed):
        table.update(key, put=Import.named(is_stopping=True), when=running)


def refuse_erased(table: Table, company: str, ids: Collection[str]) -> None:
    """Store in the running imports of a company that people with these ids of profiles are erased. Safe to repeat."""
    if not ids:
        return
    running = Import.attr("stage").eq("running")
    for one in work.of_company(table, company):
        if one.kind == "import":
            key = Import.key_of(company, one.object_id)
            with suppress(ConditionFailed):
                table.update(key, add=Import.named(erased=set(ids)), when=running)


def page(
    table: Table, company: str, limit: int, start: Attributes | None
) -> tuple[list[Import], Attributes | None]:
    """Return imports of a company, newest first, and where the next page starts. One of the last second may miss."""
    listed = Key(Import.name_of("activity_pk")).eq(filled(Import.activity_pattern, company))
    items, last = table.query(ACTIVITY_INDEX, listed, limit=limit, start=start, newest_first=True)
    keys = [{"pk": item["pk"], "sk": item["sk"]} for item in items]
    stored = map(Import.read, table.get_many(keys) if keys else [])
    found = [one for one in stored if not clock.is_over(one.ttl)]
    return sorted(found, key=lambda one: one.created_at, reverse=True), last


def rows_written(table: Table, found: Import, first: int, rows: list[dict[str, Any]]) -> Attributes:
    """Return the write, for a transaction, of what rows from the number *first* on have done."""
    item = ImportRows(
        pk=found.pk,
        sk=ImportRows.sort_of(first),
        company_id=found.company_id,
        rows=rows,
        ttl=found.ttl,
    )
    return table.to_put(item.attributes())


def end_written(
    table: Table, found: Import, outcome: ImportEnd, counts: dict[str, int]
) -> Attributes:
    """Return the write, for a transaction, of the end of an import."""
    put = Import.named(
        stage="done",
        outcome=outcome,
        counts=counts,
        finished_at=clock.to_text(clock.now_ms()),
    )
    key, gone = Import.key_of(found.company_id, found.import_id), [Import.name_of("erased")]
    return table.to_update(key, put=put, drop=gone)


def rows_page(
    table: Table, found: Import, *, pages: int, after: str | None
) -> tuple[list[dict[str, Any]], str | None]:
    """Return what the rows of some pages have done, and the sort key of the last page if there are more."""
    first = ImportRows.sort_of(0) if after is None else f"{after}~"
    last = f"{ImportRows.sk_pattern.partition('{')[0]}~"
    condition = Key("pk").eq(found.pk) & Key("sk").between(first, last)
    items, start = table.query(None, condition, limit=pages)
    found_pages = [ImportRows.read(item) for item in items]
    rows = [row for page in found_pages for row in page.rows]
    return rows, found_pages[-1].sk if start is not None else None
