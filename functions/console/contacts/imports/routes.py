"""Routes of imports of contacts."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from console.contacts.imports import files, preview, start, undo
from console.contacts.imports.inputs import ColumnsInput, ImportsQuery, RowsQuery, StartInput
from console.contacts.imports.job import ImportDependencies
from console.contacts.imports.views import (
    ImportForm,
    ImportPreview,
    ImportRow,
    ImportRowList,
    ImportView,
    ImportViews,
    UndoView,
)
from console.jobs.contact_work import job_of
from console.jobs.runs import Runs
from console.store.contacts import imports as contact_imports
from console.store.contacts import work as contact_work
from console.store.contacts.imports import Import
from console.store.contacts.work import OpenWork
from shared.api.auth import Scope
from shared.api.cursors import Listing, Page
from shared.api.errors import Unprocessable
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.runtime import clock
from shared.runtime.csv_files import Unreadable

_IMPORTS, _IMPORT = "/contacts/imports", "/contacts/imports/{import_id}"
_SCOPE = Scope.CONTACTS_ADMIN
ID_DIGITS: Final = 32
FORM_SECONDS: Final = 900
PAGES_A_READ: Final = 10  # of rows, each of one step


class ImportNotFound(Exception):
    """The company has no such import, or not any more."""


class ImportStarted(Exception):
    """The import was started by another request."""


@dataclass(frozen=True, slots=True)
class ImportRoutes:
    """The routes over the resources of the API."""

    deps: ImportDependencies
    runs: Runs

    @route_methods.changes(f"POST {_IMPORTS}", _SCOPE)
    def create_import(self, request: Request[NoInput]) -> Callable[[], ImportForm]:
        """Begin an import: the form uploads its file, at most 50 MB of CSV with 100,000 rows."""
        company, import_id = request.caller.company, request.cause[:ID_DIGITS]

        def created() -> ImportForm:
            table = self.deps.inbox.contacts
            contact_imports.add(table, company, import_id, request.caller.principal)
            url, form = self.deps.bucket.upload_form(
                files.key_of(company, import_id),
                content_type=files.TYPE,
                largest_bytes=files.LARGEST_BYTES,
                seconds=FORM_SECONDS,
            )
            return ImportForm(
                import_id=import_id,
                url=url,
                fields=form,
                expires_at=clock.to_text(clock.now_ms() + FORM_SECONDS * clock.SECOND_MS),
                largest_bytes=files.LARGEST_BYTES,
            )

        return created

    @route_methods.reads(f"POST {_IMPORT}/preview", _SCOPE)
    def preview_import(self, request: Request[ColumnsInput], import_id: str) -> ImportPreview:
        """Show the columns of the uploaded file, proposals for their fields, and what the first ten rows would do."""
        found, body = self._found(request.caller.company, import_id), request.input
        try:
            return preview.of_file(self.deps, found, body, request.caller.principal)
        except Unreadable as refusal:
            raise _unreadable(refusal) from None

    @route_methods.changes(f"POST {_IMPORT}/start", _SCOPE, status=HTTPStatus.ACCEPTED)
    def start_import(
        self, request: Request[StartInput], import_id: str
    ) -> Callable[[], ImportView]:
        """
        Import all rows. Consent that the company attests needs `consent:write`, too.

        A file with an unreadable header or encoding, too many rows or no valid one is refused, and nothing is stored.
        """
        found = self._found(request.caller.company, import_id)
        if found.stage != "new":
            return lambda: self._begun(found, request.cause)
        contact_work.require_room(self.deps.inbox.contacts, found.company_id)
        try:
            started = start.checked(self.deps, found, request.input, request.caller, request.cause)
        except Unreadable as refusal:
            raise _unreadable(refusal) from None

        def begun() -> ImportView:
            contact_imports.begin(self.deps.inbox.contacts, started)
            return self._begun(self._found(found.company_id, import_id), request.cause)

        return begun

    @route_methods.changes(f"POST {_IMPORT}/stop", _SCOPE)
    def stop_import(self, request: Request[NoInput], import_id: str) -> Callable[[], ImportView]:
        """End an import that runs before its next rows. What its rows have done stays."""
        found = self._found(request.caller.company, import_id)

        def stopped() -> ImportView:
            contact_imports.stop(self.deps.inbox.contacts, found)
            return self._view(self._found(found.company_id, import_id))

        return stopped

    @route_methods.changes(f"POST {_IMPORT}/undo", _SCOPE, status=HTTPStatus.ACCEPTED)
    def undo_import(self, request: Request[NoInput], import_id: str) -> Callable[[], ImportView]:
        """
        Take the contacts out of the list whom an import alone has brought there, and take back the opt-ins that it has
        attested, for seven days. Contacts, their details and opt-outs stay, as do members whom people, a sign-up or
        another import have added, too.
        """
        found = self._found(request.caller.company, import_id)

        def begun() -> ImportView:
            undo.begin(self.deps.inbox.contacts, found, request.caller.principal)
            stored = self._found(found.company_id, import_id)
            if stored.undo == "running":
                self.runs.start(job_of(OpenWork.of(found.company_id, "undo", import_id)))
            return self._view(stored)

        return begun

    @route_methods.reads(f"GET {_IMPORTS}", _SCOPE)
    def list_imports(self, request: Request[ImportsQuery]) -> Page[ImportViews]:
        """List the imports of the last month, newest first."""
        company, query = request.caller.company, request.input
        listing, seal = Listing(company, "imports", ()), self.deps.inbox.seal
        start = listing.position(seal, query.cursor) if query.cursor else None
        found, last = contact_imports.page(self.deps.inbox.contacts, company, query.limit, start)
        result = ImportViews(imports=[self._view(one) for one in found])
        return Page(result, listing.cursor(seal, last) if last else None)

    @route_methods.reads(f"GET {_IMPORT}", _SCOPE)
    def get_import(self, request: Request[NoInput], import_id: str) -> ImportView:
        """Return an import and how far it is."""
        return self._view(self._found(request.caller.company, import_id))

    @route_methods.reads(f"GET {_IMPORT}/rows", _SCOPE)
    def list_import_rows(self, request: Request[RowsQuery], import_id: str) -> Page[ImportRowList]:
        """List what the rows of an import have done, all of them or the rows of one outcome, for a month."""
        found, query = self._found(request.caller.company, import_id), request.input
        listing = Listing(found.company_id, "import rows", (import_id, query.outcome or ""))
        seal = self.deps.inbox.seal
        after = listing.position(seal, query.cursor)["rows"] if query.cursor else None
        rows, last = contact_imports.rows_page(
            self.deps.inbox.contacts, found, pages=PAGES_A_READ, after=after
        )
        shown = [one for one in rows if query.outcome in {None, one["outcome"]}]
        result = ImportRowList(
            rows=[
                ImportRow(
                    line=one["line"],
                    outcome=one["outcome"],
                    column=one.get("column"),
                    rule=one.get("rule"),
                    undone=one.get("undone"),
                )
                for one in shown
            ]
        )
        return Page(result, listing.cursor(seal, {"rows": last}) if last else None)

    def _found(self, company: str, import_id: str) -> Import:
        is_id = len(import_id) == ID_DIGITS and import_id.isalnum()
        table = self.deps.inbox.contacts
        found = contact_imports.get(table, company, import_id) if is_id else None
        if found is None:
            raise ImportNotFound("no such import")
        return found

    def _begun(self, found: Import, cause: str) -> ImportView:
        if found.cause != cause:
            raise ImportStarted("the import was started by another request")
        if found.stage == "running":
            work = OpenWork.of(found.company_id, "import", found.import_id)
            self.runs.start(job_of(work))
        return self._view(found)

    def _view(self, found: Import) -> ImportView:
        counts = found.counts
        if found.stage == "running":
            work = contact_work.get(
                self.deps.inbox.contacts, found.company_id, "import", found.import_id
            )
            counts = work.progress.get("counts", {}) if work else {}
        number = {name: int(count) for name, count in counts.items()}
        return ImportView(
            import_id=found.import_id,
            stage=found.stage,
            is_stopping=found.is_stopping and found.stage == "running",
            outcome=found.outcome,
            created_at=found.created_at,
            created_by=found.created_by,
            finished_at=found.finished_at,
            total=found.total,
            handled=sum(number.values()),
            created=number.get("created", 0),
            updated=number.get("updated", 0),
            unchanged=number.get("unchanged", 0),
            refused=number.get("refused", 0),
            list_id=found.list_id,
            undo_until=_undo_until(found),
            undo=self._undo_view(found),
        )

    def _undo_view(self, found: Import) -> UndoView | None:
        if found.undo is None:
            return None
        counts = found.undo_counts
        if found.undo == "running":
            table = self.deps.inbox.contacts
            work = contact_work.get(table, found.company_id, "undo", found.import_id)
            counts = work.progress.get("counts", {}) if work else {}
        number = {name: int(counts.get(name, 0)) for name in ("withdrawn", "kept", "gone")}
        return UndoView(stage=found.undo, **number)


def _undo_until(found: Import) -> str | None:
    """Return until when an import can be undone; None if it cannot be, or was."""
    if found.finished_at is None or found.list_id is None or found.undo is not None:
        return None
    until = clock.from_text(found.finished_at) + undo.DAYS_MS
    return clock.to_text(until) if until >= clock.now_ms() else None


def _unreadable(refusal: Unreadable) -> Unprocessable:
    return Unprocessable([{"field": "file", "problem": refusal.problem or refusal.reason}])
