"""Routes of trials of a mailbox. The code of their calls is loaded by the first of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from email_threads.api.mailboxes.routes import address_of
from email_threads.api.mailboxes.settings import mailbox_of
from email_threads.api.mailboxes.trials import views
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
    from email_threads.api.queries import ApiDependencies

_TRIALS = "/email-mailboxes/{address}/trials"
_TRIAL = f"{_TRIALS}/{{trial_id}}"
_ADMIN = Scope.EMAIL_ADMIN


@dataclass(frozen=True, slots=True)
class MailboxTrialRoutes:
    """The routes over the table of e-mail threads."""

    deps: ApiDependencies

    @route_methods.reads(f"GET {_TRIALS}", _ADMIN)
    def list_trials(self, request: Request[inputs.TrialsQuery], address: str) -> Page[TrialsView]:
        """List the trials of versions of a mailbox, newest first."""
        from email_threads.api.mailboxes.trials import queries  # noqa: PLC0415 - see the docstring of the module

        return queries.listed(self.deps, request.caller, address_of(address), request.input)

    @route_methods.reads(f"GET {_TRIAL}", _ADMIN)
    def get_trial(
        self, request: Request[NoInput], address: str, trial_id: str
    ) -> views.DraftTrialOutcomesView:
        """Return a trial with the outcomes of its version beside those of the live one."""
        from email_threads.api.mailboxes.trials import queries  # noqa: PLC0415 - see the docstring of the module

        named = address_of(address), id_of(trial_id)
        return queries.outcomes(self.deps, request.caller, *named)

    @route_methods.reads(f"GET {_TRIAL}/drafts", _ADMIN)
    def list_trial_drafts(
        self, request: Request[inputs.TrialsQuery], address: str, trial_id: str
    ) -> Page[views.ShadowDraftsView]:
        """List what a version in shadow drafted beside the live one, newest first; also needs email_threads:read."""
        from email_threads.api.mailboxes.trials import queries  # noqa: PLC0415 - see the docstring of the module

        named = address_of(address), id_of(trial_id)
        return queries.shadows(self.deps, request.caller, *named, request.input)

    @route_methods.changes(f"POST {_TRIALS}", _ADMIN, status=HTTPStatus.CREATED)
    def begin_trial(
        self, request: Request[inputs.TrialInput], address: str
    ) -> Callable[[], TrialView]:
        """Let a version draft beside the live one without sending, or answer a share of the new threads."""
        from email_threads.api.mailboxes.trials import changes  # noqa: PLC0415 - see the docstring of the module

        given = address_of(address)
        mailbox_of(self.deps.table, request.caller.company, given)
        return lambda: changes.begin(self.deps, given, request)

    @route_methods.changes(f"POST {_TRIAL}/stop", _ADMIN)
    def stop_trial(
        self, request: Request[inputs.StopInput], address: str, trial_id: str
    ) -> Callable[[], TrialView]:
        """Stop a trial; its threads keep the version, or go back to the live one."""
        from email_threads.api.mailboxes.trials import changes, queries  # noqa: PLC0415 - see the docstring of the module

        given = address_of(address), id_of(trial_id)
        mailbox = mailbox_of(self.deps.table, request.caller.company, given[0])
        found(queries.stored_of(self.deps, mailbox), given[1])
        return lambda: changes.stop(self.deps, *given, request)
