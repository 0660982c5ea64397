"""Routes of mailboxes, of the versions of their settings, and of reports about their targets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

from email_threads.api import inputs, presenters, views
from email_threads.api.mailboxes import outcomes, settings, versions
from email_threads.api.mailboxes.inputs import DraftTrialInput, MailboxVersionInput
from email_threads.api.mailboxes.outcomes import DraftOutcomes
from email_threads.api.mailboxes.views import DraftTrialView
from email_threads.api.service_levels.inputs import ReportQuery
from email_threads.api.service_levels.views import ServiceLevelReport, of_day
from email_threads.store.configuration import mailboxes
from email_threads.store.deadlines import service_levels
from shared.access.ownership import ids
from shared.access.ownership.ids import IdInvalid
from shared.ai.versions.inputs import GoLiveInput, VersionQuery, VersionsQuery, number_of
from shared.ai.versions.views import LiveView, VersionsView, VersionView, WrittenVersionView
from shared.api.auth import Scope
from shared.api.cursors import Page
from shared.api.errors import InvalidInput
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

if TYPE_CHECKING:
    from email_threads.api.queries import ApiDependencies
    from shared.ai.providers.model_creation import ModelDependencies
    from shared.aws.dynamodb import Table

_ALL, _ONE = "/email-mailboxes", "/email-mailboxes/{address}"
_VERSIONS = f"{_ONE}/versions"
_READ, _ADMIN = Scope.EMAIL_READ, Scope.EMAIL_ADMIN


@dataclass(frozen=True, slots=True)
class MailboxRoutes:
    """
    The routes over the table of e-mail threads, and the owner items; *models* creates clients when they are used.
    *spending*: the counts of what models cost companies.
    """

    deps: ApiDependencies
    models: Callable[[], ModelDependencies]
    spending: Table

    @route_methods.reads(f"GET {_ALL}", _READ, _ADMIN)
    def list_mailboxes(self, request: Request[NoInput]) -> views.Mailboxes:
        """List the mailboxes of the company."""
        found = mailboxes.of_company(self.deps.table, request.caller.company)
        return views.Mailboxes(mailboxes=[presenters.mailbox(one) for one in found])

    @route_methods.reads(f"GET {_ONE}", _READ, _ADMIN)
    def get_mailbox(self, request: Request[NoInput], address: str) -> views.MailboxView:
        """Return one mailbox."""
        found = settings.mailbox_of(self.deps.table, request.caller.company, address_of(address))
        return presenters.mailbox(found)

    @route_methods.changes(f"PUT {_ONE}", _ADMIN)
    def put_mailbox(
        self, request: Request[inputs.MailboxInput], address: str
    ) -> Callable[[], views.WrittenMailbox]:
        """Register an address, or replace its settings. An operator has granted its domain to the company before."""
        given = address_of(address)
        return lambda: settings.put_mailbox(self.deps, given, request)

    @route_methods.changes(f"DELETE {_ONE}", _ADMIN)
    def delete_mailbox(
        self, request: Request[NoInput], address: str
    ) -> Callable[[], views.WrittenMailbox]:
        """Remove a mailbox. Its threads stay; further mail to it is parked."""
        found = settings.mailbox_of(self.deps.table, request.caller.company, address_of(address))
        return lambda: settings.delete_mailbox(self.deps.table, found)

    @route_methods.reads(f"GET {_VERSIONS}", _ADMIN)
    def list_versions(self, request: Request[VersionsQuery], address: str) -> Page[VersionsView]:
        """List the versions of the settings of a mailbox's model, newest first."""
        return versions.listed(self.deps, request.caller, address_of(address), request.input)

    @route_methods.reads(f"GET {_VERSIONS}/{{number}}", _ADMIN)
    def get_version(self, request: Request[VersionQuery], address: str, number: str) -> VersionView:
        """Return the settings of a version, and how they differ from another version's."""
        named = address_of(address), number_of(number)
        return versions.shown(self.deps, request.caller, *named, request.input)

    @route_methods.changes(f"POST {_VERSIONS}", _ADMIN, status=HTTPStatus.CREATED)
    def create_version(
        self, request: Request[MailboxVersionInput], address: str
    ) -> Callable[[], WrittenVersionView]:
        """Store changed settings as a new version, which is not live."""
        given = address_of(address)
        return lambda: versions.create(self.deps, given, request)

    @route_methods.changes(f"POST {_VERSIONS}/{{number}}/live", _ADMIN)
    def put_version_live(
        self, request: Request[GoLiveInput], address: str, number: str
    ) -> Callable[[], LiveView]:
        """Make a version the live one, also an older one."""
        named = address_of(address), number_of(number)
        return lambda: versions.go_live(self.deps, *named, request)

    @route_methods.reads(f"POST {_ONE}/playground", _ADMIN)
    def try_version(self, request: Request[DraftTrialInput], address: str) -> DraftTrialView:
        """Let the model of a version draft an answer to mails, without sending or storing it."""
        from email_threads.api.mailboxes import playground  # noqa: PLC0415 - loads the models of few calls

        tries = playground.MailboxPlayground(self.deps, self.models(), self.spending)
        return tries.answer(
            request.caller, address_of(address), request.input, request.remaining_ms
        )

    @route_methods.reads(f"GET {_ONE}/outcomes", _READ)
    def report_outcomes(self, request: Request[ReportQuery], address: str) -> DraftOutcomes:
        """Count the sent drafts of a mailbox's model, and what people changed in them, by day and version."""
        company = request.caller.company
        mailbox = settings.mailbox_of(self.deps.table, company, address_of(address))
        return outcomes.of_mailbox(self.deps.table, mailbox, request.input.dates)

    @route_methods.reads(f"GET {_ONE}/service-levels", _READ)
    def report_service_levels(
        self, request: Request[ReportQuery], address: str
    ) -> ServiceLevelReport:
        """Count the met and breached targets of a mailbox by day."""
        company = request.caller.company
        mailbox = settings.mailbox_of(self.deps.table, company, address_of(address))
        found = service_levels.days(self.deps.table, company, mailbox.address, request.input.dates)
        return ServiceLevelReport(days=[of_day(day) for day in found])


def address_of(text: str) -> str:
    """Return the address in normal form, without a label; mail to the address may have one."""
    try:
        address = ids.email(text).text
    except IdInvalid:
        address = "@"
    if address.startswith("@"):
        raise InvalidInput([{"field": "address", "problem": "must be an e-mail address"}])
    return address
