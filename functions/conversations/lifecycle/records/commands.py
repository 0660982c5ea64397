"""Records on a channel's queue: first messages, retries and requests by human agents."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from conversations.configuration.resources import Resources
from conversations.initiation.context_object import ContextObject
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.records.reply_trigger import ReplyTrigger
from conversations.lifecycle.transitions import Cause
from conversations.store.items.log import Message
from shared.aws.sqs_fifo import Entry, digest
from shared.events.record_body import parse_body
from shared.events.versions import VERSION


class _Record(BaseModel):
    model_config = ConfigDict(extra="allow", defer_build=True, hide_input_in_errors=True)

    v: int = VERSION
    ref: str


class Resume(_Record):
    """Request to send a deferred first message or reply, if it is due; *waiting_since*: see `ReplyTrigger`."""

    type: Literal["resume"] = "resume"
    waiting_since: str | None = None


class Resolve(_Record):
    """Request to settle a send with unknown outcome from the available evidence."""

    type: Literal["resolve"] = "resolve"


class HumanMessage(_Record):
    """
    Message that a human agent wants to send. *cause* is the hash of the call's idempotency key.

    *principal* is the authenticated caller, and so is *agent_id*; records of earlier versions name another agent there.
    *is_divisible*: the text is a draft of the model that may be sent in several SMS.
    """

    type: Literal["human_message"] = "human_message"
    cause: str
    agent_id: str
    principal: str | None = None
    text: str | None = Field(default=None, repr=False)
    template: str | None = None
    variables: dict[str, str] = Field(default_factory=dict, repr=False)
    is_divisible: bool = False


class Release(_Record):
    """
    Request by a human agent to send a first message that was held back or failed; *text*, if given, replaces it.

    With *function_sk*, the sort key of its message, it releases a function call that waited for approval instead.
    """

    type: Literal["release"] = "release"
    cause: str
    agent_id: str
    principal: str | None = None
    text: str | None = Field(default=None, repr=False)
    function_sk: str | None = None

    def cause_for(self, reason: str) -> Cause:
        """Return the cause that changes made by this release are recorded with."""
        return Cause(
            who=f"human:{self.agent_id}", principal=self.principal, what=self.cause, reason=reason
        )


class Notice(_Record):
    """Request to send a fixed text: the answer to HELP, or a notice of an opt-out, a hand-off or a refused file."""

    type: Literal["notice"] = "notice"
    notice: Literal["help", "opt_out_confirmation", "handoff", "file_refused"]
    cause: str


class FollowUp(_Record):
    """Request to follow up our message *message_sk*, which has no answer, by a *step* of the project, from 0."""

    type: Literal["follow_up"] = "follow_up"
    message_sk: str
    step: int


class AskSatisfaction(_Record):
    """Request to ask the customer of an ended conversation how satisfied they are."""

    type: Literal["ask_satisfaction"] = "ask_satisfaction"


class Shadow(_Record):
    """
    Request for the answer of a version on trial to the messages up to *asked*. *answered* is the sort key of the live
    version's answer, if it was sent; *live_handed_off_for* why it gave the conversation to people. Results of functions
    are those of *once_in*.
    """

    type: Literal["shadow"] = "shadow"
    trial_id: str
    asked: str
    answered: str | None = None
    once_in: str
    live_handed_off_for: str | None = None


class FetchFiles(_Record):
    """Request of an earlier release to fetch a customer's files again; see `FileDownload`."""

    type: Literal["fetch_files"] = "fetch_files"
    message_sk: str


class Lengthen(_Record):
    """Request to extend the log's retention to *ttl* (epoch seconds); *after* is the sort key to continue from."""

    type: Literal["lengthen"] = "lengthen"
    ttl: int
    after: str | None = None


class Close(_Record):
    """Request to close a conversation that has had no activity for `close_after_days`."""

    type: Literal["close"] = "close"


type Record = (
    ContextObject
    | Resume
    | Resolve
    | HumanMessage
    | Release
    | Notice
    | FollowUp
    | AskSatisfaction
    | Shadow
    | FetchFiles
    | Lengthen
    | Close
)

_records: TypeAdapter[Record] = TypeAdapter(Annotated[Record, Field(discriminator="type")])


def entry(record: Record, ref: str, *what: str) -> Entry:
    """Build the entry for a channel's queue; its deduplication id is the hash of *ref* and *what*."""
    body = record.model_dump_json(ensure_ascii=True, exclude_none=True)
    return Entry(body, digest(ref), digest(ref, *what))


def read(body: str) -> Record:
    """
    Parse the body of a queue message.

    Raises Permanent (`malformed_event`, `unsupported_event_version`) and NewerVersion.
    """
    return parse_body(body, _records)


def ask_for_reply(
    resources: Resources,
    ref: str,
    message: Message,
    *again: str,
    waiting_since: str | None = None,
    due_at: str | None = None,
    shows_typing: bool = False,
) -> None:
    """Enqueue a reply trigger for a message. Safe to repeat; *again* changes the deduplication id."""
    command = ReplyTrigger(
        ref=ref,
        message_sk=message.own_sk,
        waiting_since=waiting_since,
        due_at=due_at,
        shows_typing=shows_typing or None,
    )
    entry = Entry(command.body(), digest(ref), digest("trigger", ref, command.message_sk, *again))
    resources.replies.send([entry])


def send_notice(resources: Resources, opened: OpenConversation, notice: str, cause: str) -> None:
    """Enqueue a fixed text for the channel's processor, once per cause."""
    command = Notice.model_validate({"ref": opened.ref, "notice": notice, "cause": cause})
    queue = resources.channels[opened.conversation.channel_method]
    queue.send([entry(command, opened.ref, "notice", notice, cause)])
