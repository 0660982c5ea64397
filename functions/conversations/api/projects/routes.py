"""Routes of projects, their versions and the playground. The code of their calls is loaded by the first of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from conversations.api.projects import inputs, views
from shared.ai.versions.inputs import GoLiveInput, VersionQuery, VersionsQuery, number_of
from shared.ai.versions.views import VersionsView, VersionView
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies
    from conversations.api.projects.tries.playground import PlaygroundDependencies
    from conversations.configuration.projects import Company
    from shared.api.auth import Caller

_OF_ONE = "/projects/{project_id}"
_VERSION = f"{_OF_ONE}/versions/{{number}}"
_ADMIN = Scope.CONVERSATIONS_ADMIN


@dataclass(frozen=True, slots=True)
class ProjectRoutes:
    """The routes over the dependencies of the admin API; *playground* creates clients of models when they are used."""

    deps: ApiDependencies
    playground: Callable[[], PlaygroundDependencies]

    @route_methods.reads("GET /projects", _ADMIN)
    def list_projects(self, request: Request[inputs.ProjectsQuery]) -> Page[views.ProjectsView]:
        """List the projects of the company."""
        from conversations.api.projects import versions  # noqa: PLC0415 - see the docstring of the module

        return versions.projects_of(self.deps, request.caller, request.input)

    @route_methods.changes(f"POST {_OF_ONE}", _ADMIN, status=HTTPStatus.CREATED)
    def create_project(
        self, request: Request[inputs.ProjectInput], project_id: str
    ) -> Callable[[], views.ProjectView]:
        """Create a project on channels of the company. Its model is off until a switch turns it on."""
        from conversations.api.projects import creation  # noqa: PLC0415 - see the docstring of the module

        return creation.create(self.deps, project_id, request)

    @route_methods.reads(f"GET {_OF_ONE}/spending", _ADMIN)
    def show_spending(
        self, request: Request[inputs.SpendingQuery], project_id: str
    ) -> views.ProjectSpendingView:
        """Show what the models of a project cost in a month, by day, and its budget."""
        from conversations.api.projects import spending  # noqa: PLC0415 - see the docstring of the module

        return spending.of_month(self.deps, request.caller, project_id, request.input)

    @route_methods.changes(f"POST {_OF_ONE}/switches", _ADMIN)
    def set_switches(
        self, request: Request[inputs.SwitchesInput], project_id: str
    ) -> Callable[[], views.ProjectView]:
        """Set whether a project sends, and whether its model answers."""
        from conversations.api.projects import switches  # noqa: PLC0415 - see the docstring of the module

        return switches.change(self.deps, project_id, request)

    @route_methods.reads(f"GET {_OF_ONE}/versions", _ADMIN)
    def list_versions(self, request: Request[VersionsQuery], project_id: str) -> Page[VersionsView]:
        """List the versions of a project's settings, newest first."""
        from conversations.api.projects import versions  # noqa: PLC0415 - see the docstring of the module

        return versions.listed(self.deps, request.caller, project_id, request.input)

    @route_methods.reads(f"GET {_VERSION}", _ADMIN)
    def get_version(
        self, request: Request[VersionQuery], project_id: str, number: str
    ) -> VersionView:
        """Return the settings of a version, and how they differ from another version's."""
        from conversations.api.projects import versions  # noqa: PLC0415 - see the docstring of the module

        return versions.shown(
            self.deps, request.caller, project_id, number_of(number), request.input
        )

    @route_methods.changes(f"POST {_OF_ONE}/versions", _ADMIN, status=HTTPStatus.CREATED)
    def create_version(
        self, request: Request[inputs.VersionInput], project_id: str
    ) -> Callable[[], views.WrittenVersionView]:
        """Store changed settings as a new version, which is not live."""
        from conversations.api.projects import versions  # noqa: PLC0415 - see the docstring of the module

        versions.item_of(self.deps, request.caller, project_id)
        return lambda: versions.create(self.deps, project_id, request)

    @route_methods.changes(f"POST {_VERSION}/live", _ADMIN)
    def put_version_live(
        self, request: Request[GoLiveInput], project_id: str, number: str
    ) -> Callable[[], views.LiveView]:
        """Make a version the live one, also an older one."""
        from conversations.api.projects import versions  # noqa: PLC0415 - see the docstring of the module

        version = versions.version_of(self.deps, request.caller, project_id, number_of(number))
        return lambda: versions.go_live(self.deps, project_id, version, request)

    @route_methods.reads(f"POST {_OF_ONE}/playground", _ADMIN)
    def try_version(
        self, request: Request[inputs.PlaygroundInput], project_id: str
    ) -> views.PlaygroundView:
        """Let the model of a version write the next message of a conversation, without sending or storing it."""
        from conversations.api.projects.tries import playground  # noqa: PLC0415 - see the docstring of the module

        company = self._tried(request.caller, project_id, request.input)
        return playground.answer(self.playground(), company, request.input, request.remaining_ms)

    @route_methods.reads("POST /conversations/{ref}/playground", _ADMIN)
    def replay(self, request: Request[inputs.ReplayInput], ref: str) -> views.ReplayView:
        """Let a version write a message of a real conversation anew, without the person, sending or storing."""
        from conversations.api.access import opened_for  # noqa: PLC0415 - see the docstring of the module
        from conversations.api.projects.tries import replay  # noqa: PLC0415 - see the docstring of the module

        opened = opened_for(self.deps, request.caller, ref)
        company = self._tried(request.caller, opened.company.project_id, request.input)
        replayed = replay.Replayed(self.deps.resources, opened, company)
        return replayed.answer(self.playground(), request.input, request.remaining_ms)

    def _tried(
        self, caller: Caller, project_id: str, given: inputs.PlaygroundInput | inputs.ReplayInput
    ) -> Company:
        from conversations.api.projects import versions  # noqa: PLC0415 - see the docstring of the module

        item = versions.item_of(self.deps, caller, project_id)
        settings = versions.settings_to_try(self.deps, caller, project_id, item, given)
        company = versions.checked_project(item, settings)
        if given.version is not None:
            company = company.model_copy(update={"ai_version": given.version})
        return company
