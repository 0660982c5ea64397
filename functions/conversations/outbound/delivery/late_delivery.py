"""Late delivery: finishes the turn of a message that was given up in doubt and was delivered after all."""

from conversations.configuration.resources import Resources
from conversations.lifecycle.conversation import OpenConversation, Speaking
from conversations.lifecycle.status import Status
from conversations.lifecycle.transitions import Cause, finish_notes, move
from conversations.outbound.turns import settlement
from conversations.outbound.turns.sends import SEND_IN_DOUBT
from conversations.store import messages, states
from conversations.store.items.log import Message
from conversations.store.items.turn import Stage, Turn, TurnKind

# `error_code` of a message given up in doubt and reason of its conversation; `unknown` in items of older versions.
DOUBTS = frozenset({SEND_IN_DOUBT, "unknown"})
_BEGINS = frozenset({Status.FAILED, Status.PROCESSING})


def finish_after_delivery(
    resources: Resources, opened: OpenConversation, message: Message, action_id: str, cause: Cause
) -> None:
    """
    Finish the turn that was given up: add the message to the window; a first message also starts the conversation.

    The message keeps its `error_code` until all of this is done, so that any evidence of delivery can repeat it.
    Idempotent.
    """
    if message.error_code not in DOUBTS or message.turn_id is None or message.turn_kind is None:
        return
    # `processing` comes from an earlier run that was killed: no other step leaves a first message in doubt.
    is_to_begin = opened.conversation.conversation_status in _BEGINS or waits_in_doubt(opened)
    if _is_first(message) and is_to_begin:
        opened = move(resources, opened, Status.PROCESSING, cause)
    sk = message.own_sk
    turn = Turn(
        turn_id=message.turn_id,
        kind=message.turn_kind,
        up_to=message.up_to,
        message_sk=sk,
        generation=opened.state.generation,
        stage=Stage.SENDING,
        owner=cause.what,
        lease_until=0,
    )
    speaking = Speaking(opened=opened, turn=turn, message=message, action_id=action_id)
    settlement.finish(resources, speaking)
    if (opened.state.last_outbound_at or "") < message.message_timestamp:
        states.note(resources.log, opened.ref, last_outbound_at=message.message_timestamp)
    messages.update(resources.log, opened.ref, sk, {}, drop=["error_code"])


def waits_in_doubt(opened: OpenConversation) -> bool:
    """Return whether the conversation waits for an agent only because the outcome of a send is unknown."""
    is_waiting = opened.conversation.conversation_status == Status.HANDOFF_PENDING
    return is_waiting and opened.state.handed_off_for in DOUBTS


def fail_first(
    resources: Resources, opened: OpenConversation, message: Message, cause: Cause
) -> bool:
    """
    Fail a conversation whose first message is no longer in doubt: it was not sent. Idempotent.

    Returns whether the conversation failed for this message; then its fallback channel is due.
    """
    if not _is_first(message):
        return False
    if waits_in_doubt(opened):
        opened = move(resources, opened, Status.FAILED, cause)
    else:
        opened = finish_notes(resources, opened, cause)
    return opened.conversation.conversation_status == Status.FAILED


def _is_first(message: Message) -> bool:
    return message.turn_kind is TurnKind.INITIAL
