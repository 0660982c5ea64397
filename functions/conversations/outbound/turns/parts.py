"""
The messages of one answer that is too long for one: stored one by one before the first is sent, and sent in order.

    draft      one message with the whole text and, in `parts`, its division
    T5         the messages after the first are added to the log, then the first one keeps its own text only
    a message that is not accepted: those after it are discarded, and agents decide on both

Each message has an action of the ledger, as each turn has; all share the turn's fence and claim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.store import messages
from conversations.store.items import identifiers
from conversations.store.items.log import Delivery, Message
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Table

EARLIER_MESSAGE = (
    "earlier_message"  # the error code of a message that was discarded for one before it
)


def stored_apart(log: Table, ref: str, turn_id: str, message: Message) -> list[Message]:
    """Store the messages of a divided answer; return all messages of the turn, in order. Idempotent."""
    if not message.parts:
        return [message]
    later = [
        messages.add(log, ref, _part(ref, turn_id, message, number))
        for number in range(1, len(message.parts))
    ]
    facts = Message.named(**_text(message.parts[0]))
    return [messages.update(log, ref, message.own_sk, facts) or message, *later]


def discard(log: Table, ref: str, unsent: Sequence[Message]) -> None:
    """Mark messages as discarded: one before them was not sent."""
    facts = Message.named(delivery_status=Delivery.DISCARDED, error_code=EARLIER_MESSAGE)
    for message in unsent:
        messages.update(log, ref, message.own_sk, facts)


def _part(ref: str, turn_id: str, message: Message, number: int) -> Message:
    """Return one of the messages after the first, with an id and a time of its own."""
    own_turn = f"{turn_id}{identifiers.PART}{number + 1}"
    at = clock.from_text(message.message_timestamp) + number
    is_last = number == len(message.parts) - 1
    return Message(
        entry_id=identifiers.entry_id(identifiers.action_id(ref, own_turn)),
        message_timestamp=clock.to_text(at),
        role=message.role,
        author=message.author,
        delivery_status=Delivery.DRAFT,
        turn_id=own_turn,
        turn_kind=message.turn_kind,
        up_to=message.up_to,
        thread_id=message.thread_id,
        # The newest message shows whether the customer has the notice of a hand-off.
        hand_off_reason=message.hand_off_reason if is_last else None,
        hand_off_cause=message.hand_off_cause if is_last else None,
        ttl=message.ttl,
        **_text(message.parts[number]),
    )


def _text(text: str) -> dict[str, Any]:
    from shared.providers.sms.segments import measure  # noqa: PLC0415 - of one channel

    size = measure(text)
    return {"content": text, "encoding": size.encoding, "segments": size.segments}
