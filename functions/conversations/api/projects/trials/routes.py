"""Routes of trials. The code of their calls is loaded by the first of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from conversations.api.projects.trials import views
from shared.ai.trials import inputs
from shared.ai.trials.calls import found
from shared.ai.trials.inputs import id_of
from shared.ai.trials.views import TrialsView, TrialView
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies

_TRIALS = "/projects/{project_id}/trials"
_TRIAL = f"{_TRIALS}/{{trial_id}}"
_ADMIN = Scope.CONVERSATIONS_ADMIN


@dataclass(frozen=True, slots=True)
class TrialRoutes:
    """The routes over the dependencies of the admin API."""

    deps: ApiDependencies

    @route_methods.reads(f"GET {_TRIALS}", _ADMIN)
    def list_trials(
        self, request: Request[inputs.TrialsQuery], project_id: str
    ) -> Page[TrialsView]:
        """List the trials of versions of a project, newest first."""
        from conversations.api.projects.trials import queries  # noqa: PLC0415 - see the docstring of the module

        return queries.listed(self.deps, request.caller, project_id, request.input)

    @route_methods.reads(f"GET {_TRIAL}", _ADMIN)
    def get_trial(
        self, request: Request[NoInput], project_id: str, trial_id: str
    ) -> views.TrialOutcomesView:
        """Return a trial with the outcomes of its version beside those of the live one."""
        from conversations.api.projects.trials import queries  # noqa: PLC0415 - see the docstring of the module

        return queries.outcomes(self.deps, request.caller, project_id, id_of(trial_id))

    @route_methods.reads(f"GET {_TRIAL}/answers", _ADMIN)
    def list_trial_answers(
        self, request: Request[inputs.TrialsQuery], project_id: str, trial_id: str
    ) -> Page[views.ShadowAnswersView]:
        """List what a version in shadow answered beside the live one, newest first; also needs conversations:read."""
        from conversations.api.projects.trials import queries  # noqa: PLC0415 - see the docstring of the module

        return queries.answers(
            self.deps, request.caller, project_id, id_of(trial_id), request.input
        )

    @route_methods.changes(f"POST {_TRIALS}", _ADMIN, status=HTTPStatus.CREATED)
    def begin_trial(
        self, request: Request[inputs.TrialInput], project_id: str
    ) -> Callable[[], TrialView]:
        """Let a version answer beside the live one without sending, or answer a share of the new conversations."""
        from conversations.api.projects import versions  # noqa: PLC0415 - see the docstring of the module
        from conversations.api.projects.trials import changes  # noqa: PLC0415 - as above

        versions.item_of(self.deps, request.caller, project_id)
        return lambda: changes.begin(self.deps, project_id, request)

    @route_methods.changes(f"POST {_TRIAL}/stop", _ADMIN)
    def stop_trial(
        self, request: Request[inputs.StopInput], project_id: str, trial_id: str
    ) -> Callable[[], TrialView]:
        """Stop a trial; its conversations keep the version, or go back to the live one."""
        from conversations.api.projects.trials import changes, queries  # noqa: PLC0415 - see the docstring of the module

        found(queries.stored_of(self.deps, request.caller, project_id), id_of(trial_id))
        return lambda: changes.stop(self.deps, project_id, trial_id, request)
