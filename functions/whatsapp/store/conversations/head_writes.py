"""Parts of every write of a conversation's head: its lists, and the conditions against concurrent changes."""

from boto3.dynamodb.conditions import ConditionBase

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime.failures import Transient
from whatsapp.store.items import Conversation, pk

MAX_ROUNDS = 8  # Two workers update one head only around a crash; agents rarely.

_of = Conversation.attr


def lists_of(head: Conversation) -> Attributes:
    """Return the index keys of the lists that contain *head*, to be written by the update that makes it so."""
    if head.inbox_pk is None or head.phone is None:
        return {}
    unread = head.unread_count > 0
    listed = Conversation.list_of(head.phone, head.folder, unread=unread)
    keys = Conversation.named(list_pk=listed)
    if head.assignee and head.company:
        assigned = Conversation.assigned_list_of(
            head.company, head.assignee, head.folder, unread=unread
        )
        keys |= Conversation.named(assignee_pk=assigned)
    return keys


def as_seen(head: Conversation) -> ConditionBase:
    """Return a condition that no field that the count or the lists depend on has changed since *head* was read."""
    unread = _of("unread_count")
    condition: ConditionBase = unread.eq(head.unread_count)
    if head.unread_count == 0:
        condition |= unread.not_exists()
    for field, value in (
        ("last_key", head.last_key),
        ("read_up_to", head.read_up_to),
        ("ring_floor", head.ring_floor),
        ("last_inbound_at", head.last_inbound_at),
        ("list_pk", head.list_pk),
        ("assignee", head.assignee),
        ("linked_to", head.linked_to),
    ):
        condition &= _of(field).not_exists() if value is None else _of(field).eq(value)
    return condition


def existing(refusal: ConditionFailed) -> Conversation:
    """Return the head that a condition refused. Raises Transient if it was deleted meanwhile."""
    if refusal.existing is None:
        raise Transient("head_vanished")
    return Conversation.read(refusal.existing)


def file(table: Table, head_pk: str) -> None:
    """
    Move a head to the lists that it belongs to, after writes that did not set them. Safe to repeat.

    Raises Transient after many concurrent writes.
    """
    fields = ("list_pk", "assignee_pk")
    for _ in range(MAX_ROUNDS):
        item = table.get(pk(head_pk))
        if item is None:
            return
        head = Conversation.read(item)
        lists = lists_of(head)
        stored = Conversation.named(list_pk=head.list_pk, assignee_pk=head.assignee_pk)
        if lists == {name: value for name, value in stored.items() if value is not None}:
            return
        gone = [name for name in map(Conversation.name_of, fields) if name not in lists]
        try:
            table.update(pk(head_pk), put=lists, drop=gone, when=as_seen(head))
        except ConditionFailed:
            continue
        return
    raise Transient("head_contended")


def forward(field: str, at: str) -> ConditionBase:
    """Return a condition that a time of the head does not move back."""
    return _of(field).not_exists() | _of(field).lte(at)


def update_if(
    table: Table, head_pk: str, facts: Attributes, when: ConditionBase
) -> Attributes | None:
    """Set *facts* if *when* holds and return the head; None when it does not hold, which is no error."""
    try:
        return table.update(pk(head_pk), put=facts, when=when)
    except ConditionFailed:
        return None
