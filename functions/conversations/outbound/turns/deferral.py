"""Applies a policy refusal: the message is deferred until it may be sent, or blocked until the cause is removed."""

from conversations.configuration.resources import Resources
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import Cause, move
from conversations.outbound.results import End
from conversations.outbound.turns.settlement import keep_noted
from conversations.store import states
from conversations.store.items.parts.due import DueKind
from conversations.store.recovery import due


def apply_refusal(
    resources: Resources,
    opened: OpenConversation,
    end: End,
    what: str,
    *,
    waiting_since: str | None = None,
) -> None:
    """
    Move a conversation to the status of its refusal; a deferred message is scheduled for its due time.

    *waiting_since*: see `due.put`.
    """
    turn = opened.state.turn
    if turn is not None and turn.turn_id == what:  # Claimed before the policy decision changed.
        states.release(resources.log, opened.ref, turn)
    if end.due_at_ms is not None:
        due.put(
            resources.log,
            opened.ref,
            DueKind.RESUME,
            end.due_at_ms,
            company=opened.company.company_id,
            reason=end.reason,
            waiting_since=waiting_since,
        )
    if end.noted is not None:
        keep_noted(resources, opened, end.noted)
    if end.status is not None:
        cause = Cause(who="parley", what=f"{what}:{end.reason}", reason=end.reason)
        move(resources, opened, Status(end.status), cause)
