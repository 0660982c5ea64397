"""What lies on a channel's queue: first messages, and work that comes back or that people asked for."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from conversations.conversation import Opened
from conversations.initiation.context_object import ContextObject
from conversations.resources import Resources
from conversations.store.items.log import Message
from conversations.transitions import Cause
from shared.aws.sqs_fifo import Entry, digest
from shared.events import ReplyTrigger, body_of
from shared.failures import Permanent


class _Record(BaseModel):
    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    ref: str


class Resume(_Record):
    """A first message that was put off may be due."""

    type: Literal["resume"] = "resume"


class Resolve(_Record):
    """A send whose outcome nobody knew is to be settled by the evidence that there is."""

    type: Literal["resolve"] = "resolve"


class HumanMessage(_Record):
    """
    What a person of the company wants to say. *cause* is the hash of the call's idempotency key.

    *principal* is the authenticated caller, *agent_id* the agent that the call names.
    """

    type: Literal["human_message"] = "human_message"
    cause: str
    agent_id: str
    principal: str | None = None
    text: str | None = Field(default=None, repr=False)
    template: str | None = None
    variables: dict[str, str] = Field(default_factory=dict, repr=False)


class Release(_Record):
    """
    A person lets a first message go that was held back or failed; *text* in its place, where there is one.

    With *function_sk* it is a function that waited for them: the sort key of its message.
    """

    type: Literal["release"] = "release"
    cause: str
    agent_id: str
    principal: str | None = None
    text: str | None = Field(default=None, repr=False)
    function_sk: str | None = None

    def cause_for(self, reason: str) -> Cause:
        """What changes of the conversation because of this release are recorded with."""
        return Cause(
            who=f"human:{self.agent_id}", principal=self.principal, what=self.cause, reason=reason
        )


class Notice(_Record):
    """A fixed text: the answer to HELP, the confirmation of an opt-out, the news that a person takes over."""

    type: Literal["notice"] = "notice"
    notice: Literal["help", "opt_out_confirmation", "handoff"]
    cause: str


class FetchFiles(_Record):
    """A customer's files could not be had; they are tried again."""

    type: Literal["fetch_files"] = "fetch_files"
    message_sk: str


class Lengthen(_Record):
    """The log of a conversation is to live until *ttl* (epoch seconds); *after* is the sort key where that goes on."""

    type: Literal["lengthen"] = "lengthen"
    ttl: int
    after: str | None = None


type Record = (
    ContextObject | Resume | Resolve | HumanMessage | Release | Notice | FetchFiles | Lengthen
)

_records: TypeAdapter[Record] = TypeAdapter(
    Annotated[
        ContextObject | Resume | Resolve | HumanMessage | Release | Notice | FetchFiles | Lengthen,
        Field(discriminator="type"),
    ]
)


def entry(record: Record, ref: str, *what: str) -> Entry:
    """The record for a channel's queue; *what* beside the conversation makes it the same as another one."""
    body = record.model_dump_json(ensure_ascii=True, exclude_none=True)
    return Entry(body, digest(ref), digest(ref, *what))


def read(body: str) -> Record:
    """The record that a queue's message holds. Raises Permanent (`unreadable`)."""
    try:
        return _records.validate_json(body)
    except ValidationError:
        raise Permanent("unreadable") from None


def ask_for_reply(here: Resources, ref: str, message: Message, *again: str) -> None:
    """Ask for an answer to a message. Safe to repeat; *again* makes it another question than the ones before."""
    wanted = ReplyTrigger(
        ref=ref, message_sk=message.sk(message.message_timestamp, message.entry_id)
    )
    entry = Entry(body_of(wanted), digest(ref), digest("trigger", ref, wanted.message_sk, *again))
    here.replies.send([entry])


def send_notice(here: Resources, opened: Opened, notice: str, cause: str) -> None:
    """Have the processor of the channel send a fixed text, once for each cause."""
    wanted = Notice.model_validate({"ref": opened.ref, "notice": notice, "cause": cause})
    queue = here.channels[opened.conversation.channel_method]
    queue.send([entry(wanted, opened.ref, "notice", notice, cause)])
