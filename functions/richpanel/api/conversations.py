"""Operations on one conversation: read its state and audit, clear its risk flags, erase it."""

from richpanel.api.access import (
    ApiDependencies,
    Erased,
    Instruction,
    NotFound,
    log_change,
    write_audit_row,
)
from richpanel.api.inputs import DecisionsQuery
from richpanel.api.views import ClearedView, ConversationView, ErasedView, action_view, state_view
from richpanel.privacy import tickets
from richpanel.store import audits, states
from richpanel.store.items import AuditAction, ConversationState
from richpanel.store.states import Change
from shared.api.cursors import Listing, Page
from shared.api.opaque_ids import seal_of
from shared.api.routing.routes import Request


def id_of(ticket_id: str) -> str:
    """Return the conversation id of a ticket. Raises NotFound for an id that is reserved for internal rows."""
    conversation_id = tickets.key_of(ticket_id)
    if conversation_id is None:
        raise NotFound("id: there is no such conversation")
    return conversation_id


def look_up(
    deps: ApiDependencies, request: Request[DecisionsQuery], ticket_id: str
) -> Page[ConversationView]:
    """Return a conversation's state and one page of its audit, newest first. Raises NotFound and InvalidCursor."""
    conversation_id, query = id_of(ticket_id), request.input
    listing = Listing(request.caller.company, "audit_actions", (conversation_id,))
    start = listing.position(seal_of(deps.seal_secret), query.cursor) if query.cursor else None
    state = states.conversation(deps.state, conversation_id)
    actions, last = audits.page(deps.audit, conversation_id, limit=query.limit, start=start)
    if state is None and not actions and start is None:
        raise NotFound("id: there is no such conversation")
    view = ConversationView(
        conversation_id=conversation_id,
        state=state_view(state) if state else None,
        decisions=[action_view(action) for action in actions],
    )
    return Page(view, listing.cursor(seal_of(deps.seal_secret), last) if last else None)


def unerased_state(deps: ApiDependencies, conversation_id: str) -> ConversationState | None:
    """Return a conversation's state, or None if it has none. Raises Erased."""
    state = states.conversation(deps.state, conversation_id)
    if state and state.erased_at:
        raise Erased("id: the conversation was erased")
    return state


def clear_risk(
    deps: ApiDependencies, conversation_id: str, instruction: Instruction
) -> ClearedView:
    """
    Remove all risk flags, so that automatic replies are possible again. Raises NotFound and Erased.

    Safe to repeat. A flag that a message raises after the audit row was written is removed too: the next message of its
    kind raises it again.
    """
    state = unerased_state(deps, conversation_id)
    if state is None:
        raise NotFound("id: there is no such conversation")
    flags = sorted(state.risk_flags or ())
    if flags:
        _clear(deps, conversation_id, instruction, flags)
    log_change(instruction, "risk cleared", {"correlation_id": conversation_id, "flags": flags})
    return ClearedView(conversation_id=conversation_id, cleared=flags)


def _clear(
    deps: ApiDependencies, conversation_id: str, instruction: Instruction, flags: list[str]
) -> None:
    facts = {"change": "clear_risk", "conversation": conversation_id, "flags": flags}
    for about in (AuditAction.SWITCHES, conversation_id):
        write_audit_row(deps, instruction, "clear_risk", facts, about=about)

    def cleared(state: ConversationState | None) -> Change | None:
        return Change(drop=("risk_flags",)) if state and state.risk_flags else None

    states.change_conversation(deps.state, conversation_id, cleared)


def erase(deps: ApiDependencies, conversation_id: str, instruction: Instruction) -> ErasedView:
    """
    Erase a conversation (`richpanel.privacy.tickets`). A worker that is running at that moment may still write an audit
    row, of codes only: erase again then.
    """
    write_audit_row(
        deps, instruction, "erase", {"change": "erase", "conversation": conversation_id}
    )
    tables = tickets.Tables(deps.state, deps.audit, deps.contacts)
    erased_at = tickets.erase(tables, deps.account.company, conversation_id)
    log_change(instruction, "conversation erased", {"correlation_id": conversation_id})
    return ErasedView(conversation_id=conversation_id, erased_at=erased_at)
