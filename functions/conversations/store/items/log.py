"""
The conversation log: what is hot or grows, in small items under the conversation's `ref`.

    CONV#<ref>   MSG#<time>#<entry id>   Message        every message, whole
                 EVT#<time>#<id>         Change         who changed the status, and why
                 STATE                   State          mode, turn, fence, marks
                 DUE#<kind>              Due            work that waits for its time
                 FN#<action id>          FunctionResult what a company's system answered

What leads to it stands in `ways`.
"""

from enum import StrEnum
from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

from conversations.store.items.base import LogItem, key, sort_key
from conversations.store.items.conversation import ChannelMethod, Conversation, Role
from conversations.store.items.proposal import Proposal
from shared import clock
from shared.aws.dynamodb import Attributes

DUE_INDEX = "due-index"
DUE_BUCKETS = 4
ACTION_PK_PATTERN = "ACTION#{action_id}"  # of the ledger's items, see `shared.action_ledger`
MARKER_DAYS = 35  # longer than any provider or dead-letter queue brings an event again


class OfConversation(LogItem):
    """What lies under one conversation."""

    pk_pattern: ClassVar[str] = "CONV#{ref}"


class Delivery(StrEnum):
    """How far a message of ours is; in the order of the ranks. The last four are final."""

    DRAFT = "draft"
    SENDING = "sending"
    ACCEPTED = "accepted"
    QUEUED = "queued"
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"
    UNKNOWN = "unknown"
    DISCARDED = "discarded"
    BLOCKED = "blocked"


class Message(OfConversation):
    """
    A message: the contract's attributes, and what one has to know of its way.

    `author`: `customer`, `ai`, `system`, `human:<agent id>`, `human:external`. `principal` is the API key that wrote a
    person's message. `resolved_by` and `resolved_principal` say who decided what became of an unknown send.
    `payload_hash` is of what came.
    `content_key` is where a text of over 16 KB lies whole. `segments` are the provider's once it has told. What follows
    from a message of the model (hand-off, functions, recorded answers) stands here too: whoever finishes the turn of a
    dead worker needs nothing else.
    """

    item_type: ClassVar[str] = "MESSAGE"
    sk_pattern: ClassVar[str] = "MSG#{message_timestamp}#{entry_id}"
    first_sk: ClassVar[str] = "MSG#"

    entry_id: str
    message_timestamp: str
    role: Role
    content: str = Field(default="", repr=False)
    author: str
    principal: str | None = None
    resolved_by: str | None = None
    resolved_principal: str | None = None
    kind: str = "text"
    ai_prompt_tokens: int | None = None
    ai_completion_tokens: int | None = None
    ai_total_tokens: int | None = None
    processing_time_ms: int | None = None
    model: str | None = None
    calls: int | None = None
    turn_id: str | None = None
    subject: str | None = Field(default=None, repr=False)
    template: str | None = None
    variables: dict[str, str] | None = Field(default=None, repr=False)
    hand_off_reason: str | None = Field(default=None, repr=False)  # in the model's own words
    hand_off_cause: str | None = None  # a code
    thread_id: str | None = None
    functions: list[str] = Field(default_factory=list)
    proposal: Proposal | None = None  # of a function, `kind` function: nothing that is said
    answers: dict[str, str] = Field(default_factory=dict, repr=False)
    told: list[str] = Field(default_factory=list)  # what the model knew of `State.to_tell`
    completes_task: bool | None = None
    opts_out: bool | None = None
    button: dict[str, str] | None = Field(default=None, repr=False)
    media: list[dict[str, str]] = Field(default_factory=list, repr=False)
    media_state: str | None = None
    location: dict[str, str] | None = Field(default=None, repr=False)
    reply_to: str | None = None
    content_key: str | None = None
    extra: dict[str, Any] = Field(default_factory=dict, repr=False)
    provider: str | None = None
    provider_message_id: str | None = None
    other_id: str | None = None  # Meta's beside AWS's: it leads here too
    delivery_status: Delivery | None = None
    delivery_status_at: str | None = None
    error_code: str | None = None
    encoding: str | None = None
    segments: int | None = None
    price: str | None = None
    currency: str | None = None
    payload_hash: str | None = None

    @classmethod
    def sk(cls, message_timestamp: str, entry_id: str) -> str:
        """The sort key of a message: text order is time order."""
        return sort_key(cls.sk_pattern, message_timestamp, entry_id)

    @property
    def quoted_as(self) -> str | None:
        """The id that an answer names: of a mail its Message-ID, whatever the context that took it in calls it."""
        message_id = self.extra.get("message_id")
        return message_id if isinstance(message_id, str) else self.provider_message_id


class Change(OfConversation):
    """
    A status changed: who did it, from what to what, for which reason, because of which event.

    `principal` is the authenticated caller, where the change was made over the API; `who` is the agent that it named.
    Equal statuses: another agent has the conversation.
    """

    item_type: ClassVar[str] = "CHANGE"
    sk_pattern: ClassVar[str] = "EVT#{time}#{id}"
    first_sk: ClassVar[str] = "EVT#"

    who: str
    principal: str | None = None
    from_status: str | None = None
    to_status: str
    reason: str | None = None
    cause: str

    @classmethod
    def sk(cls, time: str, change_id: str) -> str:
        """The sort key of a change."""
        return sort_key(cls.sk_pattern, time, change_id)


class Mode(StrEnum):
    """Who may speak."""

    AI = "ai"
    HUMAN = "human"
    CLOSED = "closed"


class TurnKind(StrEnum):
    """What a turn answers: a request, customers' messages, or a person's wish to say something."""

    INITIAL = "initial"
    REPLY = "reply"
    HUMAN = "human"
    SYSTEM = "system"


class Stage(StrEnum):
    """How far a turn is: what it says may still change, or its message is on the way."""

    CLAIMED = "claimed"
    SENDING = "sending"


class Turn(BaseModel):
    """
    The turn under way. `generation` is the fence: who takes over raises the state's, and this one may not send.

    `up_to` is the sort key of the newest message that it answers, `message_sk` that of its own, drafted or to be
    drafted; `lease_until` is in milliseconds since 1970.
    """

    model_config = ConfigDict(extra="allow", hide_input_in_errors=True)

    turn_id: str
    kind: TurnKind
    up_to: str | None = None
    message_sk: str
    generation: int
    stage: Stage
    owner: str
    lease_until: int

    @property
    def is_over(self) -> bool:
        """Whether the worker that claimed it cannot be alive any more."""
        return self.lease_until <= clock.now_ms()


class State(OfConversation):
    """
    The hot part of a conversation. Times are text; `answered_up_to` is the sort key of the newest answered message.

    `erased_at` makes it a tombstone: nothing else is left of it once its conversation is erased.
    """

    item_type: ClassVar[str] = "STATE"
    sk_pattern: ClassVar[str] = "STATE"

    primary_channel: str = Field(repr=False)
    conversation_id: str = Field(repr=False)
    company_id: str
    project_id: str
    channel_method: ChannelMethod
    business_address: str
    created_at: str
    context_hash: str
    mode: Mode = Mode.AI
    owner: str | None = None
    generation: int = 0
    turn: Turn | None = None
    answered_up_to: str | None = None
    last_message_at: str | None = None
    last_inbound_at: str | None = None
    last_outbound_at: str | None = None
    window_until: str | None = None
    status_before: str | None = None  # of what a customer closed by opting out, or somebody closed
    # The move that raised the fence last: whoever finds the item elsewhere finishes it.
    moves_to: str | None = None
    moved_by: str | None = None
    moved_principal: str = (
        ""  # the authenticated caller who asked for that move; empty where none did
    )
    moved_for: str | None = None
    status_reason: str | None = None
    releases: int = 0  # how often a person had a first message tried again
    released_by: str | None = None  # hash of the idempotency key of the last one
    asked_at: str | None = None  # when the first message was first wanted
    template: str | None = None  # that the request names
    email_as_given: str | None = Field(default=None, repr=False)
    customer_user_id: str | None = Field(default=None, repr=False)
    # Other addresses that people have placed messages of here.
    placed_from: list[str] = Field(default_factory=list, repr=False)
    language: str | None = None
    link_hosts: list[str] = Field(default_factory=list)  # that the integrating system named
    # Sort keys of messages with a function: one that people decide about, those that they have released and that are
    # being carried out, and those whose end the model does not know yet. The first changes with the fence only.
    waits_for_approval: str | None = None
    being_done: set[str] = Field(default_factory=set)
    to_tell: set[str] = Field(default_factory=set)
    handed_off_for: str | None = (
        None  # why a turn of the model was the last one before people had it
    )
    handed_back_at: str | None = None
    arrived_late_at: str | None = None  # the first message, which its provider had called failed
    erased_at: str | None = None

    @property
    def undecided(self) -> str | None:
        """The function that people see as waiting: one that they may release, else one that is being carried out."""
        return self.waits_for_approval or max(self.being_done, default=None)

    @classmethod
    def sk(cls) -> str:
        """The sort key."""
        return cls.sk_pattern

    @classmethod
    def of_item(
        cls,
        item: Conversation,
        business_address: str,
        context_hash: str,
        **facts: Any,  # noqa: ANN401 - values of any field
    ) -> Self:
        """The state that a conversation begins with; *facts* are what else is known of it."""
        return cls(
            primary_channel=item.primary_channel,
            conversation_id=item.conversation_id,
            company_id=item.company_id,
            project_id=item.project_id,
            channel_method=item.channel_method,
            business_address=business_address,
            created_at=item.created_at,
            context_hash=context_hash,
            ttl=item.ttl,
            **facts,
        )

    @classmethod
    def is_erased(cls, attributes: Attributes | None) -> bool:
        """Whether an item is that of an erased conversation, of which nothing else may be left."""
        return bool(attributes and attributes.get("erased_at"))


class DueKind(StrEnum):
    """Work that waits."""

    RESUME = "resume"
    IN_DOUBT = "in_doubt"
    MEDIA = "media"


class Due(OfConversation):
    """Work that waits for its time; the index over it is sparse, holds keys only and is spread over four partitions."""

    item_type: ClassVar[str] = "DUE"
    sk_pattern: ClassVar[str] = "DUE#{kind}"
    ttl_note: ClassVar[str] = "until it is done"

    kind: DueKind
    due_bucket: str
    due_at: str
    first_due_at: str | None = None
    attempts: int = 0
    reason: str | None = None
    message_sk: str | None = None

    @classmethod
    def sk(cls, kind: DueKind) -> str:
        """The sort key: one piece of work of a kind at a time."""
        return sort_key(cls.sk_pattern, kind)


class FunctionResult(OfConversation):
    """What a company's webhook answered to a function of the model, for the repetition of its turn."""

    item_type: ClassVar[str] = "FUNCTION_RESULT"
    sk_pattern: ClassVar[str] = "FN#{action_id}"
    ttl_days: ClassVar[int | None] = MARKER_DAYS

    name: str
    text: str = Field(repr=False)
    is_error: bool

    @classmethod
    def sk(cls, action_id: str) -> str:
        """The sort key of a function's result."""
        return sort_key(cls.sk_pattern, action_id)


def of(ref: str, sk: str) -> Attributes:
    """The whole key of an item under a conversation."""
    return key(OfConversation.partition(ref), sk)


def state_key(ref: str) -> Attributes:
    """The whole key of a conversation's state."""
    return of(ref, State.sk())


def holder_of(state: State) -> str | None:
    """The agent who has a conversation; None where nobody does."""
    return state.owner if state.mode is Mode.HUMAN else None
