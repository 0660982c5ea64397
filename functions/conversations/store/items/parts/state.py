"""The state of a conversation: mode, turn, fence and times, which change often."""

from typing import Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field

from conversations.store.items.conversation import ChannelMethod, Conversation
from conversations.store.items.identifiers import REQUEST_PREFIX
from conversations.store.items.log import Mode, OfConversation, of
from conversations.store.items.turn import Turn
from shared.api.principals import is_team
from shared.aws.dynamodb import Attributes
from shared.identity.addresses import USER_ID_PREFIX


class Satisfaction(BaseModel):
    """How satisfied a customer is, 1 to 5; the newest of their *answers*, at most five."""

    model_config = ConfigDict(extra="allow", defer_build=True, hide_input_in_errors=True)

    score: int
    comment: str | None = Field(default=None, repr=False)
    answered_at: str
    answers: int = 1


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
    customer_account: str | None = None  # of the provider, in which the user id names the customer
    began_at: str | None = None  # of the provider: of the customer's message that began it
    # Times of the provider: when the customer last wrote from the number, and when another person had it.
    number_proven_at: str | None = None
    number_withdrawn_at: str | None = None
    number_changed_at: str | None = None  # of the change of the number's owner that was noted last
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
    ratings: dict[str, int] = Field(
        default_factory=dict
    )  # of the model's messages by people, how often each
    # The question how satisfied the customer is, once it is sent: the version of the settings with which the model
    # answered, 0 for an unknown one. And the answer.
    satisfaction_asked: int | None = None
    satisfaction: Satisfaction | None = None
    # The trial that it has joined, and the version that it was given; None: the live one, whichever it is.
    trial: str | None = None
    trial_version: int | None = None
    erased_at: str | None = None

    @property
    def has_number(self) -> bool:
        """Whether the customer still has the number, as far as is known."""
        withdrawn_at = self.number_withdrawn_at
        return withdrawn_at is None or withdrawn_at <= (self.number_proven_at or "")

    @property
    def number_named_at(self) -> str:
        """The time when the company's request named the number; empty if the customer began the conversation."""
        return "" if self.context_hash == REQUEST_PREFIX else self.created_at

    @property
    def number_stated_at(self) -> str:
        """The time of the customer's last message from the number, as far as is known; empty if there is none."""
        # A customer with a user id may have written from another number.
        inbound = None if self.customer_user_id else self.last_inbound_at
        began = "" if self.number_named_at else self.created_at
        return max(began, inbound or "", self.number_proven_at or "")

    def is_of(self, user_id: str) -> bool:
        """Whether the customer is known to have a WhatsApp user id."""
        return bool(self.customer_user_id) and self.may_be_of(user_id)

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
