"""Input models of business hours, of targets, and of reports about them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Final

from pydantic import ConfigDict, Field, Strict, model_validator
from pydantic_core import PydanticCustomError

from shared.api.models.inputs import Change, Input
from shared.policy.business_hours import LONGEST_WEEKS, MOST_PERIODS, BusinessHours, Period
from shared.runtime import clock

MOST_DAYS: Final = 92  # of a report: one read of a hundred keys
MOST_MINUTES: Final = 60 * 24 * 60  # 60 days
_REPORTED: Final = 30  # days, without a period


class PeriodInput(Period):
    """Hours of the `days` named, from `start` to `end`, as `09:00`; an end that is not later is on the next day."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class BusinessHoursInput(BusinessHours):
    """Weekly periods in a time zone; none begins on a holiday."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    periods: Annotated[list[PeriodInput], Field(min_length=1, max_length=MOST_PERIODS)]  # type: ignore[assignment] # list is invariant; these are only read


type Minutes = Annotated[int, Strict(), Field(ge=1, le=MOST_MINUTES)]


class ServiceLevelFields(Change):
    """
    Business hours and targets of a mailbox.

    The targets are minutes of business hours; without `business_hours` every hour is one.
    """

    business_hours: BusinessHoursInput | None = None
    first_response_minutes: Minutes | None = None
    resolution_minutes: Minutes | None = None

    @model_validator(mode="after")
    def _is_due_soon(self) -> ServiceLevelFields:
        if self.business_hours is None:
            return self
        most = LONGEST_WEEKS * self.business_hours.seconds_of_a_week() // 60
        for name in ("first_response_minutes", "resolution_minutes"):
            if (getattr(self, name) or 0) > most:
                raise PydanticCustomError(
                    "unreachable",
                    "{name} must be within {weeks} weeks of business hours",
                    {"name": name, "weeks": LONGEST_WEEKS},
                )
        return self


def _today() -> date:
    return datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC).date()


def _first_day() -> date:
    return _today() - timedelta(days=_REPORTED - 1)


class ReportQuery(Input):
    """A period of whole days of the mailbox's time zone, by default the last 30; at most 92."""

    first_day: date = Field(default_factory=_first_day, alias="from")
    last_day: date = Field(default_factory=_today, alias="to")

    @model_validator(mode="after")
    def _in_order(self) -> ReportQuery:
        if not self.first_day <= self.last_day < self.first_day + timedelta(days=MOST_DAYS):
            raise PydanticCustomError(
                "period", "to must be from `from` to {most} days later", {"most": MOST_DAYS - 1}
            )
        return self

    @property
    def dates(self) -> list[str]:
        """The days of the period."""
        count = (self.last_day - self.first_day).days + 1
        return [(self.first_day + timedelta(days=day)).isoformat() for day in range(count)]
