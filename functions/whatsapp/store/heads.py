"""
Conversation heads: the newest message and an exact unread count, despite duplicates, delays and reordering.

A head counts a message by adding its order key `k` to the ring (`recentKeys`, a set):

    k > lastKey                          newest so far: count it, show it            (one write, the usual case)
    k in the ring                        already counted: nothing to do
    ringFloor < k <= lastKey             late: count it, do not show it
    k <= ringFloor                       older than the ring: recount from the timeline

The ring keeps the 20 newest keys; the highest key dropped from it is the floor, so all counted keys above the floor are
in the ring.
"""

from dataclasses import dataclass, replace
from functools import reduce
from operator import and_

from boto3.dynamodb.conditions import Attr, ConditionBase, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.failures import Transient
from shared.runtime import clock
from whatsapp.ordering import order_key, second_of, time_of
from whatsapp.store.items import Conversation, Message, pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.messages import TIMELINE_INDEX, live_messages

RING_KEPT = 20
RING_FULL = 28
INBOX_INDEX = "gsi_inbox"
MAX_ROUNDS = 8  # Two workers update one head only around a crash.
FREE_ENTRY_ANSWER_MS = 24 * clock.HOUR_MS
FREE_ENTRY_MS = 72 * clock.HOUR_MS

SENDER_FIELDS = (
    "sender_name", "sender_phone", "sender_user_id", "parent_user_id", "username", "identity_hash",
)  # fmt: skip
_of = Conversation.attr
# What a head has from its newest message and its number.
_OF_THE_NEWEST = frozenset(
    {
        "pk", "company", "inbox_pk", "from_", "received_at", "last_message_pk", "last_type", "last_preview", "archived",
        "waba_meta_id", "business_account_name", "phone", "sender_name", "last_key",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Newest:
    """
    A message as its conversation's head shows it. *shown*: the head's attributes; *k*: the message's order key;
    *received_at*: its time in milliseconds, as text.
    """

    conversation_pk: str
    shown: Attributes
    k: str
    received_at: str
    opens_window: bool = False
    has_referral: bool = False


def get(table: Table, conversation_pk: str) -> Conversation | None:
    """Return the head with this key (strongly consistent read)."""
    item = table.get(pk(conversation_pk))
    return Conversation.read(item) if item else None


def count_inbound(table: Table, message: Newest) -> None:
    """Count an inbound message exactly once, and show it if it is the newest. Safe to repeat, in any order."""
    unseen = ~_of("recent_keys").contains(message.k)
    when = _is_newest(message) & unseen
    window = {"last_inbound_at": message.received_at} if message.opens_window else {}
    if window:
        # A call may have opened the window later than this message does.
        when &= _forward("last_inbound_at", message.received_at)
    referral = {"referral_at": message.received_at} if message.has_referral else {}
    try:
        counted = table.update(
            pk(message.conversation_pk),
            put={
                **message.shown,
                **Conversation.named(last_key=message.k, archived=False, **window, **referral),
            },
            add=Conversation.named(unread_count=1, recent_keys={message.k}),
            when=when,
        )
    except ConditionFailed as refusal:
        head = _existing(refusal)
        if head.linked_to is not None:
            count_inbound(table, replace(message, conversation_pk=head.linked_to))
            return
        is_newest = message.k not in head.recent_keys and (head.last_key or "") < message.k
        if is_newest and message.opens_window:
            # Only a later call made the condition fail.
            count_inbound(table, replace(message, opens_window=False))
        else:
            _count_late(table, message, head)
    else:
        trim(table, Conversation.read(counted))


def _count_late(table: Table, message: Newest, head: Conversation) -> None:
    for _ in range(MAX_ROUNDS):
        if head.linked_to is not None:
            count_inbound(table, replace(message, conversation_pk=head.linked_to))
            return
        if message.k in head.recent_keys:
            trim(table, head)
            return
        try:
            if head.ring_floor is not None and message.k <= head.ring_floor:
                _recount(table, message, head)
            else:
                _add_late(table, message, head)
        except ConditionFailed as refusal:
            head = _existing(refusal)
        else:
            return
    raise Transient("head_contended")


def _add_late(table: Table, message: Newest, head: Conversation) -> None:
    """Count a message that is older than the newest. Raises ConditionFailed when the head differs from *head*."""
    is_unread = head.read_up_to is None or message.k > head.read_up_to
    moves_window = message.opens_window and (head.last_inbound_at or "") < message.received_at
    moves_referral = message.has_referral and (head.referral_at or "") < message.received_at
    # A head created by an outbound message has no sender and no `archived` flag.
    first_values = Conversation.named(archived=False) | {
        name: message.shown[name]
        for name in map(Conversation.name_of, SENDER_FIELDS)
        if message.shown.get(name)
    }
    changed = table.update(
        pk(message.conversation_pk),
        put=Conversation.named(
            last_inbound_at=message.received_at if moves_window else None,
            referral_at=message.received_at if moves_referral else None,
        ),
        put_once=first_values,
        add=Conversation.named(unread_count=1 if is_unread else 0, recent_keys={message.k}),
        when=as_seen(head) & ~_of("recent_keys").contains(message.k),
    )
    trim(table, Conversation.read(changed))


def _recount(table: Table, message: Newest, head: Conversation) -> None:
    """
    Recount the conversation for a message below the floor: only a redriven dead letter is that old.

    Messages above the floor that are not in the ring have not been counted yet and will count themselves; so the sum
    covers the ring, the timeline entries up to the floor, and this message. Raises ConditionFailed as `_add_late` does.
    """
    read_up_to = head.read_up_to or ""
    floor = head.ring_floor or ""
    counted = {key for key in head.recent_keys | {message.k} if key > read_up_to}
    for conversation_pk in (head.pk, *head.linked_conversations):
        older = inbound_keys(table, conversation_pk, read_up_to, floor)
        counted |= {key for key in older if read_up_to < key <= floor}
    changed = table.update(
        pk(message.conversation_pk),
        put=Conversation.named(unread_count=len(counted)),
        add=Conversation.named(recent_keys={message.k}),
        when=as_seen(head) & ~_of("recent_keys").contains(message.k),
    )
    trim(table, Conversation.read(changed))


def inbound_keys(table: Table, conversation_pk: str, after: str, up_to: str) -> set[str]:
    """Return the order keys of the conversation's inbound messages between the seconds of two keys (inclusive)."""
    conversation = Key(Message.name_of("conversation_pk")).eq(conversation_pk)
    time = Key(Message.name_of("received_at"))
    # Any text that continues a second is between the second itself and the second with a `Z`.
    low, high = second_of(after) if after else clock.to_text(0), f"{second_of(up_to)}Z"
    keys: set[str] = set()
    start: Attributes | None = None
    while True:
        entries, start = table.query(
            TIMELINE_INDEX, conversation & time.between(low, high), start=start
        )
        keys |= {
            order_key(message.received_at, message.pk)
            for message in live_messages(
                table, [e for e in entries if e.get(Message.name_of("direction")) == "INBOUND"]
            )
        }
        if start is None:
            return keys


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


def show_outbound(table: Table, message: Newest) -> None:
    """Show an outbound message if it is the newest; never changes the unread count or `archived`. Safe to repeat."""
    newest = _is_newest(message)
    sent = Conversation.named(last_outbound_at=message.received_at)
    try:
        head = table.update(
            pk(message.conversation_pk),
            put={**message.shown, **Conversation.named(last_key=message.k), **sent},
            # Adds 0: the contract requires a number from the first message on.
            add=Conversation.named(unread_count=0),
            when=newest,
        )
    except ConditionFailed as refusal:
        before = _existing(refusal)
        if before.linked_to is not None:
            show_outbound(table, replace(message, conversation_pk=before.linked_to))
            return
        if (before.last_outbound_at or "") < message.received_at:
            later = _of("last_outbound_at").not_exists() | _of("last_outbound_at").lt(
                message.received_at
            )
            head = _update_if(table, message.conversation_pk, sent, later) or refusal.existing or {}
        else:
            head = refusal.existing or {}
    _open_free_entry(table, Conversation.read(head), message.received_at)


def answered(table: Table, head: Conversation, by: str) -> None:  # noqa: ARG001 - heads do not show who read yet
    """
    Mark a conversation as read because an agent answered. Safe to repeat.

    *head*: as read before the answer was sent, so that messages that arrived since stay unread. *by*: the principal of
    the API key. Raises Transient if the head was deleted, or after many concurrent writes.
    """
    up_to = head.last_key
    if up_to is None:
        return
    for _ in range(MAX_ROUNDS):
        if (head.read_up_to or "") >= up_to:
            return
        unread = sum(key > up_to for key in head.recent_keys)
        facts = Conversation.named(read_up_to=up_to, unread_count=unread)
        try:
            table.update(pk(head.pk), put=facts, when=as_seen(head))
        except ConditionFailed as refusal:
            head = _existing(refusal)
        else:
            return
    raise Transient("head_contended")


def show_history(table: Table, message: Newest) -> None:
    """Show an imported message if it is the newest; it is not counted and opens no window. Safe to repeat."""
    try:
        table.update(
            pk(message.conversation_pk),
            put={**message.shown, **Conversation.named(last_key=message.k)},
            add=Conversation.named(unread_count=0),
            when=_is_newest(message),
        )
    except ConditionFailed as refusal:
        head = _existing(refusal)
        if head.linked_to is not None:
            show_history(table, replace(message, conversation_pk=head.linked_to))


def _is_newest(message: Newest) -> ConditionBase:
    """Return a condition that a message is the newest of its conversation, which no other one continues."""
    newest = _of("last_key").not_exists() | _of("last_key").lt(message.k)
    return newest & _of("linked_to").not_exists()


def _open_free_entry(table: Table, head: Conversation, answered_at: str) -> None:
    """Open the 3-day free entry window if a customer who came from an ad was answered within 24 hours."""
    if head.referral_at is None or head.free_entry_for == head.referral_at:
        return
    waited = clock.from_text(answered_at) - clock.from_text(head.referral_at)
    if 0 <= waited <= FREE_ENTRY_ANSWER_MS:
        until = clock.to_text(clock.from_text(answered_at) + FREE_ENTRY_MS)
        facts = Conversation.named(free_entry_until=until, free_entry_for=head.referral_at)
        _update_if(table, head.pk, facts, _of("referral_at").eq(head.referral_at))


def change_preview(table: Table, conversation_pk: str, message_pk: str, preview: str) -> None:
    """Update the preview if this message, edited or revoked, is still the newest."""
    is_newest = _of("last_message_pk").eq(message_pk)
    shown = Conversation.named(last_preview=preview)
    try:
        head = table.update(pk(conversation_pk), put=shown, when=is_newest)
    except ConditionFailed as refusal:
        head = refusal.existing or {}
    linked_to = head.get(Conversation.name_of("linked_to"))
    if linked_to is not None:
        _update_if(table, linked_to, shown, is_newest)


def note_identity_change(table: Table, conversation_pk: str, changed_at: str) -> None:
    """Record when the customer's identity (their phone's key) last changed; the time only moves forward."""
    forward = _forward("identity_changed_at", changed_at)
    facts = Conversation.named(identity_changed_at=changed_at)
    _update_if(table, conversation_pk, facts, Attr(PARTITION_KEY).exists() & forward)


def note_new_ids(
    table: Table, conversation_pk: str, message_pk: str, phone: str | None, user_id: str | None
) -> None:
    """
    Set the customer's new number and user id, unless a newer message than the notice has set them.

    A customer whose new number is unknown has none: the previous one is another person's.
    """
    ids = Conversation.named(sender_phone=phone, sender_user_id=user_id)
    try:
        table.update(
            pk(conversation_pk),
            put=ids,
            drop=[name for name, value in ids.items() if value is None],
            when=_of("last_message_pk").eq(message_pk),
        )
    except ConditionFailed:
        return


def open_window(table: Table, conversation_pk: str, at: str, company: str, phone: str) -> None:
    """
    Start the window for free-form answers at *at*, if later than its current start, because the customer called.

    A conversation without messages gets a head that no listing shows (it has no inbox index key).
    """
    facts = Conversation.named(last_inbound_at=at) | _unlisted(company, phone)
    _update_if(table, conversation_pk, facts, _forward("last_inbound_at", at))


def note_call_permission(table: Table, conversation_pk: str, until: str) -> None:
    """Store how long the customer allows calls, according to their newest answer."""
    facts = Conversation.named(call_permission_until=until)
    _update_if(table, conversation_pk, facts, Attr(PARTITION_KEY).exists())


def has_until(head: Conversation, until: str) -> bool:
    """Whether a head has anything from up to the time *until*; one that began later was created after it."""
    is_older = (head.received_at or "") <= until
    return (
        is_older or any(time_of(key) <= until for key in head.recent_keys) or bool(head.ring_floor)
    )


def forget_until(table: Table, head: Conversation, until: str) -> None:
    """
    Delete a head, or if it shows a newer message, what it has from up to the time *until*. Safe to repeat.

    Raises Transient after a concurrent write.
    """
    if (head.received_at or "") <= until:
        received_at = _of("received_at")
        unmoved = received_at.not_exists() | received_at.lte(until)
        try:
            table.delete(pk(head.pk), when=unmoved)
        except ConditionFailed:
            raise Transient("head_contended") from None
        return
    kept = {key for key in head.recent_keys if time_of(key) > until}
    fresh = head.model_copy(
        update={field: None for field in Conversation.model_fields if field not in _OF_THE_NEWEST}
        | {
            "recent_keys": kept,
            "unread_count": sum(key > (head.read_up_to or "") for key in kept),
            "last_inbound_at": _after(head.last_inbound_at, until),
            "last_outbound_at": _after(head.last_outbound_at, until),
            "read_up_to": head.read_up_to,
        }
    )
    try:
        table.put(fresh.attributes(), when=as_seen(head))
    except ConditionFailed:
        raise Transient("head_contended") from None


def _after(moment: str | None, until: str) -> str | None:
    return moment if moment and moment > until else None


def page(
    table: Table, phone_arn: str, *, limit: int, start: Attributes | None
) -> tuple[list[Conversation], Attributes | None]:
    """Return one page of a number's inbox heads, newest first; messages share the index and are omitted."""
    inbox = Key(Conversation.name_of("inbox_pk")).eq(phone_arn)
    entries, last = table.query(INBOX_INDEX, inbox, limit=limit, start=start, newest_first=True)
    heads = [entry for entry in entries if entry["itemType"] == Conversation.item_type]
    return [Conversation.read(entry) for entry in heads], last


def read_whole(table: Table, listed: list[Conversation]) -> list[Conversation]:
    """Return the whole heads of index entries, without those that another conversation continues by now."""
    if not listed:
        return []
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(head.pk) for head in listed])}
    heads = [Conversation.read(items[head.pk]) for head in listed if head.pk in items]
    return [head for head in heads if head.linked_to is None]


def position_of(head: Conversation) -> Attributes:
    """Return the inbox start key after *head*, for a caller that uses only part of a page."""
    return pk(head.pk) | Conversation.named(inbox_pk=head.inbox_pk, received_at=head.received_at)


def note_marketing_choice(
    table: Table, conversation_pk: str, at: str, company: str, phone: str, *, is_out: bool
) -> None:
    """
    Store the customer's newest marketing choice; of two in the same second, opt-out wins. Safe to repeat.

    A conversation without messages gets a head that no listing shows, as in `open_window`.
    """
    stored_at = _of("marketing_opt_out_at")
    newer = stored_at.not_exists() | (stored_at.lte(at) if is_out else stored_at.lt(at))
    choice = Conversation.named(marketing_opt_out=is_out, marketing_opt_out_at=at)
    _update_if(table, conversation_pk, choice | _unlisted(company, phone), newer)


def _unlisted(company: str, phone: str) -> Attributes:
    """Return the attributes of a head without messages; the first message does not change them."""
    return Conversation.named(company=company, phone=phone) | {"itemType": Conversation.item_type}


def _forward(field: str, at: str) -> ConditionBase:
    """Return a condition that a time of the head does not move back."""
    return _of(field).not_exists() | _of(field).lte(at)


def _update_if(
    table: Table, head_pk: str, facts: Attributes, when: ConditionBase
) -> Attributes | None:
    """Set *facts* if *when* holds and return the head; None when it does not hold, which is no error."""
    try:
        return table.update(pk(head_pk), put=facts, when=when)
    except ConditionFailed:
        return None


def as_seen(head: Conversation) -> ConditionBase:
    """Return a condition that no field the count depends on has changed since *head* was read."""
    conditions = [
        _of(field).not_exists() if value is None else _of(field).eq(value)
        for field, value in (
            ("last_key", head.last_key),
            ("read_up_to", head.read_up_to),
            ("ring_floor", head.ring_floor),
            ("last_inbound_at", head.last_inbound_at),
            ("linked_to", head.linked_to),
        )
    ]
    return reduce(and_, conditions, _of("unread_count").eq(head.unread_count))


def _existing(refusal: ConditionFailed) -> Conversation:
    if refusal.existing is None:
        raise Transient("head_vanished")
    return Conversation.read(refusal.existing)
