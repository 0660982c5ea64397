"""Input models of the inbox's API and their limits."""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from shared.api.models.agent_inputs import LONGEST_LABEL, AssigneeFilter
from shared.api.models.inputs import Input
from shared.api.principals import TEAM_PATTERN
from shared.inbox.items import Channel, Context, Status
from shared.runtime.validation import patterns

LONGEST_QUERY = 100
MOST_TEAMS = 20


type StatusFilter = Status | Literal["all"]


class ViewFilters(Input):
    """The filters of a list of conversations, which a view saves."""

    context: Context | None = None
    channel: Channel | None = None
    address: Annotated[str, Field(min_length=1, max_length=254)] | None = None
    status: StatusFilter | None = None
    assignee: AssigneeFilter | None = None
    label: Annotated[str, Field(min_length=1, max_length=50)] | None = None
    unread: Literal["true", "false"] | None = None
    due: Literal["at_risk", "overdue"] | None = None
    unassigned: Literal["true"] | None = None
    waiting: Literal["true"] | None = None


class ListFilters(ViewFilters):
    """The filters of a list of conversations with the words of a search: see `InboxQuery`."""

    q: Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY)] | None = None


class InboxQuery(ListFilters):
    """
    Filters of the inbox. `address`: the number (Meta's id of it for the WhatsApp inbox) or mailbox of the company.

    Without `status` all conversations but the archived ones are listed; `all`, or a search, lists these too. `q`: words
    that the contact's name or handle, the subject or the preview must contain, with or without accents. A number is
    found by any spelling of it and by a part of its digits. Conversations of people whom `q` names come first. `due`: a
    target is overdue, or (`at_risk`) its alarm has come, too. `unassigned`: without an assignee. `waiting`: the
    customer waits for an answer; these are listed by `waitingSince`, the longest first, of each 2,000 conversations
    that are compared.
    """

    limit: int = Field(default=50, ge=1, le=100)
    cursor: str | None = None


type TeamName = Annotated[str, Field(pattern=TEAM_PATTERN)]
# On one line, without the separators of keys and addresses.
_LINE = patterns.worded(
    r"^[^\x00-\x1f]*[^\s\x00-\x1f][^\x00-\x1f]*$", "must be one line with a visible character"
)
type ViewName = Annotated[str, Field(min_length=1, max_length=60, pattern=_LINE)]


class ViewsQuery(Input):
    """Whose views to list beside the caller's own: names of teams, with commas between them."""

    teams: Annotated[str, Field(max_length=1_000)] | None = None

    @field_validator("teams")
    @classmethod
    def _are_names(cls, text: str | None) -> str | None:
        names = text.split(",") if text else []
        if len(names) > MOST_TEAMS or not all(re.fullmatch(TEAM_PATTERN, name) for name in names):
            raise PydanticCustomError("teams", f"must be up to {MOST_TEAMS} names of teams")
        return text

    @property
    def names(self) -> list[str]:
        """The names, each once."""
        return list(dict.fromkeys(self.teams.split(","))) if self.teams else []


class SaveViewInput(Input):
    """A view to be saved under its name, for the caller or a *team*. Without *filters* it is removed."""

    name: ViewName
    team: TeamName | None = None
    filters: ViewFilters | None = None


class ContactsQuery(Input):
    """
    A search of contacts, by words, filters or both. `q`: words of the name, with or without accents; a phone number in
    any spelling or its last six digits; the beginning of an address, of at least three characters; an external id or
    user id. A contact has all of them. `attribute`: `{name}:{value}` of a filterable attribute.
    """

    q: Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY)] | None = None
    label: Annotated[str, Field(min_length=1, max_length=LONGEST_LABEL)] | None = None
    owner: AssigneeFilter | None = None
    attribute: Annotated[str, Field(max_length=200, pattern=patterns.ATTRIBUTE)] | None = None
    limit: int = Field(default=10, ge=1, le=20)
    cursor: str | None = None

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if not any((self.q, self.label, self.owner, self.attribute)):
            raise PydanticCustomError("q", "must have q, label, owner or attribute")
        return self


class PageQuery(Input):
    """A page of a list."""

    limit: int = Field(default=20, ge=1, le=50)
    cursor: str | None = None
