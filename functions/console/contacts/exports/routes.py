"""Routes of exports of contacts."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from console.contacts.exports.inputs import ExportInput
from console.contacts.exports.job import ExportDependencies
from console.contacts.exports.views import ExportView
from console.jobs.contact_work import job_of
from console.jobs.runs import Runs
from console.store.contacts import exports as contact_exports
from console.store.contacts import work as contact_work
from console.store.contacts.exports import KEPT_DAYS, Export
from shared.api.auth import Scope
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.contacts import lists
from shared.runtime import clock

_EXPORTS = "/contacts/exports"
_SCOPE = Scope.CONTACTS_ADMIN
ID_DIGITS: Final = 32
LINK_SECONDS: Final = 900
FILE_DAYS: Final = 1  # as the bucket's rule for contacts/


class ExportNotFound(Exception):
    """The company has no such export, or not any more."""


@dataclass(frozen=True, slots=True)
class ExportRoutes:
    """The routes over the resources of the API."""

    deps: ExportDependencies
    runs: Runs

    @route_methods.changes(f"POST {_EXPORTS}", _SCOPE, status=HTTPStatus.ACCEPTED)
    def export_contacts(self, request: Request[ExportInput]) -> Callable[[], ExportView]:
        """Export contacts to a file, as the caller may see them: all, a list's members or the ones that fit filters."""
        caller, body = request.caller, request.input
        table = self.deps.inbox.contacts
        if body.list_id is not None:
            lists.get(table, caller.company, body.list_id)
        export_id = request.cause[:ID_DIGITS]
        if contact_exports.get(table, caller.company, export_id) is None:
            contact_work.require_room(table, caller.company)
        asked = Export(
            **Export.key_of(caller.company, export_id),
            company_id=caller.company,
            export_id=export_id,
            **body.model_dump(),
            requested_at=clock.to_text(clock.now_ms()),
            requested_by=caller.principal,
            scopes=set(caller.scopes),
            projects=set(caller.projects),
            ttl=clock.expires_in(KEPT_DAYS * clock.DAY_SECONDS),
        )

        def begun() -> ExportView:
            contact_exports.begin(table, asked)
            found = self._found(caller.company, export_id)
            if found.finished_at is None:
                self.runs.start(job_of(found.work))
            return self._view(found)

        return begun

    @route_methods.reads(f"GET {_EXPORTS}/{{export_id}}", _SCOPE)
    def get_export(self, request: Request[NoInput], export_id: str) -> ExportView:
        """Return an export, and a link to its file once it is whole."""
        return self._view(self._found(request.caller.company, export_id))

    def _found(self, company: str, export_id: str) -> Export:
        is_id = len(export_id) == ID_DIGITS and export_id.isalnum()
        table = self.deps.inbox.contacts
        found = contact_exports.get(table, company, export_id) if is_id else None
        if found is None:
            raise ExportNotFound("no such export")
        return found

    def _view(self, found: Export) -> ExportView:
        total, link = found.total, None
        file_ms = FILE_DAYS * clock.DAY_SECONDS * clock.SECOND_MS
        if found.finished_at is None:
            work = contact_work.get(
                self.deps.inbox.contacts, found.company_id, "export", found.export_id
            )
            total = int(work.progress.get("total", 0)) if work else 0
        elif clock.now_ms() < clock.from_text(found.finished_at) + file_ms:
            folder = self.deps.folder(found)
            link = folder.bucket.link_to(
                f"{folder.prefix}{folder.lines}", seconds=LINK_SECONDS, filename=folder.lines
            )
        return ExportView(
            export_id=found.export_id,
            format=found.format,
            requested_at=found.requested_at,
            requested_by=found.requested_by,
            finished_at=found.finished_at,
            total=total or 0,
            link=link,
        )
