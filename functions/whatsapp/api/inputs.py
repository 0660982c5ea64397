"""Input models of the API and their limits."""

from datetime import date
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from shared.api.inputs import Input

MOST_DAYS = 90  # DynamoDB reads up to 100 items per call.


def _as_date(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    # Compared with isoformat(), because fromisoformat() accepts weeks and dates without dashes too.
    if day is None or day.isoformat() != text:
        raise PydanticCustomError("date", "must be a date such as 2026-01-31")
    return day


type Day = Annotated[date, BeforeValidator(_as_date)]


class _Limit(Input):
    limit: int = Field(default=50, ge=1, le=100)


class _Page(_Limit):
    cursor: str | None = None


class ConversationsQuery(_Page):
    """Filter for conversations. `phone`: Meta's id of the number, or its digits; optional if there is only one."""

    # An unescaped `+` arrives as a blank.
    phone: str | None = Field(default=None, pattern=r"^[+ ]?[0-9]{5,20}$")
    archived: Literal["true", "false"] | None = None  # none: both


class MessagesQuery(_Page):
    """Filter for the messages of a conversation."""


class AnalyticsQuery(Input):
    """Filter for days of an account: `waba` is Meta's id of it, `from` and `to` are UTC dates, inclusive."""

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
