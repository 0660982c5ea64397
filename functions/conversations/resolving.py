"""Sends whose outcome nobody knew, settled by the evidence that there is when they are due."""

from conversations import arriving, turns
from conversations.desk import Desk
from conversations.intake import trigger
from conversations.items.log import DueKind, Mode
from conversations.records import Resolve
from conversations.replying import has_pending, tell_of_handoff
from conversations.resources import Run
from conversations.store import due
from conversations.turns import Ended, Outcome


def settle(desk: Desk, wanted: Resolve, run: Run) -> Outcome | None:
    """Finish a turn that is in doubt, then have what the customer wrote meanwhile answered. Raises Transient."""
    here = desk.here
    opened = arriving.opened(here, wanted.ref)
    outcome = turns.resume(desk.turns, opened, run)
    if outcome is not None and outcome.ended is Ended.LATER:
        return outcome
    due.done(here.log, wanted.ref, DueKind.IN_DOUBT)
    opened = arriving.opened(here, wanted.ref)
    tell_of_handoff(desk, opened)
    newest = has_pending(desk, opened)
    if newest is not None and opened.state.mode is Mode.AI:
        trigger(here, wanted.ref, newest, "settled")
    return outcome
