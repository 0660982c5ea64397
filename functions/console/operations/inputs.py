"""Input models of the operations API."""

from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from shared.ai.spending.bounds import Kind
from shared.api import principals
from shared.api.models.inputs import Change, Input
from shared.runtime import clock
from shared.runtime.validation import patterns

MOST_DAYS = 31


def today() -> date:
    """Return the present day (UTC)."""
    return datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC).date()


class DaysQuery(Input):
    """A period of whole days (UTC), by default today; at most 31 days."""

    first_day: date = Field(default_factory=today, alias="from")
    last_day: date = Field(default_factory=today, alias="to")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.first_day <= self.last_day <= self.first_day + timedelta(days=MOST_DAYS - 1):
            raise ValueError(f"to: must be from `from` to {MOST_DAYS - 1} days later")
        return self


class MonthQuery(Input):
    """A month (UTC), by default the present one."""

    month: Annotated[
        str,
        Field(
            pattern=patterns.worded(
                r"^20[0-9]{2}-(0[1-9]|1[0-2])$", "must be a month such as 2026-02"
            )
        ),
    ] = Field(default_factory=lambda: f"{today():%Y-%m}")

    @model_validator(mode="after")
    def _has_begun(self) -> Self:
        if self.month > f"{today():%Y-%m}":
            raise ValueError("month: must have begun")
        return self


class ActionsQuery(DaysQuery):
    """
    Which changes: of people (`people`), of software with API keys and tokens (`keys`), of all callers, or
    of one `principal`; of one `kind` of objects, of one `object`.

    They belong to the caller's company; operators may name another one.
    """

    actors: Literal["people", "keys", "all"] = "people"
    principal: Annotated[str, Field(pattern=principals.CALLER_PATTERN)] | None = None
    kind: Annotated[str, Field(pattern=r"^[a-z_-]{1,64}$")] | None = None
    object: Annotated[str, Field(pattern=r"^[A-Za-z0-9._:=-]{1,128}$")] | None = None
    company: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")] | None = None
    limit: int = Field(default=100, ge=1, le=500)
    cursor: (
        Annotated[
            str,
            Field(
                pattern=patterns.worded(
                    r"^20[0-9-]{8}T[0-9:.]{12}Z#[0-9a-f]{16}$", "must be the cursor of a page"
                )
            ),
        ]
        | None
    ) = None


type Company = Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,64}$")]
type Dollars = Annotated[float, Field(ge=0, le=1_000_000)]


class SpendingQuery(Input):
    """`company`: by default the caller's."""

    company: Company | None = None


class SpendingInput(Change):
    """
    Limits of a company, by default the caller's. What a call does not name stays; null removes a limit, and returns a
    kind of cost to the percentage of the deployment.
    """

    company: Company | None = None
    version: Annotated[int, Field(ge=0)]
    dollars_per_day: Dollars | None = None
    dollars_per_month: Dollars | None = None
    warn_at_percent: Annotated[int, Field(ge=1, le=100)] | None = None
    percents: dict[Kind, Annotated[int, Field(ge=0)] | None] = Field(default_factory=dict)
