"""Routes of a company's settings, their versions, and source documents."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from newsletters.api import inputs, queries, views
from newsletters.api.access import NotFound
from newsletters.api.company import proven, versions
from newsletters.api.queries import ApiDependencies
from newsletters.configuration import mailbox_paces
from newsletters.store import companies, sets
from newsletters.store.items import CompanySettings
from newsletters.store.items.item import timestamp
from shared.ai.evaluation.sets.calls import refuse_unpassed
from shared.ai.retrieval.documents import DocumentAttributes, Documents
from shared.ai.versions.inputs import GoLiveInput, VersionQuery, VersionsQuery, number_of
from shared.ai.versions.views import LiveView, VersionsView, VersionView, WrittenVersionView
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws import observation
from shared.runtime import clock

_SETTINGS, _SOURCES = "/newsletters/settings", "/newsletters/sources"
_VERSIONS = f"{_SETTINGS}/versions"
_ADMIN = Scope.NEWSLETTERS_ADMIN
_READ = (Scope.NEWSLETTERS_READ, Scope.NEWSLETTERS_WRITE, _ADMIN)


@dataclass(frozen=True, slots=True)
class CompanyRoutes:
    """The routes over the resources of the API."""

    deps: ApiDependencies

    @property
    def _documents(self) -> Documents:
        return Documents(self.deps.resources.store.bucket)

    @route_methods.reads(f"GET {_SETTINGS}", *_READ)
    def get_settings(self, request: Request[NoInput]) -> views.SettingsView:
        """Return the settings of the company."""
        return queries.settings(self.deps, request.caller.company)

    @route_methods.changes(f"PUT {_SETTINGS}", _ADMIN)
    def put_settings(
        self, request: Request[inputs.SettingsInput]
    ) -> Callable[[], views.SettingsView]:
        """Change settings of the company: model, retriever, limit, checks, clicks, tenant, paces. Absent ones stay."""

        def change() -> views.SettingsView:
            company = request.caller.company
            given = queries.completed_settings(self.deps, company, request.input)
            proven.claim(self.deps, company, given, request.caller.principal)
            table = self.deps.resources.store.table
            settings = CompanySettings(
                **CompanySettings.key(company),
                company_id=company,
                ai=given.ai.model_dump(exclude_none=True) if given.ai else None,
                retrieval=given.retrieval.model_dump(exclude_none=True),
                ai_daily_units=given.ai_daily_units,
                four_eyes=given.four_eyes,
                check_claims=given.check_claims,
                track_clicks=given.track_clicks,
                ses_tenant=given.ses_tenant,
                mailbox_providers=mailbox_paces.stored(given.mailbox_providers),
                updated_at=timestamp(clock.now_ms()),
                updated_by=request.caller.principal,
                version=given.version,
            )
            stored = companies.get_settings(table, company)
            if companies.SETTINGS.of(stored) != companies.SETTINGS.of(settings):
                refuse_unpassed(sets.of_company(table, company), None)
            # The version first: settings never name one that does not exist.
            settings.ai_version = companies.version_of(table, settings, request.cause)
            companies.put_settings(table, settings)
            return queries.settings(self.deps, company)

        return change

    @route_methods.reads(f"GET {_VERSIONS}", _ADMIN)
    def list_versions(self, request: Request[VersionsQuery]) -> Page[VersionsView]:
        """List the versions of the settings of the company's model, newest first."""
        return versions.listed(self.deps, request.caller, request.input)

    @route_methods.reads(f"GET {_VERSIONS}/{{number}}", _ADMIN)
    def get_version(self, request: Request[VersionQuery], number: str) -> VersionView:
        """Return the settings of a version, and how they differ from another version's."""
        return versions.shown(self.deps, request.caller, number_of(number), request.input)

    @route_methods.changes(f"POST {_VERSIONS}", _ADMIN, status=HTTPStatus.CREATED)
    def create_version(
        self, request: Request[inputs.SettingsVersionInput]
    ) -> Callable[[], WrittenVersionView]:
        """Store changed settings as a new version, which is not live."""
        caller = request.caller

        def prove(given: inputs.SettingsInput) -> None:
            proven.claim(self.deps, caller.company, given, caller.principal)

        return lambda: versions.create(self.deps, request, prove)

    @route_methods.changes(f"POST {_VERSIONS}/{{number}}/live", _ADMIN)
    def put_version_live(
        self, request: Request[GoLiveInput], number: str
    ) -> Callable[[], LiveView]:
        """Make a version the live one, also an older one."""
        named, caller = number_of(number), request.caller

        def prove(given: inputs.SettingsInput) -> None:
            proven.claim(self.deps, caller.company, given, caller.principal)

        return lambda: versions.go_live(self.deps, named, request, prove)

    @route_methods.reads(f"GET {_SOURCES}", *_READ)
    def list_sources(self, request: Request[inputs.SourcesQuery]) -> Page[views.Sources]:
        """List the documents of the embedded search."""
        return queries.list_sources(self.deps, request.caller, request.input)

    @route_methods.reads(f"GET {_SOURCES}/{{name}}", *_READ)
    def get_source(self, request: Request[NoInput], name: str) -> views.SourceText:
        """Return a document with its first passages, as the search reads them."""
        found = self._documents.read(request.caller.company, name)
        if found is None:
            raise NotFound("name: document not found")
        return queries.source_text(found)

    @route_methods.changes(f"POST {_SOURCES}", _ADMIN, status=HTTPStatus.CREATED)
    def add_source(self, request: Request[inputs.SourceInput]) -> Callable[[], views.WrittenSource]:
        """Add a document, or replace the document with this name."""

        def change() -> views.WrittenSource:
            given, company = request.input, request.caller.company
            facts = given.model_dump(include=set(DocumentAttributes.model_fields))
            documents, attributes = self._documents, DocumentAttributes(**facts)
            name = (
                documents.put(company, given.name, given.text, attributes)
                if given.text is not None
                else documents.put_file(company, given.name, given.file or b"", attributes)
            )
            text = None if given.text is None else {"text": given.text}
            observation.note(None, {"name": name, "title": given.title, **(text or {})}, "name")
            return views.WrittenSource(name=name)

        return change

    @route_methods.changes(f"DELETE {_SOURCES}/{{name}}", _ADMIN)
    def delete_source(
        self, request: Request[NoInput], name: str
    ) -> Callable[[], views.WrittenSource]:
        """Delete a document. Passages that were retrieved from it stay in their newsletters."""

        def change() -> views.WrittenSource:
            if not self._documents.delete(request.caller.company, name):
                raise NotFound("name: document not found")
            observation.note({"name": name}, None, "name")
            return views.WrittenSource(name=name)

        return change
