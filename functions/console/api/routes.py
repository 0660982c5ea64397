"""Routes of the inbox, of its saved views and changes of many conversations, of people, live tickets and sign-out."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from console.api import inbox, inputs, live, people, saved_views, sign_out, views
from console.api.bulk import requests as bulk
from console.api.bulk.inputs import BulkChangeInput, NamedChange
from console.api.bulk.run import BulkDependencies
from console.api.bulk.views import BulkChangeState, NewestBulkChange
from console.reading_rights import SCOPES
from shared.api.cursors import Page
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.inbox.live.posts import Live


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRoutes:
    """The routes of the inbox and of the people who work in it."""

    deps: inbox.InboxDependencies
    changes: BulkDependencies
    tickets: live.TicketDependencies
    sessions: Live
    colleagues: people.People

    @route_methods.reads("GET /inbox", *SCOPES.values())
    def list_inbox(self, request: Request[inputs.InboxQuery]) -> Page[views.Inbox]:
        """List the conversations of all contexts that the key may read, newest first."""
        return inbox.conversations(self.deps, request.caller, request.input)

    @route_methods.reads("GET /inbox/views", *SCOPES.values())
    def list_views(self, request: Request[inputs.ViewsQuery]) -> views.SavedViews:
        """List the presets and the saved views of the caller and of teams, with counts."""
        return saved_views.listed(self.deps, request.caller, request.input)

    @route_methods.changes("POST /inbox/views", *saved_views.SCOPES)
    def save_view(
        self, request: Request[inputs.SaveViewInput]
    ) -> Callable[[], views.SavedViewState]:
        """Save a view under its name, for the caller or a team, or remove it."""
        return saved_views.save(self.deps, request.caller, request.input)

    @route_methods.reads("GET /inbox/bulk", *SCOPES.values())
    def get_bulk_change(self, request: Request[NoInput]) -> NewestBulkChange:
        """Return the newest change of many conversations that the caller asked for, and its result so far."""
        return bulk.newest(self.changes, request.caller)

    @route_methods.changes("POST /inbox/bulk", *bulk.SCOPES, status=HTTPStatus.ACCEPTED)
    def change_many(self, request: Request[BulkChangeInput]) -> Callable[[], BulkChangeState]:
        """Change many conversations, chosen ones or all that match filters, one after the other."""
        return bulk.begin(self.changes, request)

    @route_methods.changes("POST /inbox/bulk/stop", *bulk.SCOPES)
    def stop_change(self, request: Request[NamedChange]) -> Callable[[], BulkChangeState]:
        """Stop the caller's change of many conversations: what was changed stays."""
        return bulk.stop(self.changes, request)

    @route_methods.changes("POST /inbox/bulk/undo", *bulk.SCOPES, status=HTTPStatus.ACCEPTED)
    def undo_change(self, request: Request[NamedChange]) -> Callable[[], BulkChangeState]:
        """Put the conversations of the caller's newest change back, those that were not changed since, one by one."""
        return bulk.undo(self.changes, request)

    @route_methods.reads("POST /live/tickets", *SCOPES.values())
    def issue_live_ticket(self, request: Request[NoInput]) -> views.LiveTicket:
        """Issue a one-time ticket for a WebSocket connection that receives hints of changes."""
        return live.ticket(self.tickets, request.caller)

    @route_methods.reads("POST /sign-out")
    def end_sessions(self, request: Request[NoInput]) -> views.SignedOut:
        """End all sessions of the person who calls: access tokens and live connections."""
        return sign_out.sign_out(self.sessions, request.caller)

    @route_methods.reads("GET /people", *SCOPES.values())
    def list_people(self, request: Request[NoInput]) -> views.CompanyPeople:
        """List the people and teams of the company, to whom conversations may be assigned."""
        return self.colleagues.of(request.caller)
