"""Input models of the API and their limits."""

from datetime import date
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    ValidationInfo,
    field_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from shared.api.models.agent_inputs import MOST_LABELS, Assignee, AssigneeFilter, Label, SnoozeEnd
from shared.api.models.inputs import Input
from shared.runtime.validation import patterns
from whatsapp.store import ordering

MOST_DAYS = 90  # DynamoDB reads up to 100 items per call.
LONGEST_NOTE = 4_000


def _as_date(text: str) -> date:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    # Compared with isoformat(), because fromisoformat() accepts weeks and dates without dashes too.
    if day is None or day.isoformat() != text:
        raise PydanticCustomError("date", "must be a date such as 2026-01-31")
    return day


def _is_not_blank(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return text


def _is_position(text: str) -> str:
    if not ordering.is_key(text):
        raise PydanticCustomError("position", "must be a `position` of the conversation")
    return text


type Day = Annotated[date, BeforeValidator(_as_date)]
type Position = Annotated[str, AfterValidator(_is_position)]
type Flag = Annotated[bool, Strict()]
type Status = Literal["open", "resolved", "snoozed"]


class _Limit(Input):
    limit: int = Field(default=50, ge=1, le=100)


class _Page(_Limit):
    cursor: str | None = None


class ConversationsQuery(_Page):
    """
    Filter for conversations. `phone`: Meta's id of the number, or its digits; optional if there is only one, and with
    `assignee`, which lists an agent's conversations of all numbers.
    """

    # An unescaped `+` arrives as a blank.
    phone: str | None = Field(
        default=None,
        pattern=patterns.worded(
            r"^[+ ]?[0-9]{5,20}$", "must be a phone number such as +447700900123"
        ),
    )
    archived: Literal["true", "false"] | None = None  # none: both
    unread: Literal["true", "false"] | None = None  # none: both
    assignee: AssigneeFilter | None = None
    status: Status | None = None
    label: Label | None = None


class ConversationQuery(Input):
    """
    What to return with a conversation: as many of its newest messages (and the calls between them), notes and changes.
    With `revision`, changes are left out if the conversation still has that revision. `consent`: the customer's.
    """

    messages: int | None = Field(default=None, ge=1, le=100)
    notes: int | None = Field(default=None, ge=1, le=100)
    changes: int | None = Field(default=None, ge=1, le=100)
    revision: int | None = Field(default=None, ge=0)
    consent: Literal["true"] | None = None


class MessagesQuery(_Page):
    """Filter for the messages of a conversation."""


class NotesQuery(_Page):
    """Position in the notes of a conversation."""


class ChangesQuery(_Limit):
    """Position in the changes of a conversation: changes before the revision `before`."""

    before: int | None = Field(default=None, ge=1)


class _Body(Input):
    model_config = ConfigDict(alias_generator=to_camel)


class ReadInput(_Body):
    """The read mark of an agent: `upTo` is the `position` of the conversation as it was shown."""

    up_to: Position


class ChangeInput(_Body):
    """
    New values; absent ones stay. `assignee: null` removes the assignee. `labels` replaces all labels and needs
    `revision`. A change with `revision` is refused if the conversation has another one by now.
    """

    archived: Flag | None = None
    assignee: Assignee | None = None
    labels: list[Label] | None = Field(default=None, max_length=MOST_LABELS)
    status: Status | None = None
    snoozed_until: SnoozeEnd | None = None  # with `status: snoozed`: at most a year ahead
    revision: Annotated[int, Strict()] | None = Field(default=None, ge=0)


class NoteInput(_Body):
    """An internal note."""

    text: Annotated[
        str, Field(min_length=1, max_length=LONGEST_NOTE), AfterValidator(_is_not_blank)
    ]


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
