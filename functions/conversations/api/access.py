"""What the admin API reaches, who acts through it, and why it refuses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversations.conversation import Opened
from conversations.store import conversations, states
from conversations.store.items import log
from conversations.transitions import Cause
from shared import addresses
from shared.api.opaque_ids import Seal, seal_of

if TYPE_CHECKING:
    from conversations.resources import Resources
    from conversations.store.items.log import State
    from shared.api.auth import Caller
    from shared.aws.secrets import JsonSecret
    from shared.aws.sqs_fifo import FifoQueue
    from shared.consent.records import Consents

_REF = re.compile("[a-z2-7]{26}")


class NotFound(Exception):
    """Not there, or another company's: the caller is not told which."""


class NotOpen(Exception):
    """The conversation is closed, or the customer has opted out of it."""


class AlreadyTaken(Exception):
    """A colleague has the conversation."""


class Unusable(Exception):
    """What was given breaks a rule that only the conversation knows; *field* and *problem* say which, never a value."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Office:
    """Everything that the admin API reaches. *inbound* is where messages come in."""

    here: Resources
    inbound: FifoQueue
    consents: Consents
    seal_secret: JsonSecret

    @property
    def seal(self) -> Seal:
        """What makes cursors and ids. Raises SecretUnreadable."""
        return seal_of(self.seal_secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """
    Who acts, and in which call: *cause* is the hash of its idempotency key, and what follows from it happens once.

    *name* is None where the call names nobody; then it is whoever has the conversation, or the *principal* of the key.
    The principal is stored with every change. With *force* the call may act where another agent has the conversation.
    """

    name: str | None
    principal: str
    cause: str
    force: bool = False

    def id_in(self, state: State) -> str:
        """Who acts in a conversation that stands so."""
        return self.name or log.holder_of(state) or self.principal

    def cause_in(self, opened: Opened, act: str, *, reason: str, words: str | None = None) -> Cause:
        """The record of a change by this agent: *act* names the kind of call, *words* as in `Cause`."""
        return Cause(
            who=f"human:{self.id_in(opened.state)}",
            principal=self.principal,
            what=f"{act}:{self.cause}",
            reason=reason,
            words=words,
        )


def check_not_taken(opened: Opened, agent: Agent) -> None:
    """Raise AlreadyTaken where another agent has the conversation and the call has no `force`."""
    if not agent.force and log.holder_of(opened.state) not in {None, agent.id_in(opened.state)}:
        raise AlreadyTaken("a colleague has the conversation; give force: true to act all the same")


def opened_for(office: Office, caller: Caller, ref: str) -> Opened:
    """The caller's conversation. Raises NotFound, and ConfigurationInvalid where its project cannot be read."""
    here = office.here
    state = states.read(here.log, ref) if _REF.fullmatch(ref) else None
    if state is None or not caller.may_use(state.company_id, state.project_id):
        raise NotFound("ref: there is no such conversation")
    item = conversations.read(here.table, state.primary_channel, state.conversation_id)
    company = here.companies.project(state.company_id, state.project_id)
    if item is None or company is None:
        raise NotFound("ref: there is no such conversation")
    return Opened(ref=ref, conversation=item, state=state, company=company)


def read_again(here: Resources, opened: Opened) -> Opened:
    """The same conversation as it stands now. Raises NotFound where it is gone."""
    state = states.read(here.log, opened.ref)
    if state is None:
        raise NotFound("ref: there is no such conversation")
    item = conversations.read(here.table, state.primary_channel, state.conversation_id)
    if item is None:
        raise NotFound("ref: there is no such conversation")
    return Opened(ref=opened.ref, conversation=item, state=state, company=opened.company)


def recipient_of(text: str) -> str:
    """A person's address as it is kept: E.164, the key of an e-mail address, or a user id. Raises Unusable."""
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
