"""
T8: a turn ends, and who may speak from now on follows from the status that it led to.

Where people have decided since the turn was claimed, the marks are written of the conversation as they have left it:
nothing here undoes what a person did, and no status stays that says otherwise than the state who has the conversation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conversations.conversation import Opened
from conversations.lifecycle import Status
from conversations.resources import Resources
from conversations.store import conversations, states
from conversations.store.items.conversation import Conversation
from conversations.store.items.log import Mode, Turn
from conversations.transitions import ROUNDS, Cause, keep_open, mode_of, move
from shared.failures import Transient

_PLAIN = frozenset({Status.INITIAL_MESSAGE_SENT, Status.REPLY_SENT})
WAITS = "waits_for_approval"
# What is only true where the turn's own status stands.
_OF_STATUS = ("status_reason", "handed_off_for")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """
    What a turn ends with: the item before and after its one update, and what the state is to say.

    *wanted* is the status that the turn leads to, None where it leaves it as it was; *told* are the functions of which
    the model has heard what people decided.
    """

    changed: tuple[Conversation, Conversation]
    wanted: Status | None
    cause: Cause
    marks: dict[str, Any] = field(default_factory=dict)
    told: Sequence[str] = ()


def end(here: Resources, opened: Opened, turn: Turn, ending: Ending) -> None:
    """Write the marks, and let go of the turn. Safe to repeat. Raises Transient where people decide all the time."""
    before, after = ending.changed
    # First the list: what comes after the release is not repeated.
    keep_open(here, opened.ref, after)
    status = Status(after.conversation_status)
    mode, facts = mode_of(status), dict(ending.marks)
    # What an older status was for is no reason for this one.
    is_plain = status in _PLAIN and not facts.get("status_reason")
    drop = ("status_reason",) if is_plain else ()
    is_raised = mode is not opened.state.mode
    if is_raised:
        facts |= {"mode": mode, "status_before": before.conversation_status}
    seen = turn.generation if is_raised else opened.state.generation
    ended = states.release(
        here.log,
        opened.ref,
        turn,
        seen=seen,
        raises_fence=is_raised or WAITS in facts,
        drop=drop,
        told=ending.told,
        **facts,
    )
    if ended is None:
        _end_anew(here, opened, turn, ending)


def _end_anew(here: Resources, opened: Opened, turn: Turn, ending: Ending) -> None:
    """The end of a turn during which people have decided who may speak, or that others have ended."""
    _, after = ending.changed
    for _ in range(ROUNDS):
        current = _now(here, opened)
        if current is None:
            return
        current = _agreed(here, current, ending)
        if not _is_of(current.state.turn, turn):
            return
        keep_open(here, opened.ref, current.conversation)
        marks = dict(ending.marks)
        if current.conversation.conversation_status != after.conversation_status:
            marks = {name: mark for name, mark in marks.items() if name not in _OF_STATUS}
        if current.state.mode is Mode.AI:
            marks.pop(WAITS, None)  # Given back without it: the next turn may ask for it.
        ended = states.release(
            here.log,
            opened.ref,
            turn,
            seen=current.state.generation,
            raises_fence=WAITS in marks,
            told=ending.told,
            **marks,
        )
        if ended is not None:
            return
    raise Transient("state_contended")


def _agreed(here: Resources, current: Opened, ending: Ending) -> Opened:
    """
    The conversation, where nobody takes it for the model's that the turn has led to people, or to its end.

    The turn wrote its status after people had given the conversation back, so it stands; the state has to follow.
    What speaks of the model follows from no turn: a person who has the fence by now is about to say so.
    """
    status = Status(current.conversation.conversation_status)
    mode = mode_of(status)
    if status is not ending.wanted or mode in {Mode.AI, current.state.mode}:
        return current
    return move(here, current, status, ending.cause)


def _now(here: Resources, opened: Opened) -> Opened | None:
    """The conversation as it stands; its state is read first, so that no later fence goes with an older item."""
    state = states.read(here.log, opened.ref)
    if state is None:
        return None
    item = conversations.read(here.table, state.primary_channel, state.conversation_id)
    if item is None:
        return None
    return Opened(ref=opened.ref, conversation=item, state=state, company=opened.company)


def _is_of(found: Turn | None, turn: Turn) -> bool:
    return found is not None and (found.turn_id, found.owner) == (turn.turn_id, turn.owner)
