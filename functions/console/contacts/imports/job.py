"""The job of an import: the next rows of the file in each step, and what they have done in one write."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from console.contacts.imports import files
from console.contacts.imports.files import FileMissing, Layout
from console.contacts.imports.people import ImportedPeople
from console.contacts.imports.rows import Reading, RowRefused
from console.search.contacts import ContactSearch
from console.store.contacts import imports as contact_imports
from console.store.contacts import work as contact_work
from shared.api.auth import Caller
from shared.identity.contacts import attributes
from shared.runtime.csv_files import Unreadable
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from console.api.inbox import InboxDependencies
    from console.contacts.imports.people import Plan
    from console.contacts.imports.rows import Row
    from console.store.contacts.imports import Import, ImportEnd
    from console.store.contacts.work import OpenWork
    from shared.aws.s3 import Bucket
    from shared.policy.consent.records import Consents
    from shared.runtime.csv_files import Record

SAVED_EVERY: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportDependencies:
    """The inbox and the contacts, the records of consent, and the bucket of the files."""

    inbox: InboxDependencies
    consents: Consents
    bucket: Bucket

    def people(self, found: Import, by: str, *, fills: bool) -> ImportedPeople:
        """Return the contacts of a company as an import finds and changes them, which *by* has started."""
        company = found.company_id
        caller = Caller(company=company, scopes=frozenset(), principal=by)
        search = ContactSearch(self.inbox.table, self.inbox.contacts, caller)
        import_id, erased = found.import_id, found.erased
        return ImportedPeople(search, self.consents, company, import_id, by, fills, erased)


@dataclass(slots=True)
class ImportSteps:
    """
    The steps of a run. *work* is the job as it was stored last.

    A contact is changed by one row of a step only: so a run that repeats a step finds each contact as an earlier one
    has left it, and reports the same.
    """

    deps: ImportDependencies
    work: OpenWork
    rows: Iterator[Record] | None = None
    waiting: Record | None = None  # was read, and belongs to the next step
    reading: Reading | None = field(default=None, repr=False)

    def step(self) -> bool:
        """Import the next rows; return whether the import has ended. People may stop it before each step."""
        table = self.deps.inbox.contacts
        found = contact_imports.get(table, self.work.company_id, self.work.object_id)
        if found is None:
            contact_work.finish(table, self.work)
            return True
        if found.is_stopping:
            return self._ended(found, "stopped")
        try:
            done, last = self._done(found)
        except FileMissing:
            return self._ended(found, "file_missing")
        except Unreadable:
            return self._ended(found, "file_unreadable")
        except BaseException:
            self.rows = self.waiting = None  # read again from the stored position
            raise
        if last is None:
            return self._ended(found, "done")
        self._save(found, done, last)
        return False

    def _done(self, found: Import) -> tuple[list[dict[str, Any]], Record | None]:
        """Import the rows of a step; return what each has done, and the last one."""
        if self.rows is None:
            self.rows = self._records(found)
        people = self.deps.people(found, str(found.started_by), fills=found.fills)
        done: list[dict[str, Any]] = []
        touched: set[str] = set()
        last = None
        for _ in range(SAVED_EVERY):
            record = self.waiting or next(self.rows, None)
            self.waiting = None
            if record is None:
                break
            try:
                row = self._reading(found).row(record)
                plan = people.plan(row)
                if plan.person is not None and plan.person.contact_id in touched:
                    self.waiting = record
                    break
                contact_id = self._apply(found, people, row, plan)
                touched.add(contact_id)
                of_list = {"contact": contact_id} if found.list_id is not None else {}
                done.append({"line": record.line, "outcome": plan.outcome, **of_list})
            except RowRefused as refusal:
                done.append(refused(record.line, refusal))
            last = record
        return done, last

    def _apply(self, found: Import, people: ImportedPeople, row: Row, plan: Plan) -> str:
        person = people.apply(row, plan)
        if found.list_id is not None:
            people.join(found.list_id, person)
        if found.consent is not None:
            people.attest(row, found.consent, person)
        return person.contact_id

    def _records(self, found: Import) -> Iterator[Record]:
        layout = Layout(
            encoding=found.encoding,
            start=found.start,
            line=found.line,
            delimiter=found.delimiter,
            header=tuple(found.columns),
        )
        progress = self.work.progress
        position = int(progress.get("position", found.start))
        line = int(progress.get("line", found.line))
        key = files.key_of(found.company_id, found.import_id, str(found.cause))
        return files.rows_from(self.deps.bucket, key, layout, position, line)

    def _reading(self, found: Import) -> Reading:
        if self.reading is None:
            known = attributes.of_company(self.deps.inbox.contacts, found.company_id)
            self.reading = Reading([one or None for one in found.columns], found.region, known)
        return self.reading

    def _save(self, found: Import, done: list[dict[str, Any]], last: Record) -> None:
        table, counts = self.deps.inbox.contacts, self._counts(done)
        first = sum(counts.values()) - len(done)
        progress = {"counts": counts, "position": last.end, "line": last.last_line}
        written = contact_imports.rows_written(table, found, first, done)
        self.work = contact_work.save(table, self.work, progress, written)

    def _ended(self, found: Import, outcome: ImportEnd) -> bool:
        table, counts = self.deps.inbox.contacts, self._counts([])
        written = contact_imports.end_written(table, found, outcome, counts)
        contact_work.finish(table, self.work, written)
        for cause in ("", str(found.cause)):
            self.deps.bucket.delete(files.key_of(found.company_id, found.import_id, cause))
        facts = {"company": found.company_id, "import": found.import_id, "outcome": outcome}
        logger.info("import ended", extra=facts | {"count": sum(counts.values())})
        return True

    def _counts(self, done: list[dict[str, Any]]) -> dict[str, int]:
        stored = {name: int(count) for name, count in self.work.progress.get("counts", {}).items()}
        return dict(Counter(stored) + Counter(str(one["outcome"]) for one in done))


def refused(line: int, refusal: RowRefused) -> dict[str, Any]:
    """Return what a refused row has done."""
    place = {"column": refusal.column} if refusal.column else {}
    return {"line": line, "outcome": "refused", "rule": refusal.rule, **place}
