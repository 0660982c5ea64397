"""The route of reports about the targets of a mailbox."""

from dataclasses import dataclass

from email_threads.api import changes
from email_threads.api.mailbox_routes import address_of
from email_threads.api.queries import ApiDependencies
from email_threads.api.service_levels import views
from email_threads.api.service_levels.inputs import ReportQuery
from email_threads.store import service_levels
from shared.api.auth import Scope
from shared.api.routing import route_methods
from shared.api.routing.routes import Request


@dataclass(frozen=True, slots=True)
class ServiceLevelRoutes:
    """The routes over the table of e-mail threads."""

    deps: ApiDependencies

    @route_methods.reads("GET /email-mailboxes/{address}/service-levels", Scope.EMAIL_READ)
    def report(self, request: Request[ReportQuery], address: str) -> views.ServiceLevelReport:
        """Count the met and breached targets of a mailbox by day."""
        company = request.caller.company
        mailbox = changes.mailbox_of(self.deps.table, company, address_of(address))
        found = service_levels.days(self.deps.table, company, mailbox.address, request.input.dates)
        return views.ServiceLevelReport(days=[views.of_day(day) for day in found])
