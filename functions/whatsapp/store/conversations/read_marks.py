"""
The read position of a conversation: `readUpTo`, an order key, and `unreadCount`, the counted messages after it.

Both change in one update, together with the list that contains the conversation. The mark only moves forward. A message
that is delivered late counts as read if its order key is below the mark.
"""

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp.store.conversations.head_writes import (
    MAX_ROUNDS,
    as_seen,
    existing,
    lists_of,
)
from whatsapp.store.inbox.messages import TIMELINE_INDEX, live_messages
from whatsapp.store.items import Conversation, Message, pk
from whatsapp.store.ordering import order_key, second_of

# A call is in the timeline at its start, and counted at its end if it was missed.
LONGEST_RINGING_MS = 10 * 60 * clock.SECOND_MS


def mark_read(table: Table, head: Conversation, *, up_to: str, by: str, at: str) -> Conversation:
    """
    Move the read mark of *head* forward to the order key *up_to*, recount, and return the head.

    *by*: who read, the principal of an API key; *at*: when. Messages after *up_to* stay unread. Safe to repeat. Raises
    Transient if the head was deleted, or after many concurrent writes.
    """
    for _ in range(MAX_ROUNDS):
        read_up_to = max(up_to, head.read_up_to or "")
        unread = len(unread_keys(table, head, read_up_to))
        if (read_up_to, unread) == (head.read_up_to, head.unread_count):
            return head
        after = head.model_copy(update={"unread_count": unread})
        facts = Conversation.named(read_up_to=read_up_to, unread_count=unread)
        reader = Conversation.named(read_by=by, read_at=at) if read_up_to == up_to else {}
        try:
            changed = table.update(
                pk(head.pk), put=facts | reader | lists_of(after), when=as_seen(head)
            )
        except ConditionFailed as refusal:
            head = existing(refusal)
        else:
            return Conversation.read(changed)
    raise Transient("head_contended")


def recount(table: Table, head: Conversation) -> Conversation:
    """
    Count the messages after the read mark of *head* again, correct its number if it differs, and return the head.

    Safe to repeat. Raises Transient if the head was deleted, or after many concurrent writes.
    """
    for _ in range(MAX_ROUNDS):
        unread = len(unread_keys(table, head, head.read_up_to or ""))
        if unread == head.unread_count:
            return head
        after = head.model_copy(update={"unread_count": unread})
        facts = Conversation.named(unread_count=unread) | lists_of(after)
        try:
            return Conversation.read(table.update(pk(head.pk), put=facts, when=as_seen(head)))
        except ConditionFailed as refusal:
            head = existing(refusal)
    raise Transient("head_contended")


def unread_keys(table: Table, head: Conversation, read_up_to: str) -> set[str]:
    """
    Return the order keys of the counted messages and missed calls after *read_up_to*.

    Reads the timeline only for keys up to the floor of the ring: keys above it that are not in the ring have not been
    counted yet, and will count themselves.
    """
    counted = {key for key in head.recent_keys if key > read_up_to}
    floor = head.ring_floor or ""
    if read_up_to < floor:
        for conversation_pk in (head.pk, *head.linked_conversations):
            older = inbound_keys(table, conversation_pk, read_up_to, floor)
            counted |= {key for key in older if read_up_to < key <= floor}
    return counted


def inbound_keys(table: Table, conversation_pk: str, after: str, up_to: str) -> set[str]:
    """Return order keys of inbound messages and missed calls, at least between two order keys (inclusive)."""
    after_ms = clock.from_text(f"{second_of(after)}.000Z") if after else LONGEST_RINGING_MS
    low, high = clock.to_text(after_ms - LONGEST_RINGING_MS), f"{second_of(up_to)}Z"
    conversation = Key(Message.name_of("conversation_pk")).eq(conversation_pk)
    # Any text that continues a second is between the second itself and the second with a `Z`.
    times = Key(Message.name_of("received_at")).between(low, high)
    keys: set[str] = set()
    start: Attributes | None = None
    while True:
        entries, start = table.query(TIMELINE_INDEX, conversation & times, start=start)
        inbound = [e for e in entries if e.get(Message.name_of("direction")) == "INBOUND"]
        keys |= {order_key(one.received_at, one.pk) for one in live_messages(table, inbound)}
        keys |= _keys_of_calls(table, [e for e in entries if e["itemType"] == "CALL"])
        if start is None:
            return keys


def _keys_of_calls(table: Table, entries: list[Attributes]) -> set[str]:
    if not entries:
        return set()
    from whatsapp.store import groups  # noqa: PLC0415 - few conversations have calls

    return groups.keys_of_missed_calls(table, entries)
