"""Response models of reports, and the same as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import ConfigDict, PrivateAttr
from pydantic.alias_generators import to_camel

from shared.api.models import views
from shared.inbox.items import Channel, Context  # noqa: TC001 - fields of models
from shared.policy.business_hours import BusinessHours  # noqa: TC001 - field of a model
from shared.runtime import csv_files

if TYPE_CHECKING:
    from collections.abc import Sequence

AGES = ("under_1_day", "1_to_3_days", "3_to_7_days", "7_to_30_days", "over_30_days")
_CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Durations(views.View):
    """
    Durations of a day: how many, their sum in seconds, and how many are in each class (`bounds` of the report); the
    same in business hours.
    """

    model_config = _CAMEL

    count: int
    seconds: int
    classes: list[int]
    business_seconds: int
    business_classes: list[int]


class DayReport(views.View):
    """
    A day of a context and channel. `openedByHour` has the openings of each of its hours.

    Of AI conversations `handedOff` to people, and how they ended: `endedAlone`, `endedWithPeople`, `optedOut`;
    `failed`: their first message could not be sent.
    """

    model_config = _CAMEL

    date: str
    context: Context
    channel: Channel
    opened: int
    reopened: int
    opened_by_hour: list[int]
    first_answers: Durations
    resolutions: Durations
    archived: int
    handed_off: int
    ended_alone: int
    ended_with_people: int
    opted_out: int
    failed: int


class Report(views.View):
    """A report that is answered as a table in CSV if the call asks for it."""

    model_config = _CAMEL
    columns: ClassVar[tuple[str, ...]]

    _is_csv: bool = PrivateAttr(default=False)

    def in_format(self, name: str) -> Self:
        """Return the report, to be answered in this format."""
        self._is_csv = name == "csv"
        return self

    def rows(self) -> Sequence[Sequence[str | int]]:
        """Return the rows of the table, in the order of the columns."""
        raise TypeError(f"{type(self).__name__} has no rows")

    def as_text(self) -> views.Text | None:
        """Return the table, if the call asks for it."""
        if not self._is_csv:
            return None
        return views.Text("text/csv; charset=utf-8", csv_files.text_of(self.columns, self.rows()))


class ConversationReport(Report):
    """
    What happened in the conversations of each day; days of a context and channel without anything are absent.

    `bounds`: the upper bounds of the classes of durations in seconds; the last class has none.
    """

    columns: ClassVar[tuple[str, ...]] = (
        *("date", "context", "channel", "opened", "reopened"),
        *("first_answers", "answer_seconds", "answer_business_seconds"),
        *("resolved", "resolution_seconds", "resolution_business_seconds", "archived"),
        *("handed_off", "ended_alone", "ended_with_people", "opted_out", "failed"),
        *(f"opened_{hour:02}" for hour in range(24)),
    )

    time_zone: str
    first: str
    last: str
    bounds: list[int]
    days: list[DayReport]

    def rows(self) -> list[list[str | int]]:
        """Return a row of each day."""
        return [
            [
                *(day.date, day.context, day.channel, day.opened, day.reopened),
                *_cells(day.first_answers),
                *_cells(day.resolutions),
                *(day.archived, day.handed_off, day.ended_alone, day.ended_with_people),
                *(day.opted_out, day.failed, *day.opened_by_hour),
            ]
            for day in self.days
        ]


class OutcomeView(views.View):
    """
    What came of answers on a day, of a channel, version of the settings (0: unknown) and language (`und`: unknown).

    `endedAlone`: answered without a person, of all ends (with `endedWithPeople`, `optedOut`). `handedOff`: to people,
    by cause. `reopenedSoon`: conversations whose customer or people opened them again within 72 hours. `ratedUp`,
    `ratedDown` by reason: of people, less those that they took back. `asked`: customers who were asked how satisfied
    they are; `scores`: how many answered 1 to 5.
    """

    model_config = _CAMEL

    date: str
    channel: Channel
    version: int
    language: str
    ended_alone: int
    ended_with_people: int
    opted_out: int
    failed: int
    handed_off: dict[str, int]
    reopened_soon: int
    rated_up: int
    rated_down: dict[str, int]
    asked: int
    scores: dict[str, int]


class OutcomesReport(Report):
    """The outcomes of a project's model; days without any are absent."""

    columns: ClassVar[tuple[str, ...]] = (
        *("date", "channel", "version", "language", "outcome", "cause", "count"),
    )

    time_zone: str
    project: str
    first: str
    last: str
    outcomes: list[OutcomeView]
    _counts: list[tuple[str | int, ...]] = PrivateAttr(default_factory=list)

    def with_rows(self, counts: list[tuple[str | int, ...]]) -> Self:
        """Return the report with a row of the table for each count."""
        self._counts = counts
        return self

    def rows(self) -> list[tuple[str | int, ...]]:
        """Return a row of each count."""
        return self._counts


class PersonReport(views.View):
    """Counts of the conversations that were assigned to a person or team; `name` of a person, if known."""

    model_config = _CAMEL

    assignee: str
    name: str | None
    first_answers: int
    seconds: int
    business_seconds: int
    resolved: int


class PeopleReport(Report):
    """
    People and teams with an answer or a resolved conversation. `complete`: whether none is left out, since the company
    has more than the report compares.
    """

    columns: ClassVar[tuple[str, ...]] = (
        *("assignee", "name", "first_answers", "answer_seconds", "answer_business_seconds"),
        "resolved",
    )

    time_zone: str
    first: str
    last: str
    people: list[PersonReport]
    complete: bool

    def rows(self) -> list[list[str | int]]:
        """Return a row of each person or team."""
        return [
            [
                *(one.assignee, one.name or "", one.first_answers, one.seconds),
                *(one.business_seconds, one.resolved),
            ]
            for one in self.people
        ]


class Backlog(views.View):
    """
    Open conversations of a context and channel by age: since they were opened, and of those whose customer waits, since
    the wait began.
    """

    model_config = _CAMEL

    context: Context
    channel: Channel
    open: int
    by_age: list[int]
    waiting: int
    by_wait: list[int]


class BacklogReport(Report):
    """
    The conversations that are open now, snoozed ones too. `bounds`: the upper bounds of the classes of ages in seconds;
    the last class has none. `complete`: whether these are all, not the newest ones only.
    """

    columns: ClassVar[tuple[str, ...]] = (
        *("context", "channel", "open", *(f"open_{age}" for age in AGES)),
        *("waiting", *(f"waiting_{age}" for age in AGES)),
    )

    bounds: list[int]
    backlog: list[Backlog]
    complete: bool

    def rows(self) -> list[list[str | int]]:
        """Return a row of each context and channel."""
        return [
            [one.context, one.channel, one.open, *one.by_age, one.waiting, *one.by_wait]
            for one in self.backlog
        ]


class ReportSettingsView(views.View):
    """The business hours of the company, null if it has named none, and the zone of its days."""

    omits_none: ClassVar[bool] = False

    business_hours: BusinessHours | None
    time_zone: str
    version: int


def _cells(durations: Durations) -> list[Any]:
    return [durations.count, durations.seconds, durations.business_seconds]
