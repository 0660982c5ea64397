"""Routes of a mailbox's sets of scenarios and their runs. The code of their calls is loaded by the first of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from email_threads.api.mailboxes.routes import address_of
from shared.ai.evaluation.sets import inputs, views
from shared.ai.evaluation.sets.inputs import set_name_of
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

if TYPE_CHECKING:
    from email_threads.api.queries import ApiDependencies
    from shared.ai.evaluation.sets.calls import SetCalls

_ONE = "/email-mailboxes/{address}"
_SET = f"{_ONE}/sets/{{set_name}}"
_ADMIN = Scope.EMAIL_ADMIN


@dataclass(frozen=True, slots=True)
class MailboxSetRoutes:
    """The routes over the table and the queue of e-mail threads."""

    deps: ApiDependencies

    @route_methods.reads(f"GET {_ONE}/sets", _ADMIN)
    def list_sets(self, request: Request[inputs.SetsQuery], address: str) -> Page[views.SetsView]:
        """List the sets of scenarios of a mailbox."""
        return self._calls(request, address).listed(request.input)

    @route_methods.reads(f"GET {_SET}", _ADMIN)
    def get_set(
        self, request: Request[NoInput], address: str, set_name: str
    ) -> views.SetContentView:
        """Return a set with its scenarios."""
        return self._calls(request, address).shown(set_name_of(set_name))

    @route_methods.changes(f"POST {_SET}", _ADMIN)
    def put_set(
        self, request: Request[inputs.SetInput], address: str, set_name: str
    ) -> Callable[[], views.SetView]:
        """Store the scenarios of a set, or change whether it is a gate for versions."""
        from email_threads.api.mailboxes import evaluations  # noqa: PLC0415 - see the docstring of the module

        name, calls = set_name_of(set_name), self._calls(request, address)
        return lambda: calls.put(name, request, evaluations.problems_of)

    @route_methods.changes(f"POST {_SET}/runs", _ADMIN, status=HTTPStatus.ACCEPTED)
    def run_set(
        self, request: Request[inputs.RunInput], address: str, set_name: str
    ) -> Callable[[], views.RunView]:
        """Let the model of a version draft the answers of a set, or of two versions side by side; nothing is sent."""
        from email_threads.api.mailboxes import evaluations  # noqa: PLC0415 - see the docstring of the module

        found = self._calls(request, address).found(set_name_of(set_name))
        return lambda: evaluations.begin(self.deps, address_of(address), found, request)

    @route_methods.reads(f"GET {_ONE}/runs/{{run_id}}", _ADMIN)
    def get_run(
        self, request: Request[inputs.RunQuery], address: str, run_id: str
    ) -> Page[views.RunResultsView]:
        """Return how far a run is, with a page of its results by scenario and version."""
        return self._calls(request, address).results(run_id, request.input)

    def _calls(self, request: Request[object], address: str) -> SetCalls:
        from email_threads.api.mailboxes import evaluations  # noqa: PLC0415 - see the docstring of the module

        return evaluations.calls_of(self.deps, request.caller, address_of(address))
