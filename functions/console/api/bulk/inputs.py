"""Input models of changes of many conversations."""

from __future__ import annotations

from typing import Annotated, Final, Self

from pydantic import AwareDatetime, Field, TypeAdapter, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from console.api.inputs import ListFilters  # noqa: TC001 - field of a model
from console.store.bulk.items import Action  # noqa: TC001 - field of a model
from shared.api.errors import InvalidInput
from shared.api.models.agent_inputs import Assignee, Label, end_of_snooze
from shared.api.models.inputs import Input
from shared.inbox.items import Context  # noqa: TC001 - field of a model
from shared.runtime import clock

MOST_CHOSEN: Final = 500
_LABEL: Final = TypeAdapter[str](Label)
_ASSIGNEE: Final = TypeAdapter[str](Assignee)
_MOMENT: Final = TypeAdapter(AwareDatetime)


class ChosenConversation(Input):
    """A conversation by its key in the API of its context, as the inbox lists it."""

    context: Context
    key: Annotated[str, Field(min_length=1, max_length=2_048)]


class BulkChangeInput(Input):
    """
    A change of the chosen `conversations`, or of all that match `filters`, at most 2,000.

    `value` is the assignee (null removes it), the label, or the end of the snooze; other actions have none.
    """

    action: Action
    value: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    conversations: list[ChosenConversation] | None = Field(
        default=None, min_length=1, max_length=MOST_CHOSEN
    )
    filters: ListFilters | None = None

    @model_validator(mode="after")
    def _names_conversations_in_one_way(self) -> Self:
        if (self.conversations is None) == (self.filters is None):
            raise PydanticCustomError("targets", "must have either conversations or filters")
        return self


class NamedChange(Input):
    """The change that is stopped or undone: the caller's newest one."""

    change_id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


def checked_value(body: BulkChangeInput) -> str | None:
    """Return the value of a change as it is stored. Raises InvalidInput unless the action takes it."""
    try:
        return _value_of(body)
    except ValidationError:
        problem = f"must be a value that {body.action} takes"
        raise InvalidInput([{"field": "value", "problem": problem}]) from None


def _value_of(body: BulkChangeInput) -> str | None:
    value = body.value
    match body.action:
        case "assign":
            return _ASSIGNEE.validate_python(value) if value is not None else None
        case "label":
            return _LABEL.validate_python(value)
        case "snooze":
            now = clock.to_text(clock.now_ms())
            return end_of_snooze("value", _MOMENT.validate_python(value), now=now)
        case _ if value is not None:
            problem = f"{body.action} takes no value"
            raise InvalidInput([{"field": "value", "problem": problem}])
    return None
