"""
Conversation heads: the newest message and an exact unread count, despite duplicates, delays and reordering.

A head counts a message by adding its order key `k` to the ring (`recentKeys`, a set):

    k > lastKey                          newest so far: count it, show it            (one write, the usual case)
    k in the ring                        already counted: nothing to do
    ringFloor < k <= lastKey             late: count it, do not show it
    k <= ringFloor                       older than the ring: recount from the timeline

The ring keeps the 8 newest keys; the highest key dropped from it is the floor, so all counted keys above the floor are
in the ring.

Every update that changes whether a head has unread messages also sets the lists that contain it (`head_writes`).
"""

from dataclasses import dataclass, field, replace

from boto3.dynamodb.conditions import ConditionBase

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp.store.conversations import read_marks
from whatsapp.store.conversations.head_writes import (
    MAX_ROUNDS,
    as_seen,
    existing,
    forward,
    lists_of,
    update_if,
)
from whatsapp.store.items import Conversation, pk
from whatsapp.store.items.conversations.conversations import OPEN_UNREAD

RING_KEPT = 8
RING_FULL = 14  # The head stays below 1 KB, that is one write unit.
APP = "app"  # who read: a person in the business's own WhatsApp app
EMPTY = "empty"  # preview of a message that was edited to nothing: no attribute is an empty text
FREE_ENTRY_ANSWER_MS = 24 * clock.HOUR_MS
FREE_ENTRY_MS = 72 * clock.HOUR_MS

SENDER_FIELDS = (
    "sender_name", "sender_phone", "sender_user_id", "parent_user_id", "username", "identity_hash",
)  # fmt: skip
_SENDER_NAMES = tuple(map(Conversation.name_of, SENDER_FIELDS))
_CLOSED = ("status", "snoozed_until")

_of = Conversation.attr


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """
    A message as its conversation's head shows it. *shown*: the head's attributes; *k*: the message's order key;
    *received_at*: its time in milliseconds, as text; *first_values*: of attributes that the head does not have yet.
    """

    conversation_pk: str
    shown: Attributes
    k: str
    received_at: str
    opens_window: bool = False
    has_referral: bool = False
    first_values: Attributes = field(default_factory=dict)


def get(table: Table, conversation_pk: str) -> Conversation | None:
    """Return the head with this key (strongly consistent read)."""
    item = table.get(pk(conversation_pk))
    return Conversation.read(item) if item else None


def count_inbound(table: Table, message: Newest) -> Conversation:
    """
    Count an inbound message exactly once, show it if it is the newest, and return its conversation. Safe to repeat, in
    any order.

    A new message opens its conversation again: it is neither archived, resolved nor snoozed any more.
    """
    head: Conversation | None = None
    for _ in range(MAX_ROUNDS):
        try:
            counted = _count_newest(table, message, head)
        except ConditionFailed as refusal:
            head = existing(refusal)
            if head.linked_to is not None:
                message, head = replace(message, conversation_pk=head.linked_to), None
            elif message.k in head.recent_keys or message.k <= (head.last_key or ""):
                return _count_late(table, message, head)
            # Only a later call, or the lists of an assignee, made the condition fail.
        else:
            now = Conversation.read(counted)
            trim(table, now)
            return now
    raise Transient("head_contended")


def _count_newest(table: Table, message: Newest, head: Conversation | None) -> Attributes:
    """Count the newest message so far; *head*, if a first attempt read it. Raises ConditionFailed."""
    assignee = head.assignee if head else None
    is_latest = head is None or (head.last_inbound_at or "") <= message.received_at
    when = _is_newest(message) & ~_of("recent_keys").contains(message.k) & _moves_like(assignee)
    window = Conversation.named(last_inbound_at=message.received_at)
    if message.opens_window and is_latest:
        # A call may have opened the window later than this message does.
        when &= forward("last_inbound_at", message.received_at)
    referral = Conversation.named(referral_at=message.received_at)
    return table.update(
        pk(message.conversation_pk),
        put={
            **message.shown,
            **Conversation.named(last_key=message.k, archived=False),
            **(window if message.opens_window and is_latest else {}),
            **(referral if message.has_referral else {}),
            **_lists(message, unread=1, assignee=assignee),
        },
        add=Conversation.named(unread_count=1, recent_keys={message.k}),
        drop=[Conversation.name_of(field) for field in _CLOSED],
        when=when,
    )


def _moves_like(assignee: str | None) -> ConditionBase:
    """Return a condition under which `_lists` with this *assignee* is right for a conversation that becomes unread."""
    if assignee is not None:
        return _of("assignee").eq(assignee)
    # Without a read the worker does not know the assignee, and does not need it if their list stays the same.
    assigned_list = _of("assignee_pk")
    return assigned_list.not_exists() | assigned_list.contains(f"#{OPEN_UNREAD}")


def _lists(message: Newest, *, unread: int, assignee: str | None = None) -> Attributes:
    """Return the index keys of the lists of open conversations, for the head that shows *message*."""
    head = Conversation.read({**message.shown, **pk(message.conversation_pk)})
    return lists_of(head.model_copy(update={"unread_count": unread, "assignee": assignee}))


def _count_late(table: Table, message: Newest, head: Conversation) -> Conversation:
    for _ in range(MAX_ROUNDS):
        if head.linked_to is not None:
            return count_inbound(table, replace(message, conversation_pk=head.linked_to))
        if message.k in head.recent_keys:
            trim(table, head)
            return head
        try:
            if head.ring_floor is not None and message.k <= head.ring_floor:
                # Only a redriven dead letter is that old.
                counted = read_marks.unread_keys(table, head, head.read_up_to or "")
                return _add_late(table, message, head, counted | _unread(message, head))
            return _add_late(table, message, head, None)
        except ConditionFailed as refusal:
            head = existing(refusal)
    raise Transient("head_contended")


def _add_late(
    table: Table, message: Newest, head: Conversation, recounted: set[str] | None
) -> Conversation:
    """
    Count a message that is older than the newest, and return the head. *recounted*: the keys of all unread messages, if
    they were counted again. Raises ConditionFailed when the head differs from *head*.
    """
    is_unread = bool(_unread(message, head))
    unread = head.unread_count + is_unread if recounted is None else len(recounted)
    after = head.model_copy(update={"unread_count": unread})
    if is_unread:
        after = after.model_copy(update={"archived": False} | dict.fromkeys(_CLOSED))
    moves_window = message.opens_window and (head.last_inbound_at or "") < message.received_at
    moves_referral = message.has_referral and (head.referral_at or "") < message.received_at
    sender = _present({name: message.shown.get(name) for name in _SENDER_NAMES})
    # Only what the business sent is newer: the ids are the customer's newest.
    is_newest_inbound = message.k > max(head.recent_keys, default=message.k)
    seen = _of("recent_keys").eq(head.recent_keys) if is_newest_inbound else None
    when = as_seen(head) & ~_of("recent_keys").contains(message.k)
    changed = table.update(
        pk(message.conversation_pk),
        put=Conversation.named(
            last_inbound_at=message.received_at if moves_window else None,
            referral_at=message.received_at if moves_referral else None,
            archived=bool(after.archived),
            unread_count=unread,
        )
        | lists_of(after)
        | (sender if is_newest_inbound else {}),
        # A head created by an outbound message has no sender.
        put_once={} if is_newest_inbound else sender,
        add=Conversation.named(recent_keys={message.k}),
        drop=[Conversation.name_of(field) for field in _CLOSED] if is_unread else [],
        when=when & seen if seen is not None else when,
    )
    counted = Conversation.read(changed)
    trim(table, counted)
    return counted


def _present(values: Attributes) -> Attributes:
    return {name: value for name, value in values.items() if value}


def is_first(head: Conversation, k: str) -> bool:
    """Whether no message or missed call before the one with the order key *k* was counted in a conversation."""
    return head.ring_floor is None and k == min(head.recent_keys, default=k)


def _unread(message: Newest, head: Conversation) -> set[str]:
    return {message.k} if message.k > (head.read_up_to or "") else set()


def trim(table: Table, head: Conversation) -> None:
    """Drop the oldest keys of a full ring and raise the floor over them; after a crash the redelivery does it."""
    if len(head.recent_keys) <= RING_FULL:
        return
    dropped = sorted(head.recent_keys)[:-RING_KEPT]
    # Recounted messages are below the floor: dropping them does not move it.
    floor = max(dropped[-1], head.ring_floor or "")
    unmoved = _of("ring_floor").not_exists() | _of("ring_floor").lte(floor)
    try:
        table.update(
            pk(head.pk),
            put=Conversation.named(ring_floor=floor),
            take_from_set=Conversation.named(recent_keys=set(dropped)),
            when=unmoved,
        )
    except ConditionFailed:
        return


def show_outbound(table: Table, message: Newest, *, is_read: bool = False) -> None:
    """
    Show an outbound message if it is the newest; never changes `archived`. Safe to repeat.

    *is_read*: a person wrote it in the business's own app, and so has read the messages before it.
    """
    newest = _is_newest(message)
    sent = Conversation.named(last_outbound_at=message.received_at)
    mark = Conversation.named(read_up_to=message.k, read_by=APP, read_at=message.received_at)
    try:
        changed = table.update(
            pk(message.conversation_pk),
            put={
                **message.shown,
                **Conversation.named(last_key=message.k),
                **sent,
                **(mark if is_read else {}),
            },
            put_once=_lists(message, unread=0) | _present(message.first_values),
            # Adds 0: the contract requires a number from the first message on.
            add=Conversation.named(unread_count=0),
            when=newest,
        )
    except ConditionFailed as refusal:
        before = existing(refusal)
        if before.linked_to is not None:
            continued = replace(message, conversation_pk=before.linked_to)
            show_outbound(table, continued, is_read=is_read)
            return
        changed = refusal.existing or {}
        if (before.last_outbound_at or "") < message.received_at:
            later = _of("last_outbound_at").not_exists() | _of("last_outbound_at").lt(
                message.received_at
            )
            changed = update_if(table, message.conversation_pk, sent, later) or changed
    head = Conversation.read(changed)
    if is_read:
        # Writes only if messages are unread.
        head = read_marks.mark_read(table, head, up_to=message.k, by=APP, at=message.received_at)
    _open_free_entry(table, head, message.received_at)


def show_uncounted(table: Table, entry: Newest) -> None:
    """
    Show an imported message or a call, unless a later entry is shown; it opens no window. Safe to repeat.

    An entry with the same order key replaces the shown one: it is the same item, in a newer state.
    """
    is_same = _of("last_key").eq(entry.k) & _of("linked_to").not_exists()
    try:
        table.update(
            pk(entry.conversation_pk),
            put={**entry.shown, **Conversation.named(last_key=entry.k)},
            put_once=_lists(entry, unread=0),
            add=Conversation.named(unread_count=0),
            when=_is_newest(entry) | is_same,
        )
    except ConditionFailed as refusal:
        head = existing(refusal)
        if head.linked_to is not None:
            show_uncounted(table, replace(entry, conversation_pk=head.linked_to))


def _is_newest(message: Newest) -> ConditionBase:
    """Return a condition that a message is the newest of its conversation, which no other one continues."""
    newest = _of("last_key").not_exists() | _of("last_key").lt(message.k)
    return newest & _of("linked_to").not_exists()


def show_group(table: Table, entry: Newest, name: str | None, revision: int) -> None:
    """
    Show a change of a group, unless a later entry is shown, and its name. Safe to repeat.

    *revision*: the revision of the group's item; a worker with an older one changes nothing.
    """
    seen = _of("group_revision")
    is_current = seen.not_exists() | seen.lte(revision)
    named = Conversation.named(group_name=name, group_revision=revision)
    newest = _of("last_key").not_exists() | _of("last_key").lte(entry.k)
    try:
        table.update(
            pk(entry.conversation_pk),
            put={**entry.shown, **Conversation.named(last_key=entry.k), **named},
            put_once=_lists(entry, unread=0),
            add=Conversation.named(unread_count=0),
            when=newest & is_current,
        )
    except ConditionFailed:
        update_if(table, entry.conversation_pk, named, is_current)


def _open_free_entry(table: Table, head: Conversation, answered_at: str) -> None:
    """Open the 3-day free entry window if a customer who came from an ad was answered within 24 hours."""
    if head.referral_at is None or head.free_entry_for == head.referral_at:
        return
    waited = clock.from_text(answered_at) - clock.from_text(head.referral_at)
    if 0 <= waited <= FREE_ENTRY_ANSWER_MS:
        until = clock.to_text(clock.from_text(answered_at) + FREE_ENTRY_MS)
        facts = Conversation.named(free_entry_until=until, free_entry_for=head.referral_at)
        update_if(table, head.pk, facts, _of("referral_at").eq(head.referral_at))


def change_preview(table: Table, conversation_pk: str, message_pk: str, preview: str) -> None:
    """Update the preview if this message, edited or revoked, is still the newest."""
    is_newest = _of("last_message_pk").eq(message_pk)
    shown = Conversation.named(last_preview=preview or f"[{EMPTY}]")
    try:
        head = table.update(pk(conversation_pk), put=shown, when=is_newest)
    except ConditionFailed as refusal:
        head = refusal.existing or {}
    linked_to = head.get(Conversation.name_of("linked_to"))
    if linked_to is not None:
        update_if(table, linked_to, shown, is_newest)
