"""
The conversation log: growing or frequently changed data, in small items under the conversation's `ref`.

    CONV#<ref>   MSG#<time>#<entry id>   Message        every message in full
                 EVT#<time>#<id>         Change         a status change: actor, reason, cause
                 STATE                   State          mode, turn, fence, timestamps
                 DUE#<kind>              Due            scheduled work
                 NOTE#<time>#<id>        Note           an agent's note
                 MEMORY                  Memory         a summary, and facts that the customer stated
                 FN#<action id>          FunctionResult the answer of a company's system

The last four are in `conversations.store.items.parts`; `conversations.store.items.routes` has the lookup items that
lead to it.
"""

from enum import StrEnum
from typing import Any, ClassVar, Self

from pydantic import Field

from conversations.store.items.base import LogItem, key, sort_key
from conversations.store.items.conversation import ChannelMethod, Conversation, Role
from conversations.store.items.proposal import Proposal
from conversations.store.items.turn import Turn, TurnKind
from shared.api.principals import is_team
from shared.aws.dynamodb import Attributes
from shared.identity.addresses import USER_ID_PREFIX
from shared.identity.authors import counts_as_customers

ACTION_PK_PATTERN = "ACTION#{action_id}"  # of the ledger's items, see `shared.action_ledger`
MARKER_DAYS = 35  # longer than any provider or dead-letter queue redelivers an event


class OfConversation(LogItem):
    """Base class of the items of one conversation."""

    pk_pattern: ClassVar[str] = "CONV#{ref}"


class Delivery(StrEnum):
    """Delivery status of a sent message, in order of rank. The last four are final."""

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
    A message: the contract's attributes and the attributes of its delivery.

    `author`: `customer`, `ai`, `system`, `human:<agent id>`, `human:external`. `principal` is the API key that wrote an
    agent's message. `resolved_by` and `resolved_principal` are the agent and caller who set the outcome of an unknown
    send. `payload_hash` is a hash of the inbound payload. `content_key` is the object key of the full text if it
    exceeds 16 KB. A file in `media` has a `key` once it is stored, or the reason why it was `refused` or has `failed`.
    `media_state` covers all files. `segments` is the provider's count once reported. The effects of a model message
    (hand-off, functions, recorded answers) are stored here too, so that another worker can finish the turn of a dead
    worker.

    `turn_id`, `turn_kind` and `up_to` come from the turn that sends the message. `turn_id` is an opaque id.
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
    ai_cached_tokens: int | None = None  # of the prompt tokens
    processing_time_ms: int | None = None
    model: str | None = None
    calls: int | None = None
    turn_id: str | None = None
    turn_kind: TurnKind | None = None
    up_to: str | None = None
    follow_up: int | None = None  # the step of a follow-up, from 0
    subject: str | None = Field(default=None, repr=False)
    template: str | None = None
    variables: dict[str, str] | None = Field(default=None, repr=False)
    hand_off_reason: str | None = Field(default=None, repr=False)  # text written by the model
    hand_off_cause: str | None = None  # a code
    thread_id: str | None = None
    functions: list[str] = Field(default_factory=list)
    proposal: Proposal | None = None  # a function call, `kind` function: never sent to the customer
    answers: dict[str, str] = Field(default_factory=dict, repr=False)
    told: list[str] = Field(default_factory=list)  # members of `State.to_tell` given to the model
    # Passages of documents given to the model: `chunk_id`, `score`, and `cited` if the message cites it; no content.
    retrieved: list[dict[str, str]] = Field(default_factory=list)
    completes_task: bool | None = None
    opts_out: bool | None = None
    button: dict[str, str] | None = Field(default=None, repr=False)
    media: list[dict[str, str]] = Field(default_factory=list, repr=False)
    media_state: str | None = None
    location: dict[str, str] | None = Field(default=None, repr=False)
    reply_to: str | None = None
    keyword: str | None = None  # of consent: a fixed text answers it, or none
    content_key: str | None = None
    extra: dict[str, Any] = Field(default_factory=dict, repr=False)
    provider: str | None = None
    provider_message_id: str | None = None
    other_id: str | None = None  # Meta's id beside AWS's; also linked to this message
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
        """Return the sort key of a message; text order is time order."""
        return sort_key(cls.sk_pattern, message_timestamp, entry_id)

    @property
    def own_sk(self) -> str:
        """The sort key of this message."""
        return self.sk(self.message_timestamp, self.entry_id)

    @property
    def counts(self) -> bool:
        """Whether the model may read the message: not an e-mail in the customer's name whose author is not proven."""
        is_received_mail = self.role is Role.USER and self.provider == "ses"
        return not is_received_mail or counts_as_customers("email", self.extra)

    @property
    def needs_answer(self) -> bool:
        """Whether intake requests an answer: not for a reaction, an automatic message or a consent keyword."""
        is_automatic = self.extra.get("auto_answer_allowed") is False
        is_asking = self.kind != "reaction" and self.keyword is None and not is_automatic
        return self.role is Role.USER and is_asking and self.counts

    @property
    def quoted_as(self) -> str | None:
        """Id by which an answer quotes this message: the Message-ID of a mail, otherwise the provider's id."""
        message_id = self.extra.get("message_id")
        return message_id if isinstance(message_id, str) else self.provider_message_id


class Change(OfConversation):
    """
    A status change: actor, old and new status, reason and causing event.

    For changes over the API, `principal` is the authenticated caller and `who` the agent that the call names. Equal
    statuses: another agent took the conversation over.
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
        """Return the sort key of a change."""
        return sort_key(cls.sk_pattern, time, change_id)


class Mode(StrEnum):
    """The author who may write in the conversation: the model, an agent, or neither."""

    AI = "ai"
    HUMAN = "human"
    CLOSED = "closed"


class State(OfConversation):
    """
    The frequently changed part of a conversation. Times are text; `answered_up_to` is the sort key of the newest
    answered message.

    `erased_at` fences the conversation during its erasure; afterwards the item is a tombstone without other fields.
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
    status_before: str | None = None  # status before an opt-out or a close
    # The last status change that raised the fence: a worker that finds the item in another status completes it.
    moves_to: str | None = None
    moved_by: str | None = None
    moved_principal: str = (
        ""  # the authenticated caller who requested that change; empty if none did
    )
    moved_for: str | None = None
    status_reason: str | None = None
    releases: int = 0  # how often an agent released the first message
    released_by: str | None = None  # hash of the idempotency key of the last release
    # Number of the fallback channel, 0 for the channel of the request; None where only the request id shows it.
    fallback: int | None = None
    asked_at: str | None = None  # when the first message was requested
    send_at: str | None = None  # before which it is not sent, if the request named a time
    template: str | None = None  # named in the request
    email_as_given: str | None = Field(default=None, repr=False)
    customer_user_id: str | None = Field(default=None, repr=False)
    # Times of the provider: when the customer last wrote from the number, and when another person had it.
    number_proven_at: str | None = None
    number_withdrawn_at: str | None = None
    email_proven_at: str | None = (
        None  # when a mail with a proven author came from the customer's address
    )
    # Other addresses from which agents attached messages to this conversation.
    placed_from: list[str] = Field(default_factory=list, repr=False)
    language: str | None = None
    link_hosts: list[str] = Field(default_factory=list)  # named by the integrating system
    # Sort keys of messages with a function call: the one that waits for approval, calls released and being executed,
    # and calls whose outcome the model has not received. The first changes only together with the fence.
    waits_for_approval: str | None = None
    being_done: set[str] = Field(default_factory=set)
    to_tell: set[str] = Field(default_factory=set)
    handed_off_for: str | None = None  # why the model's last turn handed the conversation off
    handed_back_at: str | None = None
    arrived_late_at: str | None = (
        None  # of the first message, after its provider had reported a failure
    )
    labels: set[str] = Field(default_factory=set, repr=False)  # texts of agents, at most 20
    snoozed_until: str | None = None  # hidden from the open conversations until then
    revision: int | None = None  # number of changes of these two; absent: none yet
    revised_by: str | None = None  # principal of the newest one
    revised_for: str | None = None  # hash of the call that made it
    erased_at: str | None = None

    @property
    def has_number(self) -> bool:
        """Whether the customer still has the number, as far as is known."""
        withdrawn_at = self.number_withdrawn_at
        return withdrawn_at is None or withdrawn_at <= (self.number_proven_at or "")

    @property
    def number_named_at(self) -> str:
        """When the customer, or the company's request, last named the number as the customer's."""
        # A customer with a user id may have written from another number.
        inbound = None if self.customer_user_id else self.last_inbound_at
        return max(self.created_at, inbound or "", self.number_proven_at or "")

    def may_be_of(self, user_id: str) -> bool:
        """Whether a WhatsApp user id can be the customer's: not if another one is known."""
        known = (self.customer_user_id or "").removeprefix(USER_ID_PREFIX)
        return not (known and user_id) or known == user_id.removeprefix(USER_ID_PREFIX)

    @property
    def undecided(self) -> str | None:
        """The function call shown to agents as pending: the one that awaits approval, else one being executed."""
        return self.waits_for_approval or max(self.being_done, default=None)

    def snoozed_at(self, now: str) -> str | None:
        """Return the end of a snooze that is not over at the time *now*."""
        return self.snoozed_until if (self.snoozed_until or "") > now else None

    @classmethod
    def sk(cls) -> str:
        """Return the sort key."""
        return cls.sk_pattern

    @classmethod
    def of_item(
        cls,
        item: Conversation,
        business_address: str,
        context_hash: str,
        **facts: Any,  # noqa: ANN401 - values of any field
    ) -> Self:
        """Build the initial state of a conversation; *facts* are further field values."""
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
        """Whether a state item belongs to a conversation that is or is being erased."""
        return bool(attributes and attributes.get("erased_at"))


def of(ref: str, sk: str) -> Attributes:
    """Return the whole key of an item of a conversation."""
    return key(OfConversation.partition(ref), sk)


def state_key(ref: str) -> Attributes:
    """Return the whole key of a conversation's state."""
    return of(ref, State.sk())


def holder_of(state: State) -> str | None:
    """Return the agent who holds a conversation, or None."""
    return state.owner if state.mode is Mode.HUMAN else None


def is_held_by_other(state: State, *agents: str | None) -> bool:
    """Return whether an agent who is none of *agents* holds a conversation. A team is none: its people take over."""
    holder = holder_of(state)
    return holder is not None and holder not in agents and not is_team(holder)
