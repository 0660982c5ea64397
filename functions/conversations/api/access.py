"""Dependencies, actor and errors of the admin API."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from conversations.api.inputs import ActingInput, TakeOverInput
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.transitions import Cause
from conversations.store import conversations, states
from conversations.store.items.parts.state import holder_of, is_held_by_other
from shared.api.errors import InvalidInput
from shared.api.opaque_ids import Seal, seal_of
from shared.identity import addresses

if TYPE_CHECKING:
    from conversations.configuration.resources import Resources
    from shared.api.auth import Caller
    from shared.api.routing.routes import Request
    from shared.aws.dynamodb import Table
    from shared.aws.secrets import JsonSecret
    from shared.aws.sqs_fifo import FifoQueue
    from shared.policy.consent.records import Consents

_REF = re.compile("[a-z2-7]{26}")


class NotFound(Exception):
    """The object does not exist or belongs to another company; the answer does not reveal which."""


class NotOpen(Exception):
    """The conversation is closed, or the customer has opted out."""


class AlreadyTaken(Exception):
    """Another agent holds the conversation."""


class StateConflict(Exception):
    """The conversation was changed after the revision that the change is based on."""


class NothingToRelease(Exception):
    """The first message was sent or is not held back, or the function call was already decided."""


class NotUnknown(Exception):
    """The outcome of the message is known, or is still being determined."""


class AlreadyPlaced(Exception):
    """The message already belongs to a conversation."""


class OtherChannel(Exception):
    """The conversation is on another channel than the message."""


class Unusable(InvalidInput):
    """The input breaks a rule that depends on stored data. *field* and *problem* describe it, never a value."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__([{"field": field, "problem": problem}])


@dataclass(slots=True, kw_only=True, eq=False)
class ApiDependencies:
    """
    Dependencies of the admin API. *contacts*: their table. *inbound* is the queue of inbound messages, *single_company*
    the company that has the deployment alone, "" if several share it.
    """

    resources: Resources
    contacts: Table
    inbound: FifoQueue
    consents: Consents
    seal_secret: JsonSecret
    single_company: str = ""

    @property
    def seal(self) -> Seal:
        """Seal that encodes cursors and ids. Raises SecretUnreadable."""
        return seal_of(self.seal_secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """
    Actor of a call: the person who is logged in, or the API key. A call cannot name another one.

    *principal* is stored with every change. *cause* is the cause of the `Request`: it makes the effects of the call
    idempotent. With *force* the call may act on another agent's conversation, with *held_by* only on that agent's.
    """

    principal: str
    cause: str
    force: bool = False
    held_by: str | None = None

    @classmethod
    def of(cls, request: Request[Any]) -> Self:
        """Return the actor of a change."""
        return cls(
            principal=request.caller.principal,
            cause=request.cause,
            force=isinstance(request.input, ActingInput) and request.input.force,
            held_by=request.input.held_by if isinstance(request.input, TakeOverInput) else None,
        )

    @property
    def author(self) -> str:
        """The actor as messages and changes name it."""
        return f"human:{self.principal}"

    def cause_of(self, act: str, *, reason: str, words: str | None = None) -> Cause:
        """Build the cause of a change by this agent: *act* names the kind of call, *words* as in `Cause`."""
        return Cause(
            who=self.author,
            principal=self.principal,
            what=f"{act}:{self.cause}",
            reason=reason,
            words=words,
        )


def check_not_taken(opened: OpenConversation, agent: Agent, assignee: str | None = None) -> None:
    """
    Raise AlreadyTaken if another agent holds the conversation and the call has no `force`.

    A conversation that *assignee* holds already may be given to this agent again: a call can be repeated. Any agent may
    take a conversation of a team. Raises StateConflict if another than `held_by` holds it.
    """
    if agent.held_by is not None:
        if holder_of(opened.state) not in {agent.held_by, assignee}:
            raise StateConflict("held_by: another agent, or none, holds the conversation by now")
        return
    if not agent.force and is_held_by_other(opened.state, agent.principal, assignee):
        raise AlreadyTaken(
            "the conversation is assigned to another agent; set force: true to override"
        )


def opened_for(deps: ApiDependencies, caller: Caller, ref: str) -> OpenConversation:
    """Load a conversation of the caller. Raises NotFound, and ConfigurationInvalid for an invalid project."""
    resources = deps.resources
    state = states.read(resources.log, ref) if _REF.fullmatch(ref) else None
    if state is None or not caller.may_use(state.company_id, state.project_id):
        raise NotFound("ref: conversation not found")
    item = conversations.read(resources.table, state.primary_channel, state.conversation_id)
    company = resources.companies.project(state.company_id, state.project_id)
    if item is None or company is None:
        raise NotFound("ref: conversation not found")
    return OpenConversation(ref=ref, conversation=item, state=state, company=company)


def read_again(resources: Resources, opened: OpenConversation) -> OpenConversation:
    """Reload a conversation. Raises NotFound if it no longer exists."""
    state = states.read(resources.log, opened.ref)
    if state is None:
        raise NotFound("ref: conversation not found")
    item = conversations.read(resources.table, state.primary_channel, state.conversation_id)
    if item is None:
        raise NotFound("ref: conversation not found")
    return OpenConversation(ref=opened.ref, conversation=item, state=state, company=opened.company)


def recipient_of(text: str) -> str:
    """Normalise a recipient's address: E.164, the key of an e-mail address, or a user id. Raises Unusable."""
    try:
        if "@" in text:
            return addresses.email_address(text)
        if text.strip().startswith(addresses.USER_ID_PREFIX):
            return addresses.user_id(text)
        return addresses.phone_number(text)
    except addresses.AddressInvalid as refusal:
        raise Unusable(
            "recipient",
            f"must be a phone number with +, an e-mail address or bsuid: and an id ({refusal.reason})",
        ) from None
