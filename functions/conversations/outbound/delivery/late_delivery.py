"""Late delivery: finishes the turn of a message that was given up in doubt and was delivered after all."""

from conversations.conversation import OpenConversation, Speaking
from conversations.lifecycle import Status
from conversations.outbound.turns import settlement
from conversations.outbound.turns.engine import SEND_IN_DOUBT
from conversations.resources import Resources
from conversations.store import messages, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import Role
from conversations.store.items.log import Message, Stage, Turn, TurnKind
from conversations.transitions import Cause, move

# `error_code` of a message given up in doubt; for a first message also the conversation's reason.
DOUBTS = frozenset({SEND_IN_DOUBT, "unknown"})
_BEGINS = frozenset({Status.FAILED, Status.PROCESSING})
_KINDS = {
    "initial": TurnKind.INITIAL,
    "reply": TurnKind.REPLY,
    identifiers.APPROVED: TurnKind.REPLY,
    "human": TurnKind.HUMAN,
}


def heal(
    resources: Resources, opened: OpenConversation, message: Message, action_id: str, cause: Cause
) -> None:
    """
    Finish the turn that was given up: add the message to the window; a first message also starts the conversation.

    The message keeps its `error_code` until all of this is done, so that any evidence of delivery can repeat it.
    Idempotent.
    """
    if message.error_code not in DOUBTS:
        return
    turn_id = message.turn_id or ""
    kind = _KINDS.get(turn_id.partition(":")[0], TurnKind.SYSTEM)
    # `processing` comes from an earlier run that was killed: no other step leaves a first message in doubt.
    if _is_first(message) and opened.conversation.conversation_status in _BEGINS:
        opened = move(resources, opened, Status.PROCESSING, cause)
    sk = _sk(message)
    turn = Turn(
        turn_id=turn_id,
        kind=kind,
        up_to=_answered(resources, opened, message) if kind is TurnKind.REPLY else None,
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


def _answered(resources: Resources, opened: OpenConversation, message: Message) -> str | None:
    """Return the sort key of the customer's newest message that the reply covers, regardless of the attempt."""
    name, _, about = (message.turn_id or "").partition(":")
    if name != identifiers.APPROVED:
        return about.partition(identifiers.ATTEMPT)[0]
    # The turn started with an agent's release: the reply covers all messages unanswered when it was written.
    waited = messages.after(resources.log, opened.ref, opened.state.answered_up_to)
    before = [_sk(m) for m in waited if m.role is Role.USER and _sk(m) < _sk(message)]
    return before[-1] if before else None


def is_failed_first(opened: OpenConversation, message: Message) -> bool:
    """Return whether *message* is the first message of a failed conversation."""
    return _is_first(message) and opened.conversation.conversation_status == Status.FAILED


def _is_first(message: Message) -> bool:
    return (message.turn_id or "").startswith("initial")


def _sk(message: Message) -> str:
    return message.sk(message.message_timestamp, message.entry_id)
