"""Input models of the admin API and their limits. An error names the field and the rule, never a value."""

from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, AwareDatetime, Field, Strict, model_validator

from conversations.configuration.projects import ID
from conversations.lifecycle.status import Status
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.parts.memory import LONGEST_FACT, LONGEST_SUMMARY, MOST_FACTS
from shared.api.models.agent_inputs import (
    MOST_LABELS,
    Assignee,
    AssigneeFilter,
    Label,
    SnoozeEnd,
)
from shared.api.models.inputs import Input
from shared.runtime.validation import patterns

LONGEST_TEXT = 20_000
LONGEST_NOTE = 4_000
_MOMENT = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
MESSAGE = rf"{_MOMENT}~[0-9a-f-]{{36}}$"
_OF_A_PAGE = "must be a value from the previous page"


def _is_not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


type EntryId = Annotated[str, Field(pattern=r"^[0-9a-f-]{36}$")]
type Ref = Annotated[str, Field(pattern="^[a-z2-7]{26}$")]
type Flag = Annotated[bool, Strict()]
# Reasons why an answer of the model is bad; parts of the names of counts.
type RatingReason = Literal["wrong", "incomplete", "tone", "language", "not_needed", "other"]
type Text = Annotated[
    str, Field(min_length=1, max_length=LONGEST_TEXT), AfterValidator(_is_not_blank)
]
# No conversation is older. Years must have four digits, so that text order is time order.
type Moment = Annotated[AwareDatetime, Field(ge=datetime(2000, 1, 1, tzinfo=UTC))]
type Recipient = Annotated[str, Field(min_length=1, max_length=320)]


class _Page(Input):
    """Position in a listing; `cursor` is a value from the previous page."""

    limit: int = Field(default=25, ge=1, le=100)
    cursor: str | None = None


class ListQuery(_Page):
    """Filter for a company's conversations. Defaults: open ones, of all projects of the API key."""

    project_id: str | None = Field(default=None, pattern=ID)
    status: Status | None = None


class SearchInput(_Page):
    """Filter for conversations with one customer. `from` and `to` limit `created_at`: ISO 8601 with a time zone."""

    recipient: Recipient
    status: Status | None = None
    channel_method: ChannelMethod | None = None
    task_complete: Flag | None = None
    from_: Moment | None = Field(default=None, alias="from")
    to: Moment | None = None


class ConversationQuery(Input):
    """
    The parts of a conversation to return: as many of its newest messages and notes, and the customer's `consent` on its
    channel.
    """

    messages: int | None = Field(default=None, ge=1, le=100)
    notes: int | None = Field(default=None, ge=1, le=100)
    consent: Literal["true"] | None = None


class MessagesQuery(Input):
    """Position in the message log: messages older than `before`, a value from the previous page."""

    before: str | None = Field(default=None, pattern=patterns.worded(MESSAGE, _OF_A_PAGE))
    limit: int = Field(default=50, ge=1, le=100)


class ActingInput(Input):
    """With `force` the call may act on another agent's conversation."""

    force: Flag = False


class TakeOverInput(ActingInput):
    """
    Agent that gets the conversation, by default the caller; with `force` also from another agent.

    With `held_by` only from this one: refused if another, or none, holds it by now.
    """

    assignee: Assignee | None = None
    held_by: AssigneeFilter | None = None


class MessageInput(ActingInput):
    """Message to send: a text, or a WhatsApp template with the values that are not known from project data."""

    text: Text | None = None
    template: str | None = Field(default=None, pattern=r"^[A-Za-z0-9._-]{1,512}$")
    variables: dict[
        Annotated[
            str,
            Field(pattern=patterns.worded(r"^\w{1,64}$", "must have 1 to 64 letters, digits or _")),
        ],
        Annotated[str, Field(min_length=1, max_length=250)],
    ] = Field(default_factory=dict, max_length=50)

    @model_validator(mode="after")
    def _has_text_or_template(self) -> Self:
        if (self.text is None) == (self.template is None):
            raise ValueError("must have either text or template")
        if self.variables and self.template is None:
            raise ValueError("variables must not be given without template")
        return self


class HandBackInput(ActingInput):
    """Hand-back; `answer_pending` lets the model answer the customer's pending messages."""

    answer_pending: Flag = False


class ReleaseInput(ActingInput):
    """Release of an unsent draft, a function call or the first message; `text` replaces the message's content."""

    draft_entry_id: EntryId | None = None
    text: Text | None = None


class ResolveInput(ActingInput):
    """Outcome of a message whose delivery is unknown."""

    entry_id: EntryId
    outcome: Literal["sent", "not_sent", "resend"]


class LabelsInput(Input):
    """All labels of the conversation, and the `revision` that they were read with."""

    labels: list[Label] = Field(max_length=MOST_LABELS)
    revision: Annotated[int, Strict()] = Field(ge=0)


class RatingInput(Input):
    """The caller's rating of a message of the model; null takes it back. `reason` of a bad one, by default `other`."""

    entry_id: EntryId
    rating: Literal["up", "down"] | None
    reason: RatingReason | None = None

    @model_validator(mode="after")
    def _has_reason(self) -> Self:
        if self.reason is not None and self.rating != "down":
            raise ValueError("reason is of the rating down only")
        if self.rating == "down" and self.reason is None:
            self.reason = "other"
        return self


class SnoozeInput(Input):
    """
    End of a snooze: at most a year ahead, and before the conversation is deleted.

    With `revision` the change is refused if agents have changed the conversation since.
    """

    snoozed_until: SnoozeEnd
    revision: Annotated[int, Strict()] | None = Field(default=None, ge=0)


class NotesQuery(Input):
    """Position in the notes: notes older than `before`, a value from the previous page."""

    before: str | None = Field(
        default=None, pattern=patterns.worded(rf"{_MOMENT}~[0-9a-f]{{32}}$", _OF_A_PAGE)
    )
    limit: int = Field(default=50, ge=1, le=100)


class NoteInput(Input):
    """An internal note."""

    text: Annotated[
        str, Field(min_length=1, max_length=LONGEST_NOTE), AfterValidator(_is_not_blank)
    ]


class MemoryInput(Input):
    """The memory of the conversation, which replaces the stored one, and the `revision` that it was read with."""

    summary: Annotated[str, Field(max_length=LONGEST_SUMMARY)]
    facts: list[
        Annotated[str, Field(min_length=1, max_length=LONGEST_FACT), AfterValidator(_is_not_blank)]
    ] = Field(max_length=MOST_FACTS)
    revision: Annotated[int, Strict()] = Field(ge=0)


class UnmatchedQuery(_Page):
    """Filter for messages that belong to no conversation."""

    project_id: str | None = Field(default=None, pattern=ID)


class AttachInput(ActingInput):
    """Conversation to attach a message to."""

    ref: Ref


class ConsentQuery(Input):
    """Recipient whose consent is requested."""

    recipient: Recipient


class _Consent(Input):
    """Consent statement of a recipient; `evidence` refers to its source."""

    recipient: Recipient
    evidence: str = Field(pattern=r"^[ -~]{1,200}$")


class OptOutInput(_Consent):
    """Opt-out from some channels or from all (`*`)."""

    channels: list[ChannelMethod | Literal["*"]] = Field(min_length=1, max_length=4)


class OptInInput(_Consent):
    """Opt-in to these channels."""

    channels: list[ChannelMethod] = Field(min_length=1, max_length=3)
