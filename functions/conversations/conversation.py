"""A conversation that is being worked on: all that a use case has read of it, in one hand."""

from dataclasses import dataclass, replace
from typing import Self

from conversations.projects import Channel, Company
from conversations.store.items.conversation import Conversation
from conversations.store.items.log import Message, State, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A conversation, its state, and the project as it is set up now."""

    ref: str
    conversation: Conversation
    state: State
    company: Company

    @property
    def channel(self) -> Channel:
        """How its channel is set up. Raises ConfigurationInvalid."""
        return self.company.channel(self.conversation.channel_method)

    @property
    def customer(self) -> str:
        """The customer's address on the channel."""
        return self.conversation.primary_channel

    @property
    def language(self) -> str:
        """The language (BCP 47) that the customer is written to in until they have written."""
        return self.state.language or self.company.default_language

    def with_state(self, state: State) -> Self:
        """The same conversation, its state read anew."""
        return replace(self, state=state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaking:
    """A turn in a conversation, and what is said in it; *action_id* names its send in the ledger."""

    opened: Opened
    turn: Turn
    message: Message
    action_id: str
