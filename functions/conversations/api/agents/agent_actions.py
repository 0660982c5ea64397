"""
Actions of human agents on a conversation: take over, write, hand back, close and reopen.

    open ones --take over, write--> handoff_active --hand back--> reply_sent, initial_message_sent or processing
    open ones --close--> closed --reopen--> the status before

A take-over raises the fence in one write. A turn of the model that has not passed the fence by then never sends; one
that has is named in the answer. There is no third case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conversations.api.access import NotOpen, check_not_taken, read_again
from conversations.api.agents import validation
from conversations.api.presenters import in_flight, standing_view
from conversations.api.views import AcceptedView, StandingView
from conversations.lifecycle import transitions
from conversations.lifecycle.records import commands
from conversations.lifecycle.records.commands import HumanMessage, Resume
from conversations.lifecycle.resume_status import status_of_model
from conversations.lifecycle.status import OVER, WITH_PEOPLE, Status
from conversations.lifecycle.transitions import ROUNDS, Cause, finish_notes, move, note_take_over
from conversations.outbound.compose.functions import proposals
from conversations.store import messages, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import Role
from conversations.store.items.identifiers import REQUEST_PREFIX
from conversations.store.items.log import Message, Mode
from conversations.store.items.parts.state import holder_of
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from conversations.api.access import Agent
    from conversations.api.inputs import MessageInput
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.lifecycle.records.commands import Record

TAKEN_OVER = "taken_over"
HANDED_BACK = "handed_back"
CLOSED = "closed_by_person"
REOPENED = "reopened"


@dataclass(frozen=True, slots=True)
class _HandBack:
    """Target status of a hand-back, and whether the model answers the pending messages."""

    status: Status
    cause: Cause
    answer_pending: bool


def take_over(
    resources: Resources, opened: OpenConversation, agent: Agent, assignee: str | None
) -> StandingView:
    """
    Give the conversation to *assignee*, by default the caller, and silence the model. Safe to repeat.

    Raises NotOpen, AlreadyTaken and StateConflict.
    """
    return standing_view(_with_holder(resources, opened, agent, assignee or agent.principal))


def write(
    resources: Resources, opened: OpenConversation, agent: Agent, body: MessageInput
) -> AcceptedView:
    """
    Enqueue an agent's message, and take the conversation over unless the agent holds it already.

    Raises NotOpen, AlreadyTaken and Unusable.
    """
    message = HumanMessage(
        ref=opened.ref,
        cause=agent.cause,
        agent_id=agent.principal,
        principal=agent.principal,
        text=body.text,
        template=body.template,
        variables=body.variables,
    )
    validation.check(opened, resources.bucket, message)
    return say(resources, opened, agent, message)


def say(
    resources: Resources, opened: OpenConversation, agent: Agent, message: HumanMessage
) -> AcceptedView:
    """Enqueue a validated message of an agent. Raises NotOpen and AlreadyTaken."""
    if not _is_held_by(opened, message.agent_id):
        opened = _with_holder(resources, opened, agent, agent.principal)
    enqueue(resources, opened, message, "human_message", message.cause)
    action_id = identifiers.action_id(opened.ref, f"human:{message.cause}")
    return AcceptedView(
        ref=opened.ref,
        entry_id=identifiers.entry_id(action_id),
        ai_reply_in_flight=in_flight(opened.state),
    )


def hand_back(
    resources: Resources, opened: OpenConversation, agent: Agent, *, answer_pending: bool
) -> StandingView:
    """
    Return a conversation to the model; no change if the model has it already. Safe to repeat.

    Pending customer messages count as answered unless *answer_pending* is true. A function call that still waits for
    approval is refused, and the model receives the refusal. Raises NotOpen, AlreadyTaken.
    """
    cause = agent.cause_of("hand_back", reason=HANDED_BACK)
    status = status_of_model(resources, opened)
    opened = _hand_to_model(resources, opened, agent, _HandBack(status, cause, answer_pending))
    for function_sk in sorted(opened.state.to_tell):
        proposals.refuse(resources, opened.ref, function_sk, cause)
    is_with_agent = Status(opened.conversation.conversation_status) in WITH_PEOPLE
    opened = (
        move(resources, opened, status, cause)
        if is_with_agent
        else finish_notes(resources, opened, cause)
    )
    # After the fence: messages stored before it arrived during the hand-off and have no reply trigger.
    waiting = [message for message in _pending(resources, opened) if message.needs_answer]
    if waiting:
        commands.ask_for_reply(resources, opened.ref, waiting[-1], HANDED_BACK, agent.cause)
    else:
        send_first_message(resources, opened, agent)
    return standing_view(opened)


def close(resources: Resources, opened: OpenConversation, agent: Agent) -> StandingView:
    """Close a conversation; no change if it is closed. Raises AlreadyTaken, and NotOpen after an opt-out."""
    check_not_taken(opened, agent)
    cause = agent.cause_of("close", reason=CLOSED)
    if opened.conversation.conversation_status != Status.OPTED_OUT:
        opened = move(resources, opened, Status.CLOSED, cause)
    if opened.conversation.conversation_status != Status.CLOSED:
        raise NotOpen("the customer has opted out")
    return standing_view(opened)


def reopen(resources: Resources, opened: OpenConversation, agent: Agent) -> StandingView:
    """Return a closed conversation to its earlier status; no change if it is open. Raises the errors of `close`."""
    check_not_taken(opened, agent)
    status = Status(opened.conversation.conversation_status)
    if status is Status.OPTED_OUT:
        raise NotOpen("the customer has opted out")
    words = opened.conversation.hand_off_to_human_reason
    cause = agent.cause_of("reopen", reason=REOPENED, words=words)
    if status is Status.CLOSED:
        opened = move(resources, opened, transitions.status_before(opened), cause, is_return=True)
    else:
        opened = finish_notes(resources, opened, cause)
    send_first_message(resources, opened, agent)
    return standing_view(opened)


def send_first_message(resources: Resources, opened: OpenConversation, agent: Agent) -> None:
    """Enqueue a resume record if the first message was never sent: nothing else would retry it."""
    conversation, state = opened.conversation, opened.state
    is_waiting = conversation.conversation_status in {Status.PROCESSING, Status.DEFERRED}
    has_request = state.context_hash != REQUEST_PREFIX and not conversation.task_complete
    if is_waiting and has_request and state.mode is Mode.AI:
        enqueue(resources, opened, Resume(ref=opened.ref), "resume", agent.cause)


def enqueue(resources: Resources, opened: OpenConversation, record: Record, *what: str) -> None:
    """Enqueue a record on the queue of agents; *what* determines the deduplication id."""
    resources.agents.send([commands.entry(record, opened.ref, *what)])


def check_may_write(opened: OpenConversation, agent: Agent, assignee: str | None = None) -> None:
    """Raise NotOpen, or what `check_not_taken` raises."""
    _check_is_open(opened)
    check_not_taken(opened, agent, assignee)


def _with_holder(
    resources: Resources, opened: OpenConversation, agent: Agent, who: str
) -> OpenConversation:
    """Make *who* the holder and return the conversation in `handoff_active`."""
    for _ in range(ROUNDS):
        check_may_write(opened, agent, who)
        cause = agent.cause_of("take_over", reason=TAKEN_OVER)
        if holder_of(opened.state) != who:
            taken = states.set_mode(
                resources.log,
                opened.ref,
                Mode.HUMAN,
                seen=opened.state,
                owner=who,
                status_before=opened.conversation.conversation_status,
                status_reason=TAKEN_OVER,
                **cause.marks(Status.HANDOFF_ACTIVE),
            )
            if taken is None:
                opened = read_again(resources, opened)
                continue
            opened = opened.with_state(taken)
        opened = move(resources, opened, Status.HANDOFF_ACTIVE, cause)
        if opened.conversation.conversation_status != Status.HANDOFF_ACTIVE:
            raise NotOpen("the conversation is already closed")
        if opened.state.moved_for == cause.what:
            note_take_over(resources, opened, cause)
        return opened
    raise Transient("state_contended")


def _hand_to_model(
    resources: Resources, opened: OpenConversation, agent: Agent, target: _HandBack
) -> OpenConversation:
    """Set the state's mode to AI and return the conversation; its status is not changed yet."""
    for _ in range(ROUNDS):
        check_may_write(opened, agent)
        if _is_with_model(opened, target.cause):
            return opened
        waiting = [] if target.answer_pending else _pending(resources, opened)
        # Excludes a released function: the worker that runs it reports its result to the model.
        refused = opened.state.waits_for_approval
        state = states.set_mode(
            resources.log,
            opened.ref,
            Mode.AI,
            seen=opened.state,
            drop=("owner", "waits_for_approval") if refused else ("owner",),
            into={"to_tell": [refused]} if refused else None,
            handed_back_at=clock.to_text(clock.now_ms()),
            status_before=opened.conversation.conversation_status,
            status_reason=HANDED_BACK,
            **target.cause.marks(target.status),
            answered_up_to=waiting[-1].own_sk if waiting else None,
        )
        if state is not None:
            return opened.with_state(state)
        opened = read_again(resources, opened)
    raise Transient("state_contended")


def _is_with_model(opened: OpenConversation, cause: Cause) -> bool:
    """
    Return whether the fence need not be raised: the model has the conversation, or this call has raised it before.

    If only the status shows a hand-off, a turn is about to hand the conversation off; the fence prevents that.
    """
    if opened.state.mode is not Mode.AI:
        return False
    is_with_agent = Status(opened.conversation.conversation_status) in WITH_PEOPLE
    return not is_with_agent or opened.state.moved_for == cause.what


def _check_is_open(opened: OpenConversation) -> None:
    if Status(opened.conversation.conversation_status) in OVER or opened.state.mode is Mode.CLOSED:
        raise NotOpen("the conversation is closed, or the customer has opted out")


def _is_held_by(opened: OpenConversation, agent_id: str) -> bool:
    is_active = opened.conversation.conversation_status == Status.HANDOFF_ACTIVE
    return is_active and holder_of(opened.state) == agent_id


def _pending(resources: Resources, opened: OpenConversation) -> list[Message]:
    """Return the customer's messages since the last answered one, oldest first."""
    after = messages.after(resources.log, opened.ref, opened.state.answered_up_to)
    return [message for message in after if message.role is Role.USER]
