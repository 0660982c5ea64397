"""A message that was given up in doubt, and arrived all the same: its turn is finished then."""

from conversations.conversation import Opened, Speaking
from conversations.lifecycle import Status
from conversations.outbound.turns import settlement
from conversations.outbound.turns.engine import SEND_IN_DOUBT
from conversations.resources import Resources
from conversations.store import messages, states
from conversations.store.items import identifiers
from conversations.store.items.conversation import Role
from conversations.store.items.log import Message, Stage, Turn, TurnKind
from conversations.transitions import Cause, move

# What a message says whose turn was given up in doubt; of a first one it is the conversation's reason, too.
DOUBTS = frozenset({SEND_IN_DOUBT, "unknown"})
_BEGINS = frozenset({Status.FAILED, Status.PROCESSING})
_KINDS = {
    "initial": TurnKind.INITIAL,
    "reply": TurnKind.REPLY,
    identifiers.APPROVED: TurnKind.REPLY,
    "human": TurnKind.HUMAN,
}


def heal(here: Resources, opened: Opened, message: Message, action_id: str, cause: Cause) -> None:
    """
    Finish the turn that was given up: the message is in the conversation's window, and a first one has begun it.

    As long as the message says that it is in doubt, this was not done, whoever has found out that it arrived. Safe to
    repeat.
    """
    if message.error_code not in DOUBTS:
        return
    turn_id = message.turn_id or ""
    kind = _KINDS.get(turn_id.partition(":")[0], TurnKind.SYSTEM)
    # One that is being processed was here before, and died: nothing else leaves its first message in doubt.
    if _is_first(message) and opened.conversation.conversation_status in _BEGINS:
        opened = move(here, opened, Status.PROCESSING, cause)
    sk = _sk(message)
    turn = Turn(
        turn_id=turn_id,
        kind=kind,
        up_to=_answered(here, opened, message) if kind is TurnKind.REPLY else None,
        message_sk=sk,
        generation=opened.state.generation,
        stage=Stage.SENDING,
        owner=cause.what,
        lease_until=0,
    )
    speaking = Speaking(opened=opened, turn=turn, message=message, action_id=action_id)
    settlement.finish(here, speaking)
    if (opened.state.last_outbound_at or "") < message.message_timestamp:
        states.note(here.log, opened.ref, last_outbound_at=message.message_timestamp)
    messages.update(here.log, opened.ref, sk, {}, drop=["error_code"])


def _answered(here: Resources, opened: Opened, message: Message) -> str | None:
    """The newest message of the customer that an answer of the model was about, whichever attempt it was."""
    name, _, about = (message.turn_id or "").partition(":")
    if name != identifiers.APPROVED:
        return about.partition(identifiers.ATTEMPT)[0]
    # What a person released began the turn: it answered whatever waited when it was worded.
    waited = messages.after(here.log, opened.ref, opened.state.answered_up_to)
    before = [_sk(m) for m in waited if m.role is Role.USER and _sk(m) < _sk(message)]
    return before[-1] if before else None


def is_failed_first(opened: Opened, message: Message) -> bool:
    """Whether it is the first message of a conversation that has failed."""
    return _is_first(message) and opened.conversation.conversation_status == Status.FAILED


def _is_first(message: Message) -> bool:
    return (message.turn_id or "").startswith("initial")


def _sk(message: Message) -> str:
    return message.sk(message.message_timestamp, message.entry_id)
