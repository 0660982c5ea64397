"""A conversation that is being worked on: all that a use case has read of it, in one hand."""

from dataclasses import dataclass, replace
from typing import Self

from aws_lambda_powertools.metrics import MetricUnit

from conversations.projects import Channel, Company, ConfigurationInvalid
from conversations.resources import Resources
from conversations.store import conversations, states
from conversations.store.items.conversation import Conversation
from conversations.store.items.log import Message, State, Turn
from conversations.store.items.records import ParkReason
from shared.failures import Permanent, Transient
from shared.runtime.observability import logger, metrics


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


def load(here: Resources, ref: str) -> Opened:
    """
    The conversation, its state and its project.

    Raises Permanent (`conversation_gone`), and Transient while the project is not set up as it must be.
    """
    state, item = load_items(here, ref)
    company = load_project(here, state.company_id, state.project_id)
    if company is None:
        raise Permanent("conversation_gone")
    return Opened(ref=ref, conversation=item, state=state, company=company)


def load_items(here: Resources, ref: str) -> tuple[State, Conversation]:
    """The state of a conversation, and the conversation. Raises Permanent (`conversation_gone`, `erased`)."""
    state = states.read(here.log, ref)
    item = (
        conversations.read(here.table, state.primary_channel, state.conversation_id)
        if state
        else None
    )
    if state is None or item is None:
        is_erased = states.is_erased(here.log, ref)
        raise Permanent(ParkReason.ERASED if is_erased else ParkReason.GONE)
    return state, item


def load_project(here: Resources, company_id: str, project_id: str) -> Company | None:
    """The project; None where there is none. Raises Transient where its item is bad: people have to mend it."""
    try:
        return here.companies.project(company_id, project_id)
    except ConfigurationInvalid as fault:
        metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
        logger.error("project is not set up as it must be", extra={"attribute": fault.attribute})
        raise Transient("configuration_invalid") from None


def addresses_of(opened: Opened) -> list[str]:
    """The addresses that are known of the customer, the one that is written to first."""
    conversation = opened.conversation
    others = (conversation.recipient_tel, conversation.recipient_email)
    return list(dict.fromkeys([opened.customer, *filter(None, others)]))
