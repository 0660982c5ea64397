"""Response models of series."""

from typing import Any, Literal

from newsletters.store.items import RunState
from shared.api.models.views import View


class RuleView(View):
    """The times of a series. `weekdays`: 0 is Sunday."""

    unit: Literal["days", "weeks", "months"]
    every: int
    weekdays: list[int]
    day_of_month: int | None
    time: str


class RunView(View):
    """
    A run by its planned date. `missed`: the next run was due, too. `reason` of a failed one: the step and its error
    code, or `newsletter_deleted`.
    """

    planned: str
    state: RunState
    newsletter_code: str | None
    issue_id: str | None
    reason: str | None


class SeriesView(View):
    """
    A series. `newsletter` are values of a newsletter, `issue` values of an issue but its newsletter. `next_run`: UTC,
    null while it is disabled. `runs`: the present one, and the newest 20 others, newest first.
    """

    series_id: str
    title: str
    newsletter: dict[str, Any]
    selected_types: list[str]
    rule: RuleView
    timezone: str
    enabled: bool
    issue: dict[str, Any] | None
    next_run: str | None
    runs: list[RunView]
    created_at: str
    created_by: str
    updated_at: str
    updated_by: str
    version: int


class SeriesList(View):
    """The series of a company."""

    series: list[SeriesView]


class RemovedSeries(View):
    """The id of a removed series."""

    series_id: str
