"""Read access to the daily counts of an account."""

from datetime import date, timedelta
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from shared.aws.dynamodb import Table
from whatsapp import store
from whatsapp.api.queries import NotFound, Page
from whatsapp.api.views import AnalyticsDay, AnalyticsDays
from whatsapp.store.items.counts import Analytics

MOST_DAYS = 90  # DynamoDB reads up to 100 items per call.


def _as_date(text: str) -> date:
    try:
        given = date.fromisoformat(text)
    except ValueError:
        given = None
    # Compared with isoformat(), because fromisoformat() accepts weeks and dates without dashes too.
    if given is None or given.isoformat() != text:
        raise PydanticCustomError("date", "must be a date such as 2026-01-31")
    return given


type Day = Annotated[date, BeforeValidator(_as_date)]


class AnalyticsQuery(BaseModel):
    """Filter for days of an account: `waba` is Meta's id of it, `from` and `to` are UTC dates, inclusive."""

    model_config = ConfigDict(extra="forbid", defer_build=True, hide_input_in_errors=True)

    waba: str = Field(pattern=r"^[0-9]{1,30}$")
    first: Day = Field(alias="from")
    last: Day = Field(alias="to")

    @field_validator("last")
    @classmethod
    def _spans_few_days(cls, last: date, info: ValidationInfo) -> date:
        first = info.data.get("first")  # Absent when its own validation failed.
        if first is not None and not 0 <= (last - first).days < MOST_DAYS:
            raise PydanticCustomError("span", "must be 0 to 89 days after `from`")
        return last


def analytics(table: Table, company: str, query: AnalyticsQuery) -> Page[AnalyticsDays]:
    """
    Return the counted days of an account of *company*, oldest first. Days without messages are left out.

    Raises NotFound.
    """
    phones = store.phones.of_company(table, company)
    if not any(entry.get("waba") == query.waba for entry in phones):
        raise NotFound("waba: account not found")
    span = range((query.last - query.first).days + 1)
    dates = [(query.first + timedelta(days=ahead)).isoformat() for ahead in span]
    found = store.counts.days(table, [Analytics.key(query.waba, day) for day in dates])
    own = sorted((day for day in found if day.company == company), key=lambda day: day.date)
    shown = [AnalyticsDay(**day.model_dump(include=set(AnalyticsDay.model_fields))) for day in own]
    return Page(AnalyticsDays(analytics=shown), cursor=None)
