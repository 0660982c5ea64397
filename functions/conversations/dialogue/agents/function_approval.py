"""
Executes a function call that a human agent has approved, once, and gives the result to the model.

    1 approve    recorded in the state: a hand-back no longer refuses the call       killed: approved again
    2 execute    the function is executed through the ledger                         killed: the result is stored, or
                                                                                     unknown and reported as such
    3 record     the result is written to the message                                repeated
    4 hand back  the state: mode AI, the call is listed in `to_tell`                 killed: continues at 5
    5 report     an ordinary turn of the model, with the result
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.ai.functions import FAILED, CallRefused, checked
from conversations.dialogue import first_message, reply
from conversations.lifecycle.resume_status import status_of_model
from conversations.lifecycle.status import OVER, Status
from conversations.lifecycle.transitions import finish_move, move
from conversations.outbound.compose.facts import config_of
from conversations.outbound.compose.functions import proposals
from conversations.outbound.unwritable import Unwritable
from conversations.store import messages, states
from conversations.store.items import identifiers
from conversations.store.items.log import Mode
from conversations.store.items.parts.state import is_held_by_other
from conversations.store.items.proposal import Verdict
from conversations.store.items.turn import TurnKind
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from conversations.ai.functions import Result
    from conversations.configuration.resources import Resources, Run
    from conversations.dialogue.context import DialogueDependencies
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.lifecycle.records.commands import Release
    from conversations.outbound.turns.plan import Outcome
    from conversations.store.items.log import Message

RELEASED = "released"


def approve(
    deps: DialogueDependencies, opened: OpenConversation, command: Release, run: Run
) -> Outcome | None:
    """Execute the function call of a message and let the model continue; None if that was done or refused."""
    resources, sk = deps.resources, command.function_sk or ""
    message = messages.get(resources.log, command.ref, sk)
    if message is None or message.proposal is None:
        return None
    if sk == opened.state.waits_for_approval or sk in opened.state.being_done:
        status, mode = Status(opened.conversation.conversation_status), opened.state.mode
        if status in OVER or mode is Mode.CLOSED:
            return None  # Opted out or closed: the call waits until the conversation is reopened.
        opened = _record_approval(resources, opened, sk)
        result = _execute(deps, opened, message, run)
        verdict = proposals.verdict_of(result)
        proposals.decide(resources, command.ref, message, verdict, command.cause_for(RELEASED))
        opened = _hand_back(resources, opened, message, command)
    if sk not in opened.state.to_tell or opened.state.mode is not Mode.AI:
        return None
    opened = finish_move(resources, opened)
    if _is_first(message) and not opened.conversation.task_complete:
        return first_message.go_on(deps, opened, run)
    return reply.go_on(deps, opened, f"{identifiers.APPROVED}:{message.entry_id}", run)


def report_results(
    deps: DialogueDependencies, opened: OpenConversation, run: Run
) -> Outcome | None:
    """Run the deferred model turn about released functions; None if there is none."""
    if opened.state.mode is not Mode.AI:
        return None
    for sk in sorted(opened.state.to_tell, reverse=True):
        message = messages.get(deps.resources.log, opened.ref, sk)
        proposal = message.proposal if message else None
        # A refused call alone does not trigger a message: the model learns of it with the next answer.
        if message and proposal and proposal.verdict not in {None, Verdict.REFUSED}:
            return reply.go_on(deps, opened, f"{identifiers.APPROVED}:{message.entry_id}", run)
    return None


def _record_approval(resources: Resources, opened: OpenConversation, sk: str) -> OpenConversation:
    """Record the approval with a conditional write: a concurrent hand-back either precedes it or refuses nothing."""
    state = opened.state
    if sk in state.being_done:
        return opened
    approved = states.set_mode(
        resources.log,
        opened.ref,
        state.mode,
        seen=state,
        drop=("waits_for_approval",),
        into={"being_done": [sk]},
    )
    if approved is None:
        raise Transient("state_moved", 0)
    return opened.with_state(approved)


def _execute(
    deps: DialogueDependencies, opened: OpenConversation, message: Message, run: Run
) -> Result:
    """Execute the call under the project's current function settings and return its result."""
    proposal = message.proposal
    if proposal is None:
        return FAILED
    try:
        call = checked(proposals.call_of(proposal), config_of(opened).functions)
    except CallRefused:
        return FAILED  # The project has removed or changed the function.
    except Unwritable as fault:
        raise Transient(fault.reason) from None
    return deps.effects.execute(opened, message.turn_id or "", run, call)


def _hand_back(
    resources: Resources, opened: OpenConversation, message: Message, command: Release
) -> OpenConversation:
    """
    Give the conversation back to the model, unless another agent than the approving one has taken it over.

    If the model has requested another function meanwhile, an agent has to decide about that call first.
    """
    sk, state = proposals.sk_of(message), opened.state
    if is_held_by_other(state, command.agent_id) or state.waits_for_approval is not None:
        return opened.with_state(states.note_done(resources.log, opened.ref, sk))
    status = status_of_model(resources, opened)
    cause = command.cause_for(RELEASED)
    given_back = states.set_mode(
        resources.log,
        opened.ref,
        Mode.AI,
        seen=state,
        drop=("owner",),
        into={"to_tell": [sk]},
        out_of={"being_done": [sk]},
        released_by=command.cause,
        releases=state.releases + 1 if _is_first(message) else state.releases,
        status_before=opened.conversation.conversation_status,
        status_reason=RELEASED,
        **cause.marks(status),
    )
    if given_back is None:
        raise Transient("state_moved", 0)
    return move(resources, opened.with_state(given_back), status, cause)


def _is_first(message: Message) -> bool:
    return message.turn_kind is TurnKind.INITIAL
