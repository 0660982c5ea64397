"""Handles a release: queues a held first message, an unsent draft or a function call for the workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.api.access import NothingToRelease, Unusable
from conversations.api.agents import agent_actions, validation
from conversations.api.views import AcceptedView
from conversations.lifecycle.records.commands import HumanMessage, Release
from conversations.lifecycle.status import NEVER_SENT, WITH_PEOPLE, Status
from conversations.store import messages
from conversations.store.items import identifiers
from conversations.store.items.conversation import Role
from conversations.store.items.log import Delivery
from conversations.store.items.proposal import FUNCTION
from shared.aws.sqs_fifo import digest

if TYPE_CHECKING:
    from conversations.api.access import Agent
    from conversations.api.inputs import ReleaseInput
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation

# Messages that were certainly not delivered.
_UNSENT = frozenset({Delivery.DISCARDED, Delivery.BLOCKED, Delivery.FAILED})


def release(
    resources: Resources, opened: OpenConversation, agent: Agent, body: ReleaseInput
) -> AcceptedView:
    """
    Queue a draft (sent in the agent's name), a function call, or the first message (with the agent's or model's text).

    Without a draft id and a text, a waiting function call is released; the model continues after it ran.

    Raises NothingToRelease, NotOpen, AlreadyTaken and Unusable.
    """
    agent_actions.check_may_write(opened, agent)
    validation.check_text(opened, body.text)
    function_sk = _function(opened, body)
    if function_sk is not None:
        command = Release(
            ref=opened.ref,
            cause=agent.cause,
            agent_id=agent.principal,
            principal=agent.principal,
            function_sk=function_sk,
        )
        agent_actions.enqueue(resources, opened, command, "release", agent.cause)
        return AcceptedView(ref=opened.ref, entry_id=None)
    if body.draft_entry_id is not None:
        message = _message(resources, opened, agent, body.draft_entry_id, body.text)
        validation.check(opened, resources.bucket, message, "draft_entry_id")
        _check_is_new(resources, opened, message)
        return agent_actions.say(resources, opened, agent, message)
    status = Status(opened.conversation.conversation_status)
    is_held_back = status in NEVER_SENT | WITH_PEOPLE and not opened.conversation.task_complete
    if not is_held_back and not _was_released(resources, opened, agent):
        raise NothingToRelease("the first message is already sent or not held")
    first_message = Release(
        ref=opened.ref,
        cause=agent.cause,
        agent_id=agent.principal,
        principal=agent.principal,
        text=body.text,
    )
    agent_actions.enqueue(resources, opened, first_message, "release", agent.cause)
    # A message that the model will write has no log entry yet.
    entry_id = None if body.text is None else identifiers.entry_id(_action_id(opened, agent))
    return AcceptedView(ref=opened.ref, entry_id=entry_id)


def _function(opened: OpenConversation, body: ReleaseInput) -> str | None:
    """Return the sort key of the function call to release; None for a draft or first message. Raises Unusable."""
    waiting = opened.state.undecided
    if waiting is None:
        return None
    if body.draft_entry_id is None:
        return waiting if body.text is None else None
    if body.draft_entry_id != waiting.rpartition("#")[2]:
        return None
    if body.text is not None:
        raise Unusable("text", "must be absent: the draft is a function call")
    return waiting


def _message(
    resources: Resources, opened: OpenConversation, agent: Agent, entry_id: str, text: str | None
) -> HumanMessage:
    draft = messages.find(resources.log, opened.ref, entry_id)
    if draft is None or draft.role is not Role.ASSISTANT or draft.delivery_status not in _UNSENT:
        raise Unusable("draft_entry_id", "must be an unsent message of this conversation")
    if draft.proposal is not None:
        raise NothingToRelease("this function call is already decided")
    if draft.kind == FUNCTION:
        raise Unusable("draft_entry_id", "must be a message: this function call was discarded")
    is_template = draft.template is not None and text is None
    return HumanMessage(
        ref=opened.ref,
        # Of the draft, not of the call: a draft is sent once, also if two agents release it.
        cause=digest("release", opened.ref, entry_id),
        agent_id=agent.principal,
        principal=agent.principal,
        text=None if is_template else text or draft.content,
        template=draft.template if is_template else None,
        variables=(draft.variables or {}) if is_template else {},
        is_divisible=bool(draft.parts) and text is None,
    )


def _check_is_new(resources: Resources, opened: OpenConversation, message: HumanMessage) -> None:
    """Raise NothingToRelease if the draft was released with another text. With the same one it is a repeat."""
    action_id = identifiers.action_id(opened.ref, f"human:{message.cause}")
    sent = messages.find(resources.log, opened.ref, identifiers.entry_id(action_id))
    if sent is not None and message.text is not None and sent.whole_text != message.text:
        raise NothingToRelease("this draft was already released with another text")


def _was_released(resources: Resources, opened: OpenConversation, agent: Agent) -> bool:
    """Return whether this call already released the message but its answer was lost."""
    is_known = resources.ledger.action(_action_id(opened, agent)) is not None
    return is_known or opened.state.released_by == agent.cause


def _action_id(opened: OpenConversation, agent: Agent) -> str:
    return identifiers.action_id(opened.ref, f"human:{agent.cause}")
