"""
T8: ends a turn and sets the state's mode (model, agents or closed) according to the status the turn led to.

If agents changed the mode since the turn was claimed, the state's fields are written to match the current conversation:
no agent's decision is undone, and status and mode never contradict each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from conversations.configuration.resources import Resources
from conversations.lifecycle import closing_question, inactivity
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import ROUNDS, Cause, keep_open, mode_of, move
from conversations.store import conversations, states
from conversations.store.items.conversation import Conversation
from conversations.store.items.log import Mode
from conversations.store.items.turn import Turn
from shared.runtime.failures import Transient

_PLAIN = frozenset({Status.INITIAL_MESSAGE_SENT, Status.REPLY_SENT})
WAITS = "waits_for_approval"
# Fields that are true only while the turn's own status is current.
_OF_STATUS = ("status_reason", "handed_off_for")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """
    The result of a turn: the item before and after its one update, and the fields to write to the state.

    *status* is the status that the turn leads to, None if it changes none; *reported_functions* are the functions with
    outcomes that the model was given.
    """

    changed: tuple[Conversation, Conversation]
    status: Status | None
    cause: Cause
    marks: dict[str, Any] = field(default_factory=dict)
    reported_functions: Sequence[str] = ()


def end(resources: Resources, opened: OpenConversation, turn: Turn, ending: Ending) -> None:
    """Write the state's fields and release the turn. Idempotent. Raises Transient if agents keep changing the state."""
    before, after = ending.changed
    # First the open list: steps after the release are not repeated.
    keep_open(resources, opened.ref, after)
    inactivity.close_some(resources, opened, turn.turn_id)
    if ending.status is Status.CLOSED:
        closing_question.schedule(resources, opened)
    status = Status(after.conversation_status)
    mode, facts = mode_of(status), dict(ending.marks)
    # The reason of an earlier status does not apply to this one.
    is_plain = status in _PLAIN and not facts.get("status_reason")
    drop = ("status_reason",) if is_plain else ()
    is_raised = mode is not opened.state.mode
    if is_raised:
        facts |= {"mode": mode, "status_before": before.conversation_status}
    seen = turn.generation if is_raised else opened.state.generation
    ended = states.release(
        resources.log,
        opened.ref,
        turn,
        seen=seen,
        raises_fence=is_raised or WAITS in facts,
        drop=drop,
        reported=ending.reported_functions,
        **facts,
    )
    if ended is None:
        _retry_end(resources, opened, turn, ending)


def _retry_end(resources: Resources, opened: OpenConversation, turn: Turn, ending: Ending) -> None:
    """End a turn if agents changed the mode during it, or if another worker has ended it."""
    _, after = ending.changed
    for _ in range(ROUNDS):
        current = _now(resources, opened)
        if current is None:
            return
        current = _align_mode(resources, current, ending)
        if not _is_same_turn(current.state.turn, turn):
            return
        keep_open(resources, opened.ref, current.conversation)
        marks = dict(ending.marks)
        if current.conversation.conversation_status != after.conversation_status:
            marks = {name: mark for name, mark in marks.items() if name not in _OF_STATUS}
        if current.state.mode is Mode.AI:
            marks.pop(WAITS, None)  # Handed back undecided: the next turn may request it again.
        ended = states.release(
            resources.log,
            opened.ref,
            turn,
            seen=current.state.generation,
            raises_fence=WAITS in marks,
            reported=ending.reported_functions,
            **marks,
        )
        if ended is not None:
            return
    raise Transient("state_contended")


def _align_mode(
    resources: Resources, current: OpenConversation, ending: Ending
) -> OpenConversation:
    """
    Align the mode with the turn's status if that is a hand-off or an end; return the conversation.

    The turn wrote this status after agents handed the conversation back, so the status stands and the state follows. A
    status with mode AI never changes the mode: an agent who has raised the fence is about to write another status.
    """
    status = Status(current.conversation.conversation_status)
    mode = mode_of(status)
    if status is not ending.status or mode in {Mode.AI, current.state.mode}:
        return current
    return move(resources, current, status, ending.cause)


def _now(resources: Resources, opened: OpenConversation) -> OpenConversation | None:
    """Return the current conversation; reads the state first, so that an older item never has a newer fence."""
    state = states.read(resources.log, opened.ref)
    if state is None:
        return None
    item = conversations.read(resources.table, state.primary_channel, state.conversation_id)
    if item is None:
        return None
    return OpenConversation(ref=opened.ref, conversation=item, state=state, company=opened.company)


def _is_same_turn(stored: Turn | None, turn: Turn) -> bool:
    return stored is not None and (stored.turn_id, stored.owner) == (turn.turn_id, turn.owner)
