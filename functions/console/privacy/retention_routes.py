"""Routes of retention: after how many days without a message a person leaves a context, by company and context."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Final

from pydantic import BaseModel, Field

from console.privacy import retention as old_people
from console.privacy.jobs import PersonDependencies  # noqa: TC001 - as above
from console.privacy.retention import CONTEXTS, FEWEST_DAYS, MOST_DAYS
from console.store import retention
from console.store.retention import Retention  # noqa: TC001 - as above
from shared.api import principals
from shared.api.auth import Forbidden, Scope
from shared.api.models import views
from shared.api.models.inputs import Change, NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.aws.dynamodb import Table  # noqa: TC001 - as above
from shared.identity.contacts.details import VersionConflict
from shared.privacy import settings
from shared.runtime import clock

type _Days = Annotated[int, Field(ge=FEWEST_DAYS, le=MOST_DAYS)]
# Settings of other lifetimes, which go on beside these days.
SET_ELSEWHERE: Final = {
    "whatsapp": "MessageTtlDays of the deployment",
    "conversations": "retention_days of each project",
    "email_threads": "retention_days of each mailbox",
    "newsletters": "bylines stay as long as their newsletter",
    "richpanel": "fixed: 90 days, and 60 for the audit of tickets",
    "audit_log": "AuditLogRetentionDays of the deployment",
}


class IdlePeople(views.View):
    """The number of people who would leave a context now; `is_cut`: more, since only some entries were read."""

    people: int
    is_cut: bool


class RetentionView(views.View):
    """
    The days of each context; a context without days keeps people. `set_elsewhere` names other lifetimes, by context.

    `proposed` are days of a company with four eyes that another administrator has to set again. `requested` counts the
    requests that were made. `found`, of a dry run, has the people that would leave each context.
    """

    version: int
    whatsapp: int | None = None
    conversations: int | None = None
    email_threads: int | None = None
    proposed: dict[str, int] | None = None
    proposed_by: str | None = None
    changed_at: str | None = None
    changed_by: str | None = None
    looked_at: str | None = None
    requested: int = 0
    set_elsewhere: dict[str, str] = SET_ELSEWHERE
    found: dict[str, IdlePeople] | None = None


class RetentionInput(Change):
    """
    New days of some contexts: absent ones stay, null keeps people. `version` is the one that was read. With `dry_run`
    the answer counts who would leave, and nothing changes.
    """

    view: ClassVar[type[BaseModel] | None] = RetentionView

    version: Annotated[int, Field(ge=0)]
    whatsapp: _Days | None = None
    conversations: _Days | None = None
    email_threads: _Days | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class RetentionRoutes:
    """The routes. *person*: the tables and contexts, for one call."""

    person: Callable[[], PersonDependencies]

    @route_methods.reads("GET /privacy/retention", Scope.PRIVACY_ADMIN)
    def get_retention(self, request: Request[NoInput]) -> RetentionView:
        """Return after how many days without a message a person leaves a context."""
        return _view(retention.of_company(self._table(), request.caller.company))

    @route_methods.changes("PUT /privacy/retention", Scope.PRIVACY_ADMIN)
    def put_retention(
        self, request: Request[RetentionInput]
    ) -> Callable[[], RetentionView] | RetentionView:
        """Set the days of some contexts, or with a dry run count who would leave them."""
        company, body = request.caller.company, request.input
        stored = retention.of_company(self._table(), company)
        days = _merged(stored, body)
        if body.dry_run:
            return _view(stored).model_copy(update={"found": self._found(company, days, body)})
        if stored.version != body.version:
            raise VersionConflict("version: the days have changed; read them again")
        if days == stored.days and stored.proposed is None:
            return _view(stored)
        fields = self._fields(request, stored, days)
        return lambda: _view(retention.replace(self._table(), stored, **fields))

    def _fields(
        self, request: Request[RetentionInput], stored: Retention, days: dict[str, int]
    ) -> dict[str, object]:
        """Return what is stored: the days, or with four eyes a proposal until a second person sets the same."""
        by = request.caller.principal
        is_shared = settings.settings_of(self._table(), stored.company_id).four_eyes
        if is_shared and _is_shorter(days, stored.days):
            if not principals.is_person(by):
                raise Forbidden("a person sets shorter days, no program")
            if stored.proposed != days or stored.proposed_by == by:
                return {"proposed": days, "proposed_by": by}
        now = clock.to_text(clock.now_ms())
        new = {"days": days, "changed_at": now, "changed_by": by}
        return {**new, "proposed": None, "proposed_by": None}

    def _found(
        self, company: str, days: dict[str, int], body: RetentionInput
    ) -> dict[str, IdlePeople]:
        counts = {
            str(context): old_people.count(self.person(), company, context, days[context])
            for context in CONTEXTS
            if context in days and body.has(context)
        }
        return {name: IdlePeople(**one._asdict()) for name, one in counts.items()}

    def _table(self) -> Table:
        return self.person().tables.contacts


def _merged(stored: Retention, body: RetentionInput) -> dict[str, int]:
    given = {str(one): getattr(body, one) for one in CONTEXTS if body.has(one)}
    return {name: value for name, value in {**stored.days, **given}.items() if value is not None}


def _is_shorter(days: dict[str, int], present: dict[str, int]) -> bool:
    """Whether people leave a context earlier than now."""
    return any(value < present.get(name, MOST_DAYS + 1) for name, value in days.items())


def _view(stored: Retention) -> RetentionView:
    named = stored.model_dump(include=set(RetentionView.model_fields))
    return RetentionView(**named, **stored.days)
