"""The job of an export: a page of contacts in each step, then its file of all pages, 5 MB in a step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from console.contacts import contacts
from console.contacts.exports import formats
from console.contacts.exports.sources import People
from console.search.contacts import ContactSearch
from console.search.filters import Filters
from console.store.contacts import exports as contact_exports
from console.store.contacts import work as contact_work
from shared.api.auth import Caller
from shared.contacts.lists import ListNotFound
from shared.identity.contacts import attributes
from shared.privacy.exports import ExportFolder
from shared.runtime.observability import logger

if TYPE_CHECKING:
    from console.api.inbox import InboxDependencies
    from console.contacts.exports.sources import PeoplePage
    from console.contacts.views import ContactView
    from console.store.contacts.exports import Export
    from console.store.contacts.work import OpenWork
    from shared.aws.s3 import Bucket

PAGE: Final = 50
TYPES: Final = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportDependencies:
    """The inbox and the contacts, and the bucket of the files."""

    inbox: InboxDependencies
    bucket: Bucket

    def folder(self, found: Export) -> ExportFolder:
        """Return the folder of an export, below the prefix of its company."""
        prefix = f"contacts/{found.company_id}/exports/{found.export_id}/"
        return ExportFolder(self.bucket, prefix, f"contacts.{found.format}", TYPES[found.format])


@dataclass(slots=True)
class ExportSteps:
    """The steps of a run. *work* is the job as it was stored last; each step is safe to repeat."""

    deps: ExportDependencies
    work: OpenWork
    found: Export | None = None

    def step(self) -> bool:
        """Write the next page, or join pages to the file; return whether the export has ended."""
        table = self.deps.inbox.contacts
        if self.found is None:
            self.found = contact_exports.get(table, self.work.company_id, self.work.object_id)
        if self.found is None:
            contact_work.finish(table, self.work)
            return True
        if not self.work.progress.get("is_read"):
            self._write_page(self.found)
            return False
        return self._joined(self.found)

    def _write_page(self, found: Export) -> None:
        progress = self.work.progress
        number, total = int(progress.get("page", 0)), int(progress.get("total", 0))
        page = self._page(found, progress)
        shown = self._shown(found, page) if page is not None else []
        self._put(found, number, shown)
        after = page.after if page is not None else None
        stored: dict[str, Any] = {"page": number + 1, "total": total + len(shown)}
        stored |= {"after": after} if after is not None else {"is_read": True}
        self.work = contact_work.save(self.deps.inbox.contacts, self.work, stored)

    def _page(self, found: Export, progress: dict[str, Any]) -> PeoplePage | None:
        """Return the next page; None if the list was removed meanwhile."""
        people = People(self.deps.inbox.contacts, found.company_id, found.list_id, _filters(found))
        try:
            return people.page(progress.get("after"), PAGE)
        except ListNotFound:
            return None

    def _shown(self, found: Export, page: PeoplePage) -> list[ContactView]:
        inbox = self.deps.inbox
        caller = Caller(
            company=found.company_id,
            scopes=frozenset(found.scopes),
            principal=found.requested_by,
            projects=frozenset(found.projects),
        )
        search = ContactSearch(inbox.table, inbox.contacts, caller)
        visible = [one for each in page.people if (one := search.shown(each)) is not None]
        filters = _filters(found)
        return contacts.views_of(inbox, [one for one in visible if filters.fit(one.described)])

    def _put(self, found: Export, number: int, shown: list[ContactView]) -> None:
        folder = self.deps.folder(found)
        if found.format == "jsonl":
            folder.put_text(number, formats.json_lines(shown))
            return
        known = attributes.of_company(self.deps.inbox.contacts, found.company_id)
        names = sorted(known.definitions)
        begin = formats.header(names) if number == 0 else ""
        folder.put_text(number, begin + formats.csv_lines(shown, names))

    def _joined(self, found: Export) -> bool:
        table, progress = self.deps.inbox.contacts, self.work.progress
        joining = self.deps.folder(found).join(progress.get("joining"))
        if joining is not None:
            self.work = contact_work.save(table, self.work, {**progress, "joining": joining})
            return False
        total = int(progress["total"])
        contact_work.finish(table, self.work, contact_exports.end_written(table, found, total))
        facts = {"company": found.company_id, "export": found.export_id, "count": total}
        logger.info("contacts exported", extra=facts | {"principal": found.requested_by})
        return True


def _filters(found: Export) -> Filters:
    return Filters(found.label, found.owner, found.attribute)
