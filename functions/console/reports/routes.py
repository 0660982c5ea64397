"""Routes of reports. The counts belong to no project: a key that is bound to projects reads none."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from console.api.people import People, Unsupported
from console.api.views import CompanyPeople
from console.reading_rights import SCOPES, is_readable, readable
from console.reports import backlog, days, outcomes
from console.reports.inputs import (
    BacklogQuery,
    DaysQuery,
    OutcomesQuery,
    PeopleQuery,
    ReportQuery,
    ReportSettingsInput,
)
from console.reports.views import (
    BacklogReport,
    ConversationReport,
    OutcomesReport,
    PeopleReport,
    ReportSettingsView,
)
from shared.api import principals
from shared.api.auth import EVERY_PROJECT, Caller, Forbidden, Scope
from shared.api.models.inputs import NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws.dynamodb import ConditionFailed, Table
from shared.identity.contacts.details import VersionConflict
from shared.inbox.items import Channel, Context
from shared.inbox.reports import hours
from shared.inbox.reports.items import BOUNDS, ReportSettings

MOST_PEOPLE: Final = 200  # people and teams of one report
# Supervisors have these scopes, agents none: they compare the work of people.
SUPERVISING: Final[Mapping[Context, Scope]] = {
    Context.WHATSAPP: Scope.WHATSAPP_ANALYTICS,
    Context.CONVERSATIONS: Scope.CONVERSATIONS_MANAGE,
    Context.EMAIL_THREADS: Scope.EMAIL_APPROVE,
}


@dataclass(frozen=True, slots=True)
class ReportRoutes:
    """The routes of reports. *table* is the table of the inbox."""

    table: Table
    colleagues: People

    @route_methods.reads("GET /reports/conversations", *SCOPES.values())
    def report_conversations(self, request: Request[DaysQuery]) -> ConversationReport:
        """Count openings, first answers, ends and outcomes of conversations by day, context and channel."""
        caller, query = _of_company(request.caller), request.input
        parts = _parts(query, readable(caller))
        report = ConversationReport(
            time_zone=self._zone(caller),
            first=query.dates[0],
            last=query.dates[-1],
            bounds=list(BOUNDS),
            days=days.of_days(self.table, caller.company, query.dates, parts),
        )
        return report.in_format(query.format)

    @route_methods.reads("GET /reports/people", *SUPERVISING.values())
    def report_people(self, request: Request[PeopleQuery]) -> PeopleReport:
        """Count first answers and resolved conversations by the person or team that had them."""
        caller, query = _of_company(request.caller), request.input
        supervised = {one for one, scope in SUPERVISING.items() if scope in caller.scopes}
        contexts = dict.fromkeys(context for context, _ in _parts(query, frozenset(supervised)))
        people, is_complete = self._people(caller, query)
        report = PeopleReport(
            time_zone=self._zone(caller),
            first=query.dates[0],
            last=query.dates[-1],
            people=days.of_people(self.table, caller.company, query.dates, contexts, people),
            complete=is_complete,
        )
        return report.in_format(query.format)

    @route_methods.reads("GET /reports/backlog", *SCOPES.values())
    def report_backlog(self, request: Request[BacklogQuery]) -> BacklogReport:
        """Count the conversations that are open now by age."""
        caller, query = _of_company(request.caller), request.input
        contexts = readable(caller)
        report = backlog.backlog(
            self.table, caller.company, query, lambda entry: is_readable(caller, contexts, entry)
        )
        return report.in_format(query.format)

    @route_methods.reads("GET /reports/outcomes", SCOPES[Context.CONVERSATIONS])
    def report_outcomes(self, request: Request[OutcomesQuery]) -> OutcomesReport:
        """Count what came of the answers of a project's model by day, channel, version and language."""
        caller, query = request.caller, request.input
        if not caller.may_use(caller.company, query.project):
            raise Forbidden("project: this API key is bound to other projects")
        found, rows = outcomes.of_project(self.table, caller.company, query)
        report = OutcomesReport(
            time_zone=self._zone(caller),
            project=query.project,
            first=query.dates[0],
            last=query.dates[-1],
            outcomes=found,
        )
        return report.with_rows(rows).in_format(query.format)

    @route_methods.reads("GET /reports/settings", *SCOPES.values())
    def get_report_settings(self, request: Request[NoInput]) -> ReportSettingsView:
        """Return the business hours of the company, and the zone of its days."""
        return _shown(hours.settings(self.table, _of_company(request.caller).company))

    @route_methods.changes(
        "PUT /reports/settings",
        Scope.WHATSAPP_ADMIN,
        Scope.CONVERSATIONS_ADMIN,
        Scope.EMAIL_ADMIN,
    )
    def set_report_settings(
        self, request: Request[ReportSettingsInput]
    ) -> Callable[[], ReportSettingsView]:
        """Set the business hours of the company. Days that were counted before keep their zone and hours."""
        body = request.input
        stored = hours.settings(self.table, _of_company(request.caller).company)
        named = body.business_hours
        version = stored.version if body.version is None else body.version
        given = named.model_dump(mode="json") if named is not None else None
        after = ReportSettings(
            pk=stored.pk,
            business_hours=given if body.has("business_hours") else stored.business_hours,
            version=version + 1,
        )

        def change() -> ReportSettingsView:
            seen = ReportSettings.attr("version")
            is_read = seen.eq(version) if version else seen.not_exists()
            try:
                self.table.put(after.attributes(), when=is_read)
            except ConditionFailed as refusal:
                if refusal.existing != after.attributes():  # else its own write
                    raise VersionConflict("version: the settings have changed") from None
            return _shown(after)

        return change

    def _zone(self, caller: Caller) -> str:
        return hours.zone_of(hours.settings(self.table, caller.company).hours)

    def _people(self, caller: Caller, query: PeopleQuery) -> tuple[dict[str, str | None], bool]:
        """Return the principals to report of with their names, and whether these are all."""
        try:
            known = self.colleagues.of(caller)
        except Unsupported:
            if query.assignee is None:
                raise
            return {query.assignee: None}, True
        found = _named(known, query.group)
        if query.assignee is not None:
            is_named = query.group is None or query.assignee in found
            return ({query.assignee: found.get(query.assignee)} if is_named else {}), True
        most = dict(list(found.items())[:MOST_PEOPLE])
        return most, known.complete and len(most) == len(found)


def _of_company(caller: Caller) -> Caller:
    if EVERY_PROJECT not in caller.projects:
        raise Forbidden("reports belong to no project, and this API key is bound to projects")
    return caller


def _parts(query: ReportQuery, contexts: frozenset[Context]) -> list[tuple[Context, Channel]]:
    return [
        (context, channel)
        for context in Context
        if context in contexts and query.context in {None, context}
        for channel in days.CHANNELS[context]
        if query.channel in {None, channel}
    ]


def _named(known: CompanyPeople, group: str | None) -> dict[str, str | None]:
    people = {
        one.principal: one.name for one in known.people if group is None or group in one.teams
    }
    teams: Iterable[str] = known.teams if group is None else {group} & {*known.teams}
    return people | {principals.of_team(team): team for team in teams}


def _shown(settings: ReportSettings) -> ReportSettingsView:
    return ReportSettingsView(
        business_hours=settings.hours,
        time_zone=hours.zone_of(settings.hours),
        version=settings.version,
    )
