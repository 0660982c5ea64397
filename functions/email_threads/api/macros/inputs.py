"""Input models of macros."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, Field, Strict, model_validator
from pydantic_core import PydanticCustomError

from email_threads.api.drafts.inputs import Number  # noqa: TC001 - pydantic reads this annotation at run time
from email_threads.api.inputs import MOST_TAGS, Flag, Priority, Tag
from email_threads.store.items import Status  # noqa: TC001 - pydantic reads this annotation at run time
from shared.api.errors import InvalidInput
from shared.api.models.agent_inputs import Assignee  # noqa: TC001 - pydantic reads this annotation at run time
from shared.api.models.inputs import Input
from shared.inbox.canned_replies import texts
from shared.inbox.canned_replies.inputs import Values  # noqa: TC001 - pydantic reads this annotation at run time
from shared.runtime.validation import patterns

SEEN: Final = patterns.worded(r"^[0-9TZ:.+-]+$", "must be the updated_at that was read")
ME: Final = "me"  # as `assigned_to`: the person who runs the macro


def _as_name(text: str) -> str:
    try:
        texts.check_name(text)
    except InvalidInput:
        raise PydanticCustomError("name", texts.NAME_RULE) from None
    return text


type Name = Annotated[str, Field(max_length=texts.LONGEST_NAME), AfterValidator(_as_name)]


class MacroInput(Input):
    """
    The steps of a macro; a call replaces all of them. `canned_reply` is the name of a reply that answers the customer's
    newest mail, and `sends` approves the answer if the caller may. `assigned_to` may be `me`. `seen`: the `updated_at`
    that was read, null if there was no such macro; a macro that was changed since is not replaced. Absent: it is
    replaced in any case.
    """

    name: Name
    canned_reply: Name | None = None
    sends: Flag = False
    add_tags: list[Tag] = Field(default_factory=list, max_length=MOST_TAGS)
    remove_tags: list[Tag] = Field(default_factory=list, max_length=MOST_TAGS)
    status: Status | None = None
    priority: Priority | None = None
    assigned_to: Assignee | None = None
    seen: Annotated[str, Field(max_length=40, pattern=SEEN)] | None = None

    @model_validator(mode="after")
    def _has_steps(self) -> MacroInput:
        if not self.model_fields_set - {"name", "sends", "seen"}:
            raise PydanticCustomError("empty", "must have a step")
        if self.sends and self.canned_reply is None:
            raise PydanticCustomError("sends", "sends needs a canned_reply")
        if both := set(self.add_tags) & set(self.remove_tags):
            raise PydanticCustomError(
                "tags", "add_tags and remove_tags have {count} tags in common", {"count": len(both)}
            )
        return self


class MacroRunInput(Input):
    """
    The values of the canned reply's variables, and the mail `n` that is answered, by default the customer's newest.
    With `expected_seq` the run is refused if the thread has another `last_seq` by now; `confirm_stale` sends the answer
    although another person has just answered.
    """

    variables: Values = Field(default_factory=dict)
    n: Number | None = None
    expected_seq: Annotated[int, Strict()] | None = Field(default=None, ge=0)
    confirm_stale: Flag = False
