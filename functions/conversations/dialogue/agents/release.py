"""Releases a held item for a human agent: a first message (in review, blocked or failed) or a function call."""

from conversations.configuration.resources import Run
from conversations.dialogue import first_message
from conversations.dialogue.agents import function_approval
from conversations.dialogue.agents.agent_message import say
from conversations.dialogue.context import DialogueDependencies
from conversations.lifecycle import conversation
from conversations.lifecycle.records.commands import HumanMessage, Release
from conversations.lifecycle.status import NEVER_SENT, WITH_PEOPLE, Status
from conversations.lifecycle.transitions import move
from conversations.outbound.turns import engine
from conversations.outbound.turns.plan import Outcome
from conversations.store import states
from conversations.store.items.log import Mode
from shared.runtime.failures import Transient

MAY_BE_RELEASED = NEVER_SENT | WITH_PEOPLE


def release(deps: DialogueDependencies, command: Release, run: Run) -> Outcome | None:
    """
    Send the held first message, with the agent's text or composed by the model; or execute a function call.

    Idempotent. All checks run again except the review.
    """
    opened = conversation.load(deps.resources, command.ref)
    engine.resume(deps.turns, opened, run)
    opened = conversation.load(deps.resources, command.ref)
    if command.function_sk is not None:
        return function_approval.approve(deps, opened, command, run)
    status = Status(opened.conversation.conversation_status)
    if opened.conversation.task_complete or status not in MAY_BE_RELEASED:
        return None
    if command.text is not None:
        message = HumanMessage(
            ref=command.ref,
            cause=command.cause,
            agent_id=command.agent_id,
            principal=command.principal,
            text=command.text,
        )
        return say(deps, message, run)
    if opened.state.released_by != command.cause:
        released = states.set_mode(
            deps.resources.log,
            command.ref,
            Mode.AI,
            seen=opened.state,
            drop=("owner",),  # No owner: any agent can take the conversation over.
            releases=opened.state.releases + 1,
            released_by=command.cause,
        )
        if released is None:
            raise Transient("state_moved")
        opened = opened.with_state(released)
    opened = move(deps.resources, opened, Status.PROCESSING, command.cause_for("released"))
    return first_message.go_on(deps, opened, run)
