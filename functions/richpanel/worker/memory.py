"""
Updates of a conversation's state after a turn. Fields that describe the newest message never move backwards.

One write per turn. If the turn gets a reply, the write is made before the reply, together with the reply's slot and
reservation (`ahead`); if the reply was not sent, the change is undone and written again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from richpanel.decisions.facts import NEED_ORDER_NUMBER, RouteOnly
from richpanel.decisions.facts import PendingFlow as Flow
from richpanel.decisions.templates.catalogue import ASK_ORDER_NUMBER, Tier, templates
from richpanel.store import states
from richpanel.store.items import ConversationState, PendingFlow
from richpanel.store.states import Change
from richpanel.worker.cases.case import Case, Overtaken
from shared.runtime import clock

if TYPE_CHECKING:
    from richpanel.configuration.resources import Resources
    from richpanel.decisions.outcome import Decision
    from richpanel.worker.turns import Position


def head_of(state: ConversationState | None) -> Position | None:
    """Return the position of the newest handled message, or None if none was handled."""
    if state is None or state.last_processed_message_at is None:
        return None
    return clock.from_text(state.last_processed_message_at), state.last_processed_message_id or ""


def is_remembered(case: Case) -> bool:
    """
    Whether the state holds this turn from a run that died before it finished: all steps before that write were done.

    Deciding again would be wrong, as the state now includes the turn itself. A write made ahead of a reply does not
    count: it proves nothing, and its reservation keeps the previous question.
    """
    state = case.state
    if state is None or state.reservation_of(case.target.name):
        return False
    return head_of(state) == case.target.position


def is_ahead(case: Case) -> bool:
    """Whether the state holds this turn ahead of its reply, as its newest turn, and the change was not undone."""
    state, name = case.state, case.target.name
    if state is None or not state.is_slot_of(name) or state.reservation_of(name) is None:
        return False
    return head_of(state) == case.target.position


def note(resources: Resources, case: Case, decision: Decision) -> Case:
    """
    Write the decision's risk flags and a hand-back before any other step: they survive a failure of later steps, of
    which one removes the tag of the hand-back. Returns *case* with the state as it is then.
    """
    flags = {str(name) for name in decision.risk_flags}
    handed_back_at = clock.to_text(case.target.at_ms) if case.is_handed_back else None

    # Version of the state that this run's own change was based on; None if the state was left as it is.
    changed: int | None = None

    def change(state: ConversationState | None) -> Change | None:
        nonlocal changed
        known_flags = (state.risk_flags if state else None) or set()
        known_at = (state.handed_back_at if state else None) or ""
        put = {}
        if handed_back_at and handed_back_at > known_at:
            put = ConversationState.named(handed_back_at=handed_back_at)
        add = {} if flags <= known_flags else ConversationState.named(risk_flags=flags)
        changed = (state.version if state else 0) if put or add else None
        return Change(put=put, add=add) if put or add else None

    if not flags and not handed_back_at:
        return case
    state = states.change_conversation(resources.state, case.conversation_id, change)
    # The reply's reservation is conditional on the version that the decision saw. Only this run's own change may follow
    # it: another run's may be the reservation of the same reply.
    is_own = changed == (case.state.version if case.state else 0)
    return replace(case, state=state) if is_own else case


def _change_for(
    case: Case,
    decision: Decision,
    state: ConversationState | None,
    *,
    sent: str | None,
    processed_at: int,
) -> Change:
    """Return the change that the turn makes. *sent*: template of the reply that was sent or may have been."""
    facts = ConversationState.named(
        last_processed_at=_later(state, clock.to_text(max(0, processed_at))),
        contact_id=case.contact_id,
    )
    head, name = head_of(state), case.target.name
    is_late = case.customer_turn.route_only is RouteOnly.LATE_MESSAGE
    if is_late or (head is not None and head > case.target.position):
        # A newer message was handled already: change only fields that never move backwards.
        return Change(put=facts)
    moment, message_id = case.target.position
    facts |= ConversationState.named(
        last_processed_message_id=message_id,
        last_processed_message_at=clock.to_text(moment),
        last_routed_team=str(decision.team),
        last_routing_confidence=round(decision.routing_confidence, 4),
        last_intent=str(decision.intent),
    )
    question_before = case.state.flow_before(name) if case.state else None
    if (state.flow_before(name) if state else None) != question_before:
        # Another turn has set or removed the question since this turn was decided.
        return Change(put=facts)
    flow = _flow_after(decision, question_before, sent)
    if sent == ASK_ORDER_NUMBER:
        facts |= ConversationState.named(question_language=str(decision.language))
    if flow is None:
        return Change(put=facts, drop=("pending_flow",))
    return Change(put=facts | ConversationState.named(pending_flow=flow))


def _flow_after(
    decision: Decision, question_before: PendingFlow | None, sent: str | None
) -> dict[str, object] | None:
    """
    Return the pending question after the turn. It depends on the reply that was sent, not on the current decision: a
    redelivery may decide differently from the run that sent the reply.
    """
    if sent is None:
        question = decision.pending_flow_unsent if decision.reply else decision.pending_flow
        return _stored(question) if question else None
    if sent == ASK_ORDER_NUMBER:
        requested_at = clock.to_text(clock.now_ms())
        attempts = (question_before.attempts if question_before else 0) + 1
        return {
            "type": NEED_ORDER_NUMBER,
            "requested_at": requested_at,
            "attempts": attempts,
        }
    if templates[sent].tier is Tier.VERIFIED:
        return None
    question = decision.pending_flow_unsent
    return _stored(question) if question else None


def ahead(case: Case, decision: Decision, state: ConversationState | None, sent: str) -> Change:
    """Return the change that the turn makes, written before its reply as if the reply had been sent."""
    # Just before this message: the sweep keeps returning to the ticket until a run has finished the turn.
    before = min(case.read_at, case.target.at_ms - 1)
    return _change_for(case, decision, state, sent=sent, processed_at=before)


def remember(resources: Resources, case: Case, decision: Decision, *, sent: str | None) -> None:
    """
    Write the turn's changes to the state, unless it has them already. Safe to repeat.

    Raises Transient and Erased, and Overtaken if a reply to this message is reserved and this run knows of none.
    """
    name = case.target.name

    def change(state: ConversationState | None) -> Change | None:
        reserved = state.reservation_of(name) if state else None
        if state and reserved and state.is_slot_of(name):
            if sent is None:
                raise Overtaken
            return None
        changes = _change_for(case, decision, state, sent=sent, processed_at=case.read_at)
        if reserved:
            changes = replace(changes, drop=(*changes.drop, "reserved_reply"))
        return None if state and _is_stored(state, changes) else changes

    states.change_conversation(resources.state, case.conversation_id, change)


def touch(resources: Resources, conversation_id: str, read_at: int) -> None:
    """Record that the ticket was read and had nothing new, so that our own changes do not keep it in the sweep."""
    now = clock.to_text(read_at)

    def change(state: ConversationState | None) -> Change:
        return Change(put=ConversationState.named(last_processed_at=_later(state, now)))

    states.change_conversation(resources.state, conversation_id, change)


def _later(state: ConversationState | None, moment: str) -> str:
    return max(moment, (state and state.last_processed_at) or "")


def _stored(flow: Flow) -> dict[str, object]:
    requested_at = clock.to_text(round(flow.requested_at.timestamp() * 1_000))
    return {
        "type": flow.type,
        "requested_at": requested_at,
        "attempts": flow.attempts,
    }


def _is_stored(state: ConversationState, changes: Change) -> bool:
    stored = state.attributes()
    flags = changes.add.get("risk_flags", set())
    return (
        all(stored.get(name) == value for name, value in changes.put.items())
        and flags <= set(stored.get("risk_flags", set()))
        and not any(name in stored for name in changes.drop)
    )
