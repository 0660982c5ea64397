"""Input models of reports about targets."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Final

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from shared.api.models.inputs import Input
from shared.runtime import clock

MOST_DAYS: Final = 92  # of a report: one read of a hundred keys
_REPORTED: Final = 30  # days, without a period


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
