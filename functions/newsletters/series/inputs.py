"""Input models of series and their limits."""

from typing import Annotated, Literal, Self

from pydantic import Field, Strict, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from newsletters.api.inputs import MOST_TYPES, Flag, NewsletterInput, Title, Version
from newsletters.issues.api.inputs import IssueFields, Subject
from newsletters.series import views
from shared.api.models.inputs import Change, Input
from shared.runtime.validation import patterns
from shared.runtime.validation.timezones import ZoneName

type Weekday = Annotated[int, Strict(), Field(ge=0, le=6)]
type Types = Annotated[
    list[Annotated[str, Field(max_length=100)]], Field(min_length=1, max_length=MOST_TYPES)
]


class RuleInput(Input):
    """
    When a series runs, counted from the last planned run: every `every` days, weeks (on `weekdays`, 0 is Sunday) or
    months (on `day_of_month`, of a shorter month on its last day), at `time`.
    """

    unit: Literal["days", "weeks", "months"]
    every: Annotated[int, Strict(), Field(ge=1, le=365)] = 1
    weekdays: Annotated[list[Weekday], Field(max_length=7)] = Field(default_factory=list)
    day_of_month: Annotated[int, Strict(), Field(ge=1, le=31)] | None = None
    time: Annotated[str, StringConstraints(pattern=patterns.TIME)]

    @model_validator(mode="after")
    def _has_days_of_its_unit(self) -> Self:
        if bool(self.weekdays) != (self.unit == "weeks"):
            raise PydanticCustomError("weekdays", "weekdays: of weeks, and only of them")
        if (self.day_of_month is not None) != (self.unit == "months"):
            raise PydanticCustomError("day_of_month", "day_of_month: of months, and only of them")
        return self


class SeriesIssueInput(IssueFields):
    """The issue of each newsletter, as of `POST /newsletters/issues`; without a subject the newsletter's title."""

    subject: Subject | None = None

    @model_validator(mode="after")
    def _has_no_other_text(self) -> Self:
        if self.subject_test is not None and self.subject_test.newsletter_codes:
            problem = "subject_test: an issue of a series has the text of its newsletter alone"
            raise PydanticCustomError("texts", problem)
        return self


class SeriesInput(Input):
    """
    A new series: `newsletter` are values of a newsletter, which needs a target audience, `title` is followed by the
    planned date. Each run drafts a newsletter; with `issue` it also makes an issue, which people approve.
    """

    title: Annotated[Title, Field(max_length=150)]
    newsletter: NewsletterInput
    selected_types: Types
    rule: RuleInput
    timezone: ZoneName
    issue: SeriesIssueInput | None = None


class SeriesChange(Change):
    """
    New values; absent ones stay, also of `newsletter`, `issue` and a rule of the same unit. `issue: null` ends the
    making of issues. `version` as read.
    """

    view = views.SeriesView

    version: Version
    title: Annotated[Title, Field(max_length=150)] | None = None
    newsletter: NewsletterInput | None = None
    selected_types: Types | None = None
    rule: RuleInput | None = None
    timezone: ZoneName | None = None
    enabled: Flag | None = None
    issue: SeriesIssueInput | None = None
