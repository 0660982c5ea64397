"""Routes of sets of scenarios and their runs. The code of their calls is loaded by the first of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from shared.ai.evaluation.sets import inputs, views
from shared.ai.evaluation.sets.inputs import set_name_of
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies

_SETS = "/projects/{project_id}/sets"
_SET = f"{_SETS}/{{set_name}}"
_ADMIN = Scope.CONVERSATIONS_ADMIN


@dataclass(frozen=True, slots=True)
class EvaluationRoutes:
    """The routes over the dependencies of the admin API."""

    deps: ApiDependencies

    @route_methods.reads(f"GET {_SETS}", _ADMIN)
    def list_sets(
        self, request: Request[inputs.SetsQuery], project_id: str
    ) -> Page[views.SetsView]:
        """List the sets of scenarios of a project."""
        from conversations.api.projects.sets import evaluations  # noqa: PLC0415 - see the docstring of the module

        return evaluations.calls_of(self.deps, request.caller, project_id).listed(request.input)

    @route_methods.reads(f"GET {_SET}", _ADMIN)
    def get_set(
        self, request: Request[NoInput], project_id: str, set_name: str
    ) -> views.SetContentView:
        """Return a set with its scenarios."""
        from conversations.api.projects.sets import evaluations  # noqa: PLC0415 - see the docstring of the module

        calls = evaluations.calls_of(self.deps, request.caller, project_id)
        return calls.shown(set_name_of(set_name))

    @route_methods.changes(f"POST {_SET}", _ADMIN)
    def put_set(
        self, request: Request[inputs.SetInput], project_id: str, set_name: str
    ) -> Callable[[], views.SetView]:
        """Store the scenarios of a set, or change whether it is a gate for versions."""
        from conversations.api.projects.sets import evaluations  # noqa: PLC0415 - see the docstring of the module

        name = set_name_of(set_name)
        calls = evaluations.calls_of(self.deps, request.caller, project_id)
        return lambda: calls.put(name, request, evaluations.problems_of)

    @route_methods.changes(f"POST {_SET}/runs", _ADMIN, status=HTTPStatus.ACCEPTED)
    def run_set(
        self, request: Request[inputs.RunInput], project_id: str, set_name: str
    ) -> Callable[[], views.RunView]:
        """Play the scenarios of a set with a version, or with two side by side, without sending anything."""
        from conversations.api.projects.sets import evaluations  # noqa: PLC0415 - see the docstring of the module

        calls = evaluations.calls_of(self.deps, request.caller, project_id)
        found = calls.found(set_name_of(set_name))
        return lambda: evaluations.begin(self.deps, project_id, found, request)

    @route_methods.reads("GET /projects/{project_id}/runs/{run_id}", _ADMIN)
    def get_run(
        self, request: Request[inputs.RunQuery], project_id: str, run_id: str
    ) -> Page[views.RunResultsView]:
        """Return how far a run is, with a page of its results by scenario and version."""
        from conversations.api.projects.sets import evaluations  # noqa: PLC0415 - see the docstring of the module

        calls = evaluations.calls_of(self.deps, request.caller, project_id)
        return calls.results(run_id, request.input)
