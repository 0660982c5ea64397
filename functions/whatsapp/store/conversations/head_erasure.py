"""The erasure of conversation heads, or of the part of a head that is older than a time."""

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime.failures import Transient
from whatsapp.store.conversations.head_writes import as_seen, lists_of
from whatsapp.store.items import Conversation, pk
from whatsapp.store.ordering import time_of

_of = Conversation.attr


# Attributes that a head has from its newest message and its number.
_OF_THE_NEWEST = frozenset(
    {
        "pk", "company", "inbox_pk", "from_", "received_at", "last_message_pk", "last_type", "last_preview", "archived",
        "waba_meta_id", "business_account_name", "phone", "sender_name", "last_key", "sequence_run",
    }
)  # fmt: skip


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
        table.put(fresh.attributes() | lists_of(fresh), when=as_seen(head))
    except ConditionFailed:
        raise Transient("head_contended") from None


def _after(moment: str | None, until: str) -> str | None:
    return moment if moment and moment > until else None
