"""Heads of linked conversations: the older one shows the messages of both, the newer one is in no listing."""

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime.failures import Permanent, Transient
from whatsapp.store.conversations.head_writes import MAX_ROUNDS, as_seen, file
from whatsapp.store.conversations.heads import get, trim
from whatsapp.store.conversations.read_marks import inbound_keys
from whatsapp.store.inbox.messages import TIMELINE_INDEX
from whatsapp.store.items import Conversation, Message, Phone, pk
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.ordering import order_key

MOST_LINKED = 10
_of = Conversation.attr
# Shown of the newest message.
_NEWEST = ("received_at", "last_message_pk", "last_type", "last_preview", "last_key")
_LATEST = ("last_inbound_at", "last_outbound_at", "referral_at")
_ENTRIES_READ = 20  # of a timeline, to find its newest message: calls are in it too


def join(table: Table, primary_pk: str, linked_pk: str, phone: Phone) -> None:
    """
    Hide one head and add its unread messages to the other's. Safe to repeat, after a crash at any point.

    Both may lack a head so far. Raises Permanent (`too_many_links`).
    """
    primary = get(table, primary_pk)
    listed = primary.linked_conversations if primary else set()
    if len(listed - {linked_pk}) >= MOST_LINKED:
        raise Permanent("too_many_links")
    linked = _hide(table, linked_pk, primary_pk, phone)
    _count_both(table, primary_pk, linked, phone)
    for field in _LATEST:
        _move_forward(table, primary_pk, field, getattr(linked, field))
    if linked.last_key is not None:
        shown = {field: getattr(linked, field) for field in _NEWEST}
        _show(table, primary_pk, linked.last_key, shown, phone)
    file(table, primary_pk)


def _count_both(table: Table, primary_pk: str, linked: Conversation, phone: Phone) -> None:
    """
    Add a hidden head's unread count and its ring to another head's, once.

    With both rings and the higher floor, a message that either head counted is not counted again.
    """
    for _ in range(MAX_ROUNDS):
        primary = get(table, primary_pk) or Conversation(pk=primary_pk)
        if linked.pk in primary.linked_conversations:
            trim(table, primary)  # An earlier delivery added them.
            return
        floor = max(primary.ring_floor or "", linked.ring_floor or "") or None
        ring_floor = _of("ring_floor")
        is_seen = (
            ring_floor.eq(primary.ring_floor) if primary.ring_floor else ring_floor.not_exists()
        )
        keys = Conversation.named(recent_keys=linked.recent_keys) if linked.recent_keys else {}
        added = {linked.pk, *linked.linked_conversations}
        try:
            changed = table.update(
                pk(primary_pk),
                put=Conversation.named(ring_floor=floor),
                put_once=_bare(phone),
                add=Conversation.named(unread_count=linked.unread_count, linked_conversations=added)
                | keys,
                when=is_seen & ~_of("linked_conversations").contains(linked.pk),
            )
        except ConditionFailed:
            continue
        trim(table, Conversation.read(changed))
        return
    raise Transient("head_contended")


def part(table: Table, primary_pk: str, linked_pk: str, phone: Phone) -> None:
    """Show each of two heads with its own messages again. Safe to repeat."""
    linked = get(table, linked_pk)
    if linked is None:
        return
    removed = {linked_pk, *linked.linked_conversations}
    primary = Conversation.read(
        table.update(
            pk(primary_pk),
            take_from_set=Conversation.named(linked_conversations=removed),
            when=Attr(PARTITION_KEY).exists(),
        )
    )
    is_listed = linked.last_key is not None
    table.update(
        pk(linked_pk),
        put=Conversation.named(
            inbox_pk=phone.phone_arn if is_listed else None,
            # Reading the common conversation read these messages too.
            read_up_to=max(linked.read_up_to or "", primary.read_up_to or "") or None,
        ),
        drop=[Conversation.name_of("linked_to")],
        when=_of("linked_to").eq(primary_pk) | _of("linked_to").not_exists(),
    )
    for head_pk in (primary_pk, linked_pk):
        _recount(table, head_pk)
        file(table, head_pk)


def _hide(table: Table, linked_pk: str, primary_pk: str, phone: Phone) -> Conversation:
    """Remove a head from all listings and return it. Raises Transient if another conversation continues it."""
    try:
        hidden = table.update(
            pk(linked_pk),
            put=Conversation.named(linked_to=primary_pk),
            put_once=_bare(phone),
            drop=[Conversation.name_of(field) for field in ("inbox_pk", "list_pk", "assignee_pk")],
            when=_of("linked_to").not_exists() | _of("linked_to").eq(primary_pk),
        )
    except ConditionFailed:
        raise Transient("identity_contended") from None
    return Conversation.read(hidden)


def _bare(phone: Phone) -> Attributes:
    """Return the attributes of a head without messages."""
    return Conversation.named(company=phone.company, phone=phone.phone) | {
        "itemType": Conversation.item_type
    }


def _move_forward(table: Table, head_pk: str, field: str, at: str | None) -> None:
    if at is None:
        return
    try:
        table.update(
            pk(head_pk),
            put=Conversation.named(**{field: at}),
            when=_of(field).not_exists() | _of(field).lt(at),
        )
    except ConditionFailed:
        return


def _show(
    table: Table, head_pk: str, last_key: str, shown: dict[str, str | None], phone: Phone
) -> None:
    try:
        table.update(
            pk(head_pk),
            put=Conversation.named(inbox_pk=phone.phone_arn, **shown),
            when=_of("last_key").not_exists() | _of("last_key").lt(last_key),
        )
    except ConditionFailed:
        return


def _recount(table: Table, head_pk: str) -> None:
    """Set the unread count and the newest message of a head from its timelines. Raises Transient when contended."""
    for _ in range(MAX_ROUNDS):
        head = get(table, head_pk)
        if head is None or head.last_key is None:
            return
        pks = (head.pk, *head.linked_conversations)
        after = head.read_up_to or ""
        # Messages that are newer than the shown one count themselves: they are not in `last_key` yet.
        counted = {
            key
            for conversation_pk in pks
            for key in inbound_keys(table, conversation_pk, after, head.last_key)
            if after < key <= head.last_key
        }
        newest = _newest(table, pks)
        shown = {} if newest is None else _shown(newest)
        try:
            table.update(
                pk(head_pk),
                put=Conversation.named(unread_count=len(counted), **shown),
                when=as_seen(head),
            )
        except ConditionFailed:
            continue
        return
    raise Transient("head_contended")


def _newest(table: Table, pks: tuple[str, ...]) -> Message | None:
    """Return the newest message of several timelines."""
    keys = []
    for conversation_pk in pks:
        entries, _ = table.query(
            TIMELINE_INDEX,
            Key(Message.name_of("conversation_pk")).eq(conversation_pk),
            limit=_ENTRIES_READ,
            newest_first=True,
        )
        keys += [pk(e[PARTITION_KEY]) for e in entries if e["itemType"] == Message.item_type]
    messages = [Message.read(item) for item in table.get_many(keys)] if keys else []
    return max(messages, key=lambda m: order_key(m.received_at, m.pk), default=None)


def _shown(message: Message) -> dict[str, str | None]:
    return {
        "received_at": message.received_at,
        "last_message_pk": message.pk,
        "last_type": message.type,
        "last_preview": message.preview or f"[{message.subtype or message.type}]",
        "last_key": order_key(message.received_at, message.pk),
    }
