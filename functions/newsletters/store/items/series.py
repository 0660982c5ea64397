"""Series of newsletters: what is drafted, on which rule, and what became of the runs."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from newsletters.store.items.item import TableItem
from newsletters.store.items.jobs import OPEN_WORK
from shared.aws.audited import audited

SERIES_PREFIX: Final = "SERIES#"


class SeriesRule(BaseModel):
    """
    When a series runs, counted from the last planned run: *every* days, weeks or months at *time* (HH:MM). *weekdays*
    of weeks that begin on Monday: 0 is Sunday, 6 Saturday. *day_of_month*: of a shorter month the last day.
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    unit: Literal["days", "weeks", "months"]
    every: int = 1
    weekdays: list[int] = Field(default_factory=list)
    day_of_month: int | None = None
    time: str


class RunState(StrEnum):
    """
    The state of a run.

        running -> done | failed
        missed: the next run was due, too, when the schedule came to it
    """

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    MISSED = "missed"


class SeriesRun(BaseModel):
    """A run, by its planned date (YYYY-MM-DD) and time (ms since 1970). *reason* of a failure: step and error code."""

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    planned: str
    planned_ms: int
    state: RunState = RunState.RUNNING
    newsletter_code: str | None = None
    issue_id: str | None = None
    reason: str | None = None


@audited("title", maps=("rule",))
class Series(TableItem):
    """
    A series. A run makes a newsletter of *created_by* with the *configuration* and *selected_types*, and drafts it.
    With *issue* (the fields of an issue but its newsletter) it makes an issue, too, which people approve.

    *next_date* is the date of the next run, *run* the present one, *runs* the newest ended ones. It is open work from
    *next_run* (ms since 1970) on, while it is enabled. *turn* grows with every message about it, *version* with changes
    by people.
    """

    partition: ClassVar[str] = "NLSERIES#{company_id}"
    sort: ClassVar[str] = "SERIES#{series_id}"

    series_id: str
    company_id: str
    title: str = Field(repr=False)
    configuration: dict[str, Any] = Field(default_factory=dict, repr=False)
    selected_types: list[str] = Field(default_factory=list)
    rule: SeriesRule
    timezone: str
    enabled: bool = True
    issue: dict[str, Any] | None = Field(default=None, repr=False)
    next_date: str
    next_run: int
    run: SeriesRun | None = None
    runs: list[SeriesRun] = Field(default_factory=list)
    created_at: str
    created_by: str
    updated_at: str
    updated_by: str
    cause: str  # hash of the request that made it
    version: int = 1
    turn: int = 0
    GSI1PK: str | None = OPEN_WORK
    GSI1SK: str | None = None
