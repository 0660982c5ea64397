"""Routes of mailboxes, and of reports about their targets."""

from collections.abc import Callable
from dataclasses import dataclass

from email_threads.api import changes, inputs, presenters, views
from email_threads.api.queries import ApiDependencies
from email_threads.api.service_levels.inputs import ReportQuery
from email_threads.api.service_levels.views import ServiceLevelReport, of_day
from email_threads.store.configuration import mailboxes
from email_threads.store.deadlines import service_levels
from shared.access.ownership import ids
from shared.access.ownership.ids import IdInvalid
from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request

_ALL, _ONE = "/email-mailboxes", "/email-mailboxes/{address}"
_READ, _ADMIN = Scope.EMAIL_READ, Scope.EMAIL_ADMIN


@dataclass(frozen=True, slots=True)
class MailboxRoutes:
    """The routes over the table of e-mail threads, and the owner items."""

    deps: ApiDependencies

    @route_methods.reads(f"GET {_ALL}", _READ, _ADMIN)
    def list_mailboxes(self, request: Request[NoInput]) -> views.Mailboxes:
        """List the mailboxes of the company."""
        found = mailboxes.of_company(self.deps.table, request.caller.company)
        return views.Mailboxes(mailboxes=[presenters.mailbox(one) for one in found])

    @route_methods.reads(f"GET {_ONE}", _READ, _ADMIN)
    def get_mailbox(self, request: Request[NoInput], address: str) -> views.MailboxView:
        """Return one mailbox."""
        found = changes.mailbox_of(self.deps.table, request.caller.company, address_of(address))
        return presenters.mailbox(found)

    @route_methods.changes(f"PUT {_ONE}", _ADMIN)
    def put_mailbox(
        self, request: Request[inputs.MailboxInput], address: str
    ) -> Callable[[], views.WrittenMailbox]:
        """Register an address, or replace its settings. An operator has granted its domain to the company before."""
        given = address_of(address)
        return lambda: changes.put_mailbox(self.deps, given, request)

    @route_methods.changes(f"DELETE {_ONE}", _ADMIN)
    def delete_mailbox(
        self, request: Request[NoInput], address: str
    ) -> Callable[[], views.WrittenMailbox]:
        """Remove a mailbox. Its threads stay; further mail to it is parked."""
        found = changes.mailbox_of(self.deps.table, request.caller.company, address_of(address))
        return lambda: changes.delete_mailbox(self.deps.table, found)

    @route_methods.reads(f"GET {_ONE}/service-levels", _READ)
    def report_service_levels(
        self, request: Request[ReportQuery], address: str
    ) -> ServiceLevelReport:
        """Count the met and breached targets of a mailbox by day."""
        company = request.caller.company
        mailbox = changes.mailbox_of(self.deps.table, company, address_of(address))
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
