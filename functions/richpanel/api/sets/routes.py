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
    from richpanel.api.access import ApiDependencies
    from shared.ai.evaluation.sets.calls import SetCalls

_ALL = "/admin/richpanel/sets"
_SET = f"{_ALL}/{{set_name}}"
_READ, _OPERATE = Scope.RICHPANEL_READ, Scope.RICHPANEL_OPERATE


@dataclass(frozen=True, slots=True)
class SetRoutes:
    """The routes over the dependencies of the admin API."""

    deps: ApiDependencies

    @route_methods.reads(f"GET {_ALL}", _READ, _OPERATE)
    def list_sets(self, request: Request[inputs.SetsQuery]) -> Page[views.SetsView]:
        """List the sets of scenarios of the help desk."""
        return self._calls(request).listed(request.input)

    @route_methods.reads(f"GET {_SET}", _READ, _OPERATE)
    def get_set(self, request: Request[NoInput], set_name: str) -> views.SetContentView:
        """Return a set with its scenarios."""
        return self._calls(request).shown(set_name_of(set_name))

    @route_methods.changes(f"POST {_SET}", _OPERATE)
    def put_set(
        self, request: Request[inputs.SetInput], set_name: str
    ) -> Callable[[], views.SetView]:
        """Store the scenarios of a set, or change whether it is a gate for versions."""
        from richpanel.api.sets import calls  # noqa: PLC0415 - see the docstring of the module

        name = set_name_of(set_name)
        return lambda: self._calls(request).put(name, request, calls.problems_of)

    @route_methods.changes(f"POST {_SET}/runs", _OPERATE, status=HTTPStatus.ACCEPTED)
    def run_set(
        self, request: Request[inputs.RunInput], set_name: str
    ) -> Callable[[], views.RunView]:
        """Decide on the tickets of a set with a version, or with two side by side; nothing is sent."""
        from richpanel.api.sets import calls  # noqa: PLC0415 - see the docstring of the module

        found = self._calls(request).found(set_name_of(set_name))
        return lambda: calls.begin(self.deps, found, request)

    @route_methods.reads("GET /admin/richpanel/runs/{run_id}", _READ, _OPERATE)
    def get_run(self, request: Request[inputs.RunQuery], run_id: str) -> Page[views.RunResultsView]:
        """Return how far a run is, with a page of its results by scenario and version."""
        return self._calls(request).results(run_id, request.input)

    def _calls(self, request: Request[object]) -> SetCalls:
        from richpanel.api.sets import calls  # noqa: PLC0415 - see the docstring of the module

        return calls.calls_of(self.deps, request.caller)
