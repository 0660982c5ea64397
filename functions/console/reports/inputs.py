"""Input models of reports and their bounds."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from console.reports.views import ReportSettingsView
from shared.api.models.agent_inputs import AssigneeFilter
from shared.api.models.inputs import Change, Input
from shared.api.principals import TEAM_PATTERN
from shared.inbox.items import Channel, Context
from shared.policy.business_hours import MOST_PERIODS, BusinessHours, Period
from shared.runtime import clock

MOST_DAYS: Final = 366
PROJECT: Final = r"^[A-Za-z0-9._-]{1,64}$"
MOST_DAYS_OF_PEOPLE: Final = 92
_USUAL: Final = timedelta(days=29)


def _today() -> date:
    return datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC).date()


class ReportQuery(Input):
    """The subject of a report: a context and a channel, by default all; as JSON or as a table in CSV."""

    context: Context | None = None
    channel: Channel | None = None
    format: Literal["json", "csv"] = "json"


class DaysQuery(ReportQuery):
    """A report of days, `from` and `to` (inclusive), days of the company's zone; by default the last 30, by UTC."""

    most_days: ClassVar[int] = MOST_DAYS

    last: date = Field(alias="to", default_factory=_today)
    first: date | None = Field(alias="from", default=None, validate_default=True)

    @field_validator("first")
    @classmethod
    def _spans_few_days(cls, first: date | None, info: ValidationInfo) -> date | None:
        last = info.data.get("last")  # absent when its own validation failed
        if last is None:
            return first
        found = first if first is not None else last - min(_USUAL, last - date.min)
        if not 0 <= (last - found).days < cls.most_days:
            raise PydanticCustomError(
                "span", f"must be at most {cls.most_days - 1} days before `to`"
            )
        return found

    @property
    def dates(self) -> list[str]:
        """All days, the earliest first."""
        first = self.first or self.last
        days = range((self.last - first).days + 1)
        return [(first + timedelta(days=n)).isoformat() for n in days]


class PeopleQuery(DaysQuery):
    """
    A report of people and teams. `group`: the people of a team, and the team itself; `assignee`: a person or team. By
    default all people and teams of the company.
    """

    most_days: ClassVar[int] = MOST_DAYS_OF_PEOPLE

    group: Annotated[str, Field(pattern=TEAM_PATTERN)] | None = None
    assignee: AssigneeFilter | None = None


class OutcomesQuery(DaysQuery):
    """
    What came of the answers of a project's model. `version`, `language`: only of this version of its settings, of this
    language of the conversations.
    """

    project: Annotated[str, Field(pattern=PROJECT)]
    version: Annotated[int, Field(ge=0)] | None = None
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}$")] | None = None


class BacklogQuery(ReportQuery):
    """A report of the conversations that are open now. `assignee`: the conversations of a person or team."""

    assignee: AssigneeFilter | None = None


class _PeriodInput(Period):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class ReportHours(BusinessHours):
    """Weekly periods in a time zone; none begins on a holiday."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    periods: Annotated[list[_PeriodInput], Field(min_length=1, max_length=MOST_PERIODS)]  # type: ignore[assignment] # list is invariant; these are only read


class ReportSettingsInput(Change):
    """
    The business hours of the company, null for every hour of UTC days. `version`: the one that was read; a change of
    another one is refused.
    """

    view: ClassVar[type[BaseModel]] = ReportSettingsView

    business_hours: ReportHours | None = None
    version: Annotated[int, Field(ge=0)] | None = None
