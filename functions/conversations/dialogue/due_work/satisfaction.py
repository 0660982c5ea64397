"""
Asks the customer of an ended conversation how satisfied they are.

    closed --> due item --> sweep --> `AskSatisfaction` record --> checks --> turn

A conversation has one such turn, so it asks once; a person is asked once in 30 days. Nothing is asked if the customer
never wrote, if the conversation was opened again, or if it ended because of its silence. The question waits for the end
of quiet hours; what the policy refuses for another reason is not asked at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.lifecycle import conversation, inactivity
from conversations.lifecycle.status import Status
from conversations.outbound.policy.gate import send_request_of
from conversations.outbound.results import Ended
from conversations.outbound.turns import engine, fence
from conversations.outbound.turns.plan import Outcome, Plan
from conversations.store import states
from conversations.store.items import identifiers
from conversations.store.items.parts.due import DueKind
from conversations.store.items.turn import Stage, TurnKind
from conversations.store.recovery import due
from shared.policy.facts import Allowed, Later
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.configuration.resources import Run
    from conversations.dialogue.context import DialogueDependencies
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.lifecycle.records.commands import AskSatisfaction
    from conversations.store.items.log import Message

TURN_ID = "satisfaction"
AGAIN_MS = 15 * 60 * clock.SECOND_MS  # after a refusal at the moment of sending


def ask(
    deps: DialogueDependencies, opened: OpenConversation, command: AskSatisfaction, run: Run
) -> Outcome | None:
    """Send the question if it is still wanted; None if it is not. Raises Transient."""
    finished = engine.resume(deps.turns, opened, run)
    if finished is not None:
        if finished.ended is Ended.LATER:
            return finished
        opened = conversation.load(deps.resources, command.ref)
    if not _is_wanted(deps, opened):
        _drop(deps, opened)
        return finished
    decision = deps.policy_gate.decide(
        opened, send_request_of(opened, TurnKind.SATISFACTION, TURN_ID)
    )
    if isinstance(decision, Later):
        _postpone(deps, opened, decision.at)
        return Outcome(Ended.REFUSED, None, decision.reason)
    if not isinstance(decision, Allowed):
        _drop(deps, opened)
        return Outcome(Ended.REFUSED, None, decision.reason)
    plan = Plan(
        turn_id=TURN_ID,
        kind=TurnKind.SATISFACTION,
        author="system",
        read_until=opened.state.last_inbound_at or "",
    )
    outcome = engine.take(deps.turns, opened, plan, run, lambda: _written(deps, opened))
    if outcome.ended is Ended.REFUSED:
        _postpone(deps, opened, clock.now_ms() + AGAIN_MS)
    elif outcome.ended is not Ended.LATER:
        due.done(deps.resources.log, opened.ref, DueKind.SATISFACTION)
    return outcome


def _is_wanted(deps: DialogueDependencies, opened: OpenConversation) -> bool:
    state = opened.state
    is_ended = Status(opened.conversation.conversation_status) is Status.CLOSED
    has_dialogue = state.last_inbound_at is not None and state.last_outbound_at is not None
    if not is_ended or not has_dialogue or state.status_reason == inactivity.REASON:
        return False
    if opened.company.satisfaction is None or not deps.turns.gateway.public_url:
        return False
    turn = state.turn
    if turn is not None and turn.turn_id == TURN_ID:
        return True
    if state.satisfaction_asked is not None:  # also after the action's record has expired
        return False
    return deps.resources.ledger.action(_action_id(opened)) is None


def _written(deps: DialogueDependencies, opened: OpenConversation) -> Message | None:
    """Return the question; None if the person was asked in another conversation. Raises Unwritable."""
    message = deps.writer.satisfaction(opened, deps.turns.gateway.public_url, TURN_ID)
    # Last: one that cannot be written is no question to the person.
    return message if deps.policy_gate.may_ask(opened, _action_id(opened)) else None


def _action_id(opened: OpenConversation) -> str:
    return identifiers.action_id(opened.ref, TURN_ID)


def _postpone(deps: DialogueDependencies, opened: OpenConversation, at_ms: int) -> None:
    due.put(
        deps.resources.log,
        opened.ref,
        DueKind.SATISFACTION,
        at_ms,
        company=opened.company.company_id,
    )


def _drop(deps: DialogueDependencies, opened: OpenConversation) -> None:
    """Forget the question, and its turn if an attempt died before it was sent."""
    turn = opened.state.turn
    if turn is not None and turn.turn_id == TURN_ID and turn.stage is Stage.CLAIMED:
        fence.discard(deps.resources, opened.ref, turn.message_sk)
        states.release(deps.resources.log, opened.ref, turn)
    due.done(deps.resources.log, opened.ref, DueKind.SATISFACTION)
