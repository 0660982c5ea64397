"""Inputs that agents give alike in all contexts: assignees, labels, notes and the end of a snooze."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, Field
from pydantic_core import PydanticCustomError

from shared.api import principals
from shared.api.errors import InvalidInput
from shared.runtime import clock

MOST_LABELS = 20
LONGEST_LABEL = 50
LONGEST_SNOOZE_MS = 366 * clock.DAY_SECONDS * clock.SECOND_MS


def _is_one_line(label: str) -> str:
    if label != label.strip() or not label.isprintable():
        raise PydanticCustomError("label", "must be printable, without blanks at the ends")
    return label


def _is_assignable(text: str) -> str:
    if not principals.is_assignable(text):
        names = ", ".join(sorted(principals.RESERVED))
        raise PydanticCustomError(
            "assignee",
            "must be user:<id>, team:<name>, or a name that is no reserved name, alone or before a colon: {names}",
            {"names": names},
        )
    return text


type Label = Annotated[
    str, Field(min_length=1, max_length=LONGEST_LABEL), AfterValidator(_is_one_line)
]
# To whom a conversation is given; and what a filter may name: also software, which takes conversations over itself.
type Assignee = Annotated[
    str, Field(pattern=principals.ANY_PATTERN), AfterValidator(_is_assignable)
]
type AssigneeFilter = Annotated[str, Field(pattern=principals.ANY_PATTERN)]
# Years have four digits, so that text order is time order.
type SnoozeEnd = Annotated[AwareDatetime, Field(ge=datetime(2000, 1, 1, tzinfo=UTC))]


def end_of_snooze(field: str, until: datetime, *, now: str, deleted_at: int | None = None) -> str:
    """
    Return the end of a snooze as it is stored. *deleted_at*: when the conversation is deleted (epoch seconds).

    Raises InvalidInput, about *field*, for a time that is past, too late, or after the deletion.
    """
    end = clock.to_text(round(until.timestamp() * clock.SECOND_MS))
    if not now < end <= clock.to_text(clock.from_text(now) + LONGEST_SNOOZE_MS):
        problem = "must be in the future, at most 366 days ahead"
    elif deleted_at is not None and end >= clock.to_text(deleted_at * clock.SECOND_MS):
        problem = f"must be before {clock.to_text(deleted_at * clock.SECOND_MS)}, when the conversation is deleted"
    else:
        return end
    raise InvalidInput([{"field": field, "problem": problem}])
