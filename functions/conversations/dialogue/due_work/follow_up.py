"""
Follows up a message that the customer has not answered.

    due item --> sweep --> `FollowUp` record --> checks --> turn --> next step

A step is sent once: the id of its turn names the message that it follows. It is dropped if the customer has written or
has opted out, or if people have the conversation; it waits for the end of quiet hours and caps. The fence of the turn
compares the time of the customer's newest message again, so an answer that arrives before the send wins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.lifecycle import conversation
from conversations.lifecycle.resume_status import REACHED
from conversations.lifecycle.status import AWAITS_ANSWER, Status
from conversations.outbound.policy.gate import send_request_of
from conversations.outbound.results import Ended
from conversations.outbound.turns import engine, fence
from conversations.outbound.turns.plan import Outcome, Plan
from conversations.store import messages, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod
from conversations.store.items.log import Mode
from conversations.store.items.parts.due import DueKind
from conversations.store.items.turn import Stage, TurnKind
from conversations.store.recovery import due
from shared.policy.facts import Allowed, Later, TemplateOnly
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.configuration.follow_ups import FollowUp as Step
    from conversations.configuration.resources import Run
    from conversations.dialogue.context import DialogueDependencies
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.lifecycle.records.commands import FollowUp
    from shared.policy.facts import Decision

AGAIN_MS = 15 * 60 * clock.SECOND_MS  # after a refusal at the moment of sending


def send(
    deps: DialogueDependencies, opened: OpenConversation, command: FollowUp, run: Run
) -> Outcome | None:
    """Send a step if the customer is still silent; None if it is not wanted any more. Raises Transient."""
    finished = engine.resume(deps.turns, opened, run)
    if finished is not None:
        if finished.ended is Ended.LATER:
            return finished
        opened = conversation.load(deps.resources, command.ref)
    turn_id = f"follow_up:{command.step}:{command.message_sk}"
    step = _wanted(deps, opened, command, turn_id)
    if step is None:
        _drop(deps, opened, command, turn_id)
        return finished
    decision, is_template = _decision(deps, opened, step, turn_id)
    if isinstance(decision, Later):
        _postpone(deps, opened, command, decision.at)
        return Outcome(Ended.REFUSED, None, decision.reason)
    if not isinstance(decision, Allowed):
        _drop(deps, opened, command, turn_id)
        return Outcome(Ended.REFUSED, None, decision.reason)
    plan = Plan(
        turn_id=turn_id,
        kind=TurnKind.FOLLOW_UP,
        author="system",
        read_until=opened.state.last_inbound_at or "",
    )
    outcome = engine.take(
        deps.turns,
        opened,
        plan,
        run,
        lambda: deps.writer.follow_up(opened, step, command.step, turn_id, is_template=is_template),
    )
    if outcome.ended is Ended.REFUSED:
        _postpone(deps, opened, command, clock.now_ms() + AGAIN_MS)
    elif outcome.ended is not Ended.LATER:
        due.done_for(deps.resources.log, command.ref, DueKind.FOLLOW_UP, command.message_sk)
    return outcome


def _wanted(
    deps: DialogueDependencies, opened: OpenConversation, command: FollowUp, turn_id: str
) -> Step | None:
    """Return the step if our message was delivered, is the newest one of the conversation, and was not followed yet."""
    state, steps = opened.state, opened.company.follow_ups
    is_awaited = Status(opened.conversation.conversation_status) in AWAITS_ANSWER
    if command.step >= len(steps) or state.mode is not Mode.AI or not is_awaited:
        return None
    message = messages.get(deps.resources.log, opened.ref, command.message_sk)
    if message is None or message.delivery_status not in REACHED:
        return None
    newest = max(state.last_inbound_at or "", state.last_outbound_at or "")
    if newest > message.message_timestamp:
        return None
    turn = state.turn
    if turn is not None and turn.turn_id == turn_id:
        return steps[command.step]
    action_id = identifiers.action_id(opened.ref, turn_id)
    is_tried = deps.resources.ledger.action(action_id) is not None
    return None if is_tried else steps[command.step]


def _decision(
    deps: DialogueDependencies, opened: OpenConversation, step: Step, turn_id: str
) -> tuple[Decision, bool]:
    """Return the decision of the policy, and whether the step is sent as a template."""
    is_whatsapp = opened.conversation.channel_method is ChannelMethod.WHATSAPP
    is_template = is_whatsapp and step.text is None
    while True:
        request = send_request_of(opened, TurnKind.FOLLOW_UP, turn_id, is_template=is_template)
        decision = deps.policy_gate.decide(opened, request)
        if is_template or step.template is None or not isinstance(decision, TemplateOnly):
            return decision, is_template
        is_template = True


def _postpone(
    deps: DialogueDependencies, opened: OpenConversation, command: FollowUp, at_ms: int
) -> None:
    due.put(
        deps.resources.log,
        opened.ref,
        DueKind.FOLLOW_UP,
        at_ms,
        company=opened.company.company_id,
        message_sk=command.message_sk,
        step=command.step,
    )


def _drop(
    deps: DialogueDependencies, opened: OpenConversation, command: FollowUp, turn_id: str
) -> None:
    """Forget a step, and its turn if an attempt died before it was sent."""
    turn = opened.state.turn
    if turn is not None and turn.turn_id == turn_id and turn.stage is Stage.CLAIMED:
        fence.discard(deps.resources, opened.ref, turn.message_sk)
        states.release(deps.resources.log, opened.ref, turn)
    due.done_for(deps.resources.log, command.ref, DueKind.FOLLOW_UP, command.message_sk)
