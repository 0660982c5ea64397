"""Operations on one conversation: read its state and audit, clear its risk flags, erase it."""

from dataclasses import dataclass

from richpanel.api.access import ApiDependencies, Erased, Instruction, NotFound, leave_trace
from richpanel.event import id_or_hash
from richpanel.store import audits, states
from richpanel.store.items import RESERVED_PREFIXES, AuditAction, ConversationState
from richpanel.store.states import Change
from shared import clock
from shared.aws.dynamodb import Attributes

# Longest time until a delivery may repeat: 14 days in a queue, 14 days as a dead letter, and a week.
TOMBSTONE_SECONDS = 35 * clock.DAY_SECONDS


@dataclass(frozen=True, slots=True)
class Seen:
    """A conversation and one page of its audit, newest first; *last* is the key at which the next page starts."""

    state: ConversationState | None
    actions: list[AuditAction]
    last: Attributes | None


def id_of(ticket_id: str) -> str:
    """Return the conversation id of a ticket. Raises NotFound for an id that is reserved for internal rows."""
    conversation_id = id_or_hash(ticket_id)
    if conversation_id.lower().startswith(RESERVED_PREFIXES):
        raise NotFound("id: there is no such conversation")
    return conversation_id


def look_up(
    deps: ApiDependencies, conversation_id: str, *, limit: int, start: Attributes | None
) -> Seen:
    """Return a conversation's state and audit. Raises NotFound."""
    state = states.conversation(deps.state, conversation_id)
    actions, last = audits.page(deps.audit, conversation_id, limit=limit, start=start)
    if state is None and not actions and start is None:
        raise NotFound("id: there is no such conversation")
    return Seen(state, actions, last)


def living(deps: ApiDependencies, conversation_id: str) -> ConversationState | None:
    """Return a conversation's state, or None if it has none. Raises Erased."""
    state = states.conversation(deps.state, conversation_id)
    if state and state.erased_at:
        raise Erased("id: the conversation was erased")
    return state


def clear_risk(deps: ApiDependencies, conversation_id: str, given: Instruction) -> list[str]:
    """
    Remove all risk flags, so that automatic replies are possible again, and return them. Raises NotFound and Erased.

    Safe to repeat. A flag that a message raises after the audit row was written is removed too: the next message of its
    kind raises it again.
    """
    state = living(deps, conversation_id)
    if state is None:
        raise NotFound("id: there is no such conversation")
    flags = sorted(state.risk_flags or ())
    if not flags:
        return []
    facts = {"change": "clear_risk", "conversation": conversation_id, "flags": flags}
    for about in (AuditAction.SWITCHES, conversation_id):
        leave_trace(deps, given, "clear_risk", facts, about=about)

    def cleared(known: ConversationState | None) -> Change | None:
        return Change(drop=("risk_flags",)) if known and known.risk_flags else None

    states.change_conversation(deps.state, conversation_id, cleared)
    return flags


def erase(deps: ApiDependencies, conversation_id: str, given: Instruction) -> str:
    """
    Erase a conversation and return the time of its tombstone (ISO 8601). Safe to repeat, also after a partial failure.

    The tombstone is written first and stops all later events; then the audit is deleted. Rows of events and actions
    hold ids, hashes and codes, no personal data; they stay until they expire (30 days), so that nothing is answered
    twice. A worker that is running at that moment may still write an audit row, of codes only: erase again then.
    """
    leave_trace(deps, given, "erase", {"change": "erase", "conversation": conversation_id})
    state = states.conversation(deps.state, conversation_id)
    if state is None or not state.erased_at:
        states.bury(deps.state, conversation_id, TOMBSTONE_SECONDS)
        state = states.conversation(deps.state, conversation_id)
    audits.forget(deps.audit, conversation_id)
    return (state and state.erased_at) or clock.to_text(clock.now_ms())
