"""A conversation with its state and project, loaded once per use case."""

from dataclasses import dataclass, replace
from typing import Self

from aws_lambda_powertools.metrics import MetricUnit

from conversations.configuration import versions
from conversations.configuration.projects import Channel, Company, ConfigurationInvalid
from conversations.configuration.resources import Resources
from conversations.store import conversations, states
from conversations.store.items.conversation import Conversation
from conversations.store.items.log import Message
from conversations.store.items.parts.state import State
from conversations.store.items.records import ParkReason
from conversations.store.items.turn import Turn
from conversations.store.versions.trials import Trials
from shared.identity.addresses import USER_ID_PREFIX
from shared.runtime import tracing
from shared.runtime.failures import Permanent, Transient
from shared.runtime.observability import logger, metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenConversation:
    """A conversation, its state and the current settings of its project."""

    ref: str
    conversation: Conversation
    state: State
    company: Company

    @property
    def channel(self) -> Channel:
        """Settings of the conversation's channel. Raises ConfigurationInvalid."""
        return self.company.channel(self.conversation.channel_method)

    @property
    def customer(self) -> str:
        """The customer's address on the channel."""
        return self.conversation.primary_channel

    @property
    def language(self) -> str:
        """Language (BCP 47) of messages to the customer until the customer has written."""
        return self.state.language or self.company.default_language

    def with_state(self, state: State) -> Self:
        """Return the same conversation with a newer *state*."""
        return replace(self, state=state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaking:
    """A turn in a conversation and its message; *action_id* is the id of the send in the ledger."""

    opened: OpenConversation
    turn: Turn
    message: Message
    action_id: str


def load(resources: Resources, ref: str, state: State | None = None) -> OpenConversation:
    """
    Load a conversation, its state and its project; *state* is the state if the caller has just read it.

    Raises Permanent (`conversation_gone`, `erased`), and Transient while the project settings are invalid.
    """
    tracing.annotate(conversation=ref)
    state, item = load_items(resources, ref, state)
    company = load_project(resources, state.company_id, state.project_id)
    if company is None:
        raise Permanent("conversation_gone")
    company = company_of(resources, state, company)
    return OpenConversation(ref=ref, conversation=item, state=state, company=company)


def company_of(resources: Resources, state: State, live: Company) -> Company:
    """
    Return the project with the version that a trial has given the conversation, else as it is.

    A conversation keeps the version after the trial, unless it was withdrawn or cannot be used any more.
    """
    number = state.trial_version
    if number is None or state.trial is None or number == live.ai_version:
        return live
    trial = Trials(resources.log, state.company_id, state.project_id).read(state.trial)
    if trial is None or trial.withdrawn:
        return live
    return versions.company_with(resources.log, resources.companies, live, number) or live


def load_items(
    resources: Resources, ref: str, state: State | None = None
) -> tuple[State, Conversation]:
    """Read the item, and the state unless given. Raises Permanent (`conversation_gone`, `erased`)."""
    state = state or states.read(resources.log, ref)
    item = (
        conversations.read(resources.table, state.primary_channel, state.conversation_id)
        if state
        else None
    )
    if state is None or item is None:
        is_erased = states.is_erased(resources.log, ref)
        raise Permanent(ParkReason.ERASED if is_erased else ParkReason.GONE)
    return state, item


def load_project(resources: Resources, company_id: str, project_id: str) -> Company | None:
    """Load a project; None if there is none. Raises Transient if an operator must fix the project settings."""
    try:
        return resources.companies.project(company_id, project_id)
    except ConfigurationInvalid as fault:
        metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
        logger.error("project settings invalid", extra={"attribute": fault.attribute})
        raise Transient("configuration_invalid") from None


def addresses_of(opened: OpenConversation) -> list[str]:
    """Return the customer's known addresses, beginning with the number or address that names the conversation."""
    conversation, user_id = opened.conversation, opened.state.customer_user_id
    user = f"{USER_ID_PREFIX}{user_id.removeprefix(USER_ID_PREFIX)}" if user_id else None
    others = (conversation.recipient_tel, conversation.recipient_email, user)
    return list(dict.fromkeys([opened.customer, *filter(None, others)]))
