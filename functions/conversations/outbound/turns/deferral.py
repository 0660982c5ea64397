"""What the policy refuses: put off until it may be, or blocked until somebody changes that."""

from conversations.conversation import Opened
from conversations.lifecycle import Status
from conversations.outbound.turns.settlement import End, keep_noted
from conversations.resources import Resources
from conversations.store import due, states
from conversations.store.items.log import DueKind
from conversations.transitions import Cause, move


def put_off(here: Resources, opened: Opened, end: End, what: str) -> None:
    """Move a conversation to where its refusal leads; what is to be tried again is brought back when it is due."""
    turn = opened.state.turn
    if turn is not None and turn.turn_id == what:  # Claimed before the policy changed its mind.
        states.release(here.log, opened.ref, turn)
    if end.due_at_ms is not None:
        due.put(here.log, opened.ref, DueKind.RESUME, end.due_at_ms, reason=end.reason)
    if end.noted is not None:
        keep_noted(here, opened, end.noted)
    if end.status is not None:
        cause = Cause(who="parley", what=f"{what}:{end.reason}", reason=end.reason)
        move(here, opened, Status(end.status), cause)
