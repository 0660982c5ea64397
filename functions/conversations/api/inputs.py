"""What callers of the admin API may say, and within which bounds. An error names the field and the rule, no value."""

from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    ConfigDict,
    Field,
    Strict,
    model_validator,
)

from conversations.lifecycle import Status
from conversations.projects import ID
from conversations.store.items.conversation import ChannelMethod

LONGEST_TEXT = 20_000


# The system writes these itself where it says who acted: as a whole word, or before a colon.
_OF_THE_SYSTEM = frozenset(
    {"ai", "api-key", "customer", "external", "human", "parley", "provider", "system"}
)


def _is_no_principal(agent_id: str) -> str:
    if agent_id.partition(":")[0].casefold() in _OF_THE_SYSTEM:
        names = ", ".join(sorted(_OF_THE_SYSTEM))
        raise ValueError(
            f"must not be, or begin before a colon with, a name of the system: {names}"
        )
    return agent_id


def _is_not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


type AgentId = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@:+-]{0,63}$"), AfterValidator(_is_no_principal)
]
type EntryId = Annotated[str, Field(pattern=r"^[0-9a-f-]{36}$")]
type Ref = Annotated[str, Field(pattern="^[a-z2-7]{26}$")]
type Flag = Annotated[bool, Strict()]
type Text = Annotated[
    str, Field(min_length=1, max_length=LONGEST_TEXT), AfterValidator(_is_not_blank)
]
# Nobody's conversation is older; and a year has four digits, so that text order is time order.
type Moment = Annotated[AwareDatetime, Field(ge=datetime(2000, 1, 1, tzinfo=UTC))]
type Recipient = Annotated[str, Field(min_length=1, max_length=320)]


class _Input(BaseModel):
    # Strict about names: a field with a typing error must not act as if it had not been there.
    model_config = ConfigDict(extra="forbid", defer_build=True, hide_input_in_errors=True)


class _Page(_Input):
    """Which part of a listing; `cursor` is that of the answer before."""

    limit: int = Field(default=25, ge=1, le=100)
    cursor: str | None = None


class ListQuery(_Page):
    """Which conversations of the company. Without a status those that are open, of all projects of the key."""

    project_id: str | None = Field(default=None, pattern=ID)
    status: Status | None = None


class SearchInput(_Page):
    """Which conversations of one person. Times are ISO 8601 with a zone, of when a conversation was created."""

    recipient: Recipient
    status: Status | None = None
    channel_method: ChannelMethod | None = None
    task_complete: Flag | None = None
    from_: Moment | None = Field(default=None, alias="from")
    to: Moment | None = None


class NoInput(_Input):
    """Nothing is to be given."""


class MessagesQuery(_Input):
    """Which part of the log: what is older than `before`, a value that the newer part came with."""

    before: str | None = Field(
        default=None, pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z~[0-9a-f-]{36}$"
    )
    limit: int = Field(default=50, ge=1, le=100)


class AgentInput(_Input):
    """Who acts. Without a name it is whoever has the conversation, else the API key."""

    agent_id: AgentId | None = None


class ActingInput(AgentInput):
    """Who acts in a conversation; with `force` also where another agent has it."""

    force: Flag = False


class TakeOverInput(ActingInput):
    """Who takes a conversation over; with `force` from a colleague, too."""

    agent_id: AgentId


class MessageInput(ActingInput):
    """What to say: a text, or a template of WhatsApp with the values that it needs beside those that are known."""

    text: Text | None = None
    template: str | None = Field(default=None, pattern=r"^[A-Za-z0-9._-]{1,512}$")
    variables: dict[
        Annotated[str, Field(pattern=r"^\w{1,64}$")],
        Annotated[str, Field(min_length=1, max_length=250)],
    ] = Field(default_factory=dict, max_length=50)

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if (self.text is None) == (self.template is None):
            raise ValueError("give text or template")
        if self.variables and self.template is None:
            raise ValueError("variables are those of a template")
        return self


class HandBackInput(ActingInput):
    """Whether the model answers what the customer wrote last."""

    answer_pending: Flag = False


class ReleaseInput(ActingInput):
    """What to let go: a draft that was not sent, or the first message; in other words where there is a text."""

    draft_entry_id: EntryId | None = None
    text: Text | None = None


class ResolveInput(ActingInput):
    """What became of a message whose outcome nobody knew."""

    entry_id: EntryId
    outcome: Literal["sent", "not_sent", "resend"]


class UnmatchedQuery(_Page):
    """Which messages that belong to no conversation."""

    project_id: str | None = Field(default=None, pattern=ID)


class AttachInput(ActingInput):
    """The conversation that a message belongs to."""

    ref: Ref


class ConsentQuery(_Input):
    """Whose consent."""

    recipient: Recipient


class _Consent(AgentInput):
    """What somebody said, and where that can be read again."""

    recipient: Recipient
    evidence: str = Field(pattern=r"^[ -~]{1,200}$")


class OptOutInput(_Consent):
    """That a person wants nothing more, on some channels or on all (`*`)."""

    channels: list[ChannelMethod | Literal["*"]] = Field(min_length=1, max_length=4)


class OptInInput(_Consent):
    """That a person agrees, on these channels."""

    channels: list[ChannelMethod] = Field(min_length=1, max_length=3)
