"""
The conversation log: growing or frequently changed data, in small items under the conversation's `ref`.

    CONV#<ref>   MSG#<time>#<entry id>   Message        every message in full
                 EVT#<time>#<id>         Change         a status change: actor, reason, cause
                 STATE                   State          mode, turn, fence, timestamps
                 DUE#<kind>              Due            scheduled work
                 NOTE#<time>#<id>        Note           an agent's note
                 MEMORY                  Memory         a summary, and facts that the customer stated
                 FN#<action id>          FunctionResult the answer of a company's system
                 SHADOW#<trial>#<asked>  ShadowAnswer   an answer of a version on trial, which was not sent

All but the first two are in `conversations.store.items.parts`; `conversations.store.items.routes` has the lookup items
that lead to it.
"""

from enum import StrEnum
from typing import Any, ClassVar

from pydantic import Field

from conversations.store.items.base import LogItem, key, sort_key
from conversations.store.items.conversation import Role
from conversations.store.items.proposal import Proposal
from conversations.store.items.turn import TurnKind
from shared.aws.dynamodb import Attributes
from shared.identity.authors import counts_as_customers

ACTION_PK_PATTERN = (
    "ACTION#{action_id}"  # of the ledger's items, see `shared.providers.action_ledger`
)
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


# Of messages that the customer has not got, or may not have got.
UNSPOKEN = frozenset(
    {Delivery.DRAFT, Delivery.DISCARDED, Delivery.FAILED, Delivery.BLOCKED, Delivery.UNKNOWN}
)


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
    ai_cost_micros: int | None = None  # micro-dollars
    processing_time_ms: int | None = None
    model: str | None = None
    ai_version: int | None = None  # of the project's settings
    calls: int | None = None
    turn_id: str | None = None
    turn_kind: TurnKind | None = None
    up_to: str | None = None
    follow_up: int | None = None  # the step of a follow-up, from 0
    language: str | None = None  # of the page to which the question of satisfaction leads
    subject: str | None = Field(default=None, repr=False)
    template: str | None = None
    variables: dict[str, str] | None = Field(default=None, repr=False)
    hand_off_reason: str | None = Field(default=None, repr=False)  # text written by the model
    hand_off_cause: str | None = None  # a code
    thread_id: str | None = None
    functions: list[str] = Field(default_factory=list)
    done: list[str] = Field(default_factory=list)  # functions of the project that had succeeded
    proposal: Proposal | None = None  # a function call, `kind` function: never sent to the customer
    answers: dict[str, str] = Field(default_factory=dict, repr=False)
    parts: list[str] = Field(
        default_factory=list, repr=False
    )  # texts of a divided answer, in order
    told: list[str] = Field(default_factory=list)  # members of `State.to_tell` given to the model
    # Passages of documents given to the model: `chunk_id`, `score`, and `cited` if the message cites it; no content.
    retrieved: list[dict[str, str]] = Field(default_factory=list)
    ratings: dict[str, str] = Field(
        default_factory=dict
    )  # by principal: `rated_up`, `rated_down:wrong`
    # Of a question that the model did not answer, for its group: see `shared.ai.calls.vectors`.
    vector: str | None = Field(default=None, repr=False)
    completes_task: bool | None = None
    asks_again: bool | None = None  # the customer, so the model
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
    def whole_text(self) -> str:
        """The text of all messages of a divided answer; of others the content."""
        return "\n".join(self.parts) or self.content

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


def of(ref: str, sk: str) -> Attributes:
    """Return the whole key of an item of a conversation."""
    return key(OfConversation.partition(ref), sk)
