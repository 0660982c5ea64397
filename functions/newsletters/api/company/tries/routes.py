"""Routes of tries of a company's settings, its sets and their runs. The code of the calls is loaded by the first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from newsletters.api.company.tries.inputs import StepTrialInput
from newsletters.api.company.tries.views import StepTrialView
from shared.ai.evaluation.sets import inputs, views
from shared.ai.evaluation.sets.inputs import set_name_of
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

if TYPE_CHECKING:
    from newsletters.api.company.tries.playground import TrialDependencies
    from newsletters.api.queries import ApiDependencies
    from shared.ai.evaluation.sets.calls import SetCalls

_SETTINGS = "/newsletters/settings"
_SET = f"{_SETTINGS}/sets/{{set_name}}"
_ADMIN = Scope.NEWSLETTERS_ADMIN


@dataclass(frozen=True, slots=True)
class TryRoutes:
    """The routes over the resources of the API. *tries* are made by the first try."""

    deps: ApiDependencies
    tries: Callable[[], TrialDependencies]

    @route_methods.reads(f"POST {_SETTINGS}/playground", _ADMIN)
    def try_step(self, request: Request[StepTrialInput]) -> StepTrialView:
        """Let a version search passages, plan an outline or write a section, without storing it."""
        from newsletters.api.company.tries import playground  # noqa: PLC0415 - loads the models of few calls

        tries = playground.StepPlayground(self.deps, self.tries())
        return tries.answer(request.caller, request.input, request.remaining_ms)

    @route_methods.reads(f"GET {_SETTINGS}/sets", _ADMIN)
    def list_sets(self, request: Request[inputs.SetsQuery]) -> Page[views.SetsView]:
        """List the sets of scenarios of the company."""
        return self._calls(request).listed(request.input)

    @route_methods.reads(f"GET {_SET}", _ADMIN)
    def get_set(self, request: Request[NoInput], set_name: str) -> views.SetContentView:
        """Return a set with its scenarios."""
        return self._calls(request).shown(set_name_of(set_name))

    @route_methods.changes(f"POST {_SET}", _ADMIN)
    def put_set(
        self, request: Request[inputs.SetInput], set_name: str
    ) -> Callable[[], views.SetView]:
        """Store the scenarios of a set, or change whether it is a gate for versions."""
        from newsletters.api.company.tries import sets  # noqa: PLC0415 - see the docstring of the module

        name, calls = set_name_of(set_name), self._calls(request)
        return lambda: calls.put(name, request, sets.problems_of)

    @route_methods.changes(f"POST {_SET}/runs", _ADMIN, status=HTTPStatus.ACCEPTED)
    def run_set(
        self, request: Request[inputs.RunInput], set_name: str
    ) -> Callable[[], views.RunView]:
        """Let the model of a version write the texts of a set, or of two versions side by side."""
        from newsletters.api.company.tries import sets  # noqa: PLC0415 - see the docstring of the module

        found = self._calls(request).found(set_name_of(set_name))
        return lambda: sets.begin(self.deps, found, request)

    @route_methods.reads(f"GET {_SETTINGS}/runs/{{run_id}}", _ADMIN)
    def get_run(self, request: Request[inputs.RunQuery], run_id: str) -> Page[views.RunResultsView]:
        """Return how far a run is, with a page of its results by scenario and version."""
        return self._calls(request).results(run_id, request.input)

    def _calls(self, request: Request[object]) -> SetCalls:
        from newsletters.api.company.tries import sets  # noqa: PLC0415 - see the docstring of the module

        return sets.calls_of(self.deps, request.caller)
