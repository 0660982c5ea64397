"""Messages, added once: later updates only move forward; their alternative ids."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime import clock
from whatsapp.store.analytics import changed_hours
from whatsapp.store.items import Alias, Message, pk
from whatsapp.store.items.item import PARTITION_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whatsapp.store.items.conversations.groups import Call

_of = Message.attr
TIMELINE_INDEX = "gsi_conversation"


def add(table: Table, message: Message) -> Message | None:
    """
    Write *message* once and return None. If it exists, return the stored one, so that the caller can compare it and
    continue with repairs.
    """
    changed_hours.note(table, message.sent_at or message.received_at)
    # Runs twice when: the provider repeats (for 7 days), the SDK lost the first response (the condition fails against
    # our own write), a worker died after this Put, or a dead letter is redriven.
    stored = message.attributes()
    stored |= Message.listed(message.company, stored)
    try:
        table.put(stored, when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return Message.read(refusal.existing)
    return None


def get(table: Table, message_pk: str) -> Message | None:
    """Return the message with this key (strongly consistent read)."""
    item = table.get(pk(message_pk))
    return Message.read(item) if item else None


def attach_file(table: Table, message_pk: str, media_id: str, bucket: str, key: str) -> None:
    """Set the stored file of a message, unless it shows another one, or is revoked, erased or missing."""
    shows_it = _of("media_id").eq(media_id)
    there = shows_it & _of("revoked_at").not_exists() & _of("erased").not_exists()
    try:
        table.update(pk(message_pk), put=Message.named(s3_bucket=bucket, s3_key=key), when=there)
    except ConditionFailed:
        return


def detach_file(table: Table, message_pk: str, media_id: str, key: str) -> None:
    """Remove the stored file of a message, unless it shows another one. Safe to repeat."""
    fields = [Message.name_of(field) for field in ("s3_bucket", "s3_key")]
    there = _of("media_id").eq(media_id) & _of("s3_key").eq(key)
    try:
        table.update(pk(message_pk), drop=fields, when=there)
    except ConditionFailed:
        return


def show_edit(table: Table, message_pk: str, fields: dict[str, Any], order: str) -> Message | None:
    """
    Set the fields of a message that an edit changes, None to remove one, if it is the newest edit.

    Return the updated message, otherwise None.
    """
    if "media_id" in fields:
        fields = {**dict.fromkeys(TRANSCRIPT_FIELDS), **fields}
    newer = _of("edit_order").not_exists() | _of("edit_order").lte(order)
    alive = (
        Attr(PARTITION_KEY).exists() & _of("revoked_at").not_exists() & _of("erased").not_exists()
    )
    try:
        changed = table.update(
            pk(message_pk),
            put=Message.named(**fields),
            drop=[Message.name_of(field) for field, value in fields.items() if value is None],
            when=alive & newer,
        )
    except ConditionFailed:
        return None
    return Message.read(changed)


# Of the file that a message shows.
TRANSCRIPT_FIELDS = ("transcript", "no_transcript", "transcribing_until")
CONTENT_FIELDS = (
    "preview", "text_body", "caption", "media_id", "mime_type", "s3_bucket", "s3_key", "content",
    "content_s3_key", "sha256", "filename", "referral", "referred_product", "other_fields", "edited_at", "edit_order",
    *TRANSCRIPT_FIELDS,
)  # fmt: skip


# Fields that a file adds to a message: excludes sender, time and later changes.
_FILE_FIELDS = (
    "type", "subtype", "preview", "caption", "content", "errors", "media_id", "mime_type", "sha256", "filename",
    "voice", "animated", "other_fields", "content_s3_key", "payload_hash",
)  # fmt: skip
_BATCH = 100  # keys per read
_MOST_LISTED = 10  # statuses, when one without a rank is added


def revoke(table: Table, message_pk: str, revoked_at: str, *, keep_content: bool) -> Message | None:
    """Remove a message's content, unless *keep_content* (for audits), and return the previous message or None."""
    before = get(table, message_pk)
    if before is None or before.erased:
        return None
    drop = [] if keep_content else [Message.name_of(field) for field in CONTENT_FIELDS]
    try:
        table.update(
            pk(message_pk),
            put_once=Message.named(revoked_at=revoked_at),
            drop=drop,
            when=Attr(PARTITION_KEY).exists(),
        )
    except ConditionFailed:
        return None
    return before


def set_reactions(table: Table, seen: Message, reactions: dict[str, Any]) -> bool:
    """Replace the reactions that the caller read; False after a concurrent change."""
    field = _of("reactions")
    unchanged = field.eq(seen.reactions) if seen.reactions else field.not_exists()
    try:
        table.update(
            pk(seen.pk),
            put=Message.named(reactions=reactions or None),
            drop=[] if reactions else [Message.name_of("reactions")],
            when=Attr(PARTITION_KEY).exists() & _of("erased").not_exists() & unchanged,
        )
    except ConditionFailed:
        return False
    return True


def move_status(
    table: Table, message: Message, status: Attributes, rank: int, entry: dict[str, Any]
) -> bool:
    """
    Raise the delivery status to *rank*; False when the message already has that rank or a higher one.

    *status*: message attributes to set. *entry*: appended to `deliveryStatusHistory`, one per rank, so at most five.
    Words without a rank are in it, too.
    """
    behind = _of("status_rank").not_exists() | _of("status_rank").lt(rank)
    changed_hours.note(table, message.sent_at or message.received_at)
    try:
        table.update(
            pk(message.pk),
            put=status | Message.listed(message.company, status),
            append=Message.named(delivery_status_history=[entry]),
            when=Attr(PARTITION_KEY).exists() & _of("erased").not_exists() & behind,
        )
    except ConditionFailed:
        return False
    return True


def list_status_word(table: Table, message: Message, entry: dict[str, Any]) -> None:
    """Append a status without a rank to `deliveryStatusHistory`, among the first ten entries. Safe to repeat."""
    history = _of("delivery_status_history")
    has_room = history.not_exists() | (history.size().lt(_MOST_LISTED) & ~history.contains(entry))
    with suppress(ConditionFailed):
        table.update(
            pk(message.pk),
            append=Message.named(delivery_status_history=[entry]),
            when=Attr(PARTITION_KEY).exists() & _of("erased").not_exists() & has_room,
        )


def complete(table: Table, message: Message) -> bool:
    """
    Add a file to a history message that first arrived without it; False if it has one or is revoked or erased.

    Runs twice when the provider repeats: the second call finds the file.
    """
    lacks_file = _of("media_id").not_exists() & _of("origin").eq("history")
    alive = _of("revoked_at").not_exists() & _of("erased").not_exists()
    file = {
        name: value or None for name, value in message.model_dump(include={*_FILE_FIELDS}).items()
    }
    absent = [name for name, value in file.items() if value is None]
    try:
        table.update(
            pk(message.pk),
            put=Message.named(**file),
            drop=[Message.name_of(name) for name in absent],
            when=lacks_file & alive,
        )
    except ConditionFailed:
        return False
    return True


def live_messages(table: Table, entries: list[Attributes]) -> list[Message]:
    """Return the messages behind a page of index entries, except imported history (the index has no origin)."""
    keys = [entry[PARTITION_KEY] for entry in entries]
    batches = [keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH)]
    items = [item for batch in batches for item in table.get_many([pk(key) for key in batch])]
    return [message for message in map(Message.read, items) if message.origin != "history"]


def mark_played(table: Table, message_pk: str, played_at: str) -> None:
    """Record when a voice message was first played."""
    try:
        table.update(
            pk(message_pk),
            put=Message.named(played_at=played_at),
            when=Attr(PARTITION_KEY).exists() & _of("played_at").not_exists(),
        )
    except ConditionFailed:
        return


def mark_as_read(table: Table, message_pk: str, at: str) -> str | None:
    """Record when a message was first marked as read at the provider; return that time, None for a missing message."""
    alive = Attr(PARTITION_KEY).exists() & _of("erased").not_exists()
    try:
        changed = table.update(
            pk(message_pk), put_once=Message.named(marked_as_read_at=at), when=alive
        )
    except ConditionFailed:
        return None
    return Message.read(changed).marked_as_read_at


def page(
    table: Table, conversation_pk: str, *, limit: int, start: Attributes | None
) -> tuple[list[Message | Call], Attributes | None]:
    """Return one page of a conversation's messages and calls, newest first, and the start key of the next page."""
    entries, last = table.query(
        TIMELINE_INDEX,
        Key(Message.name_of("conversation_pk")).eq(conversation_pk),
        limit=limit,
        start=start,
        newest_first=True,
    )
    return entries_of(table, entries), last


def entries_of(table: Table, listed: Iterable[Attributes]) -> list[Message | Call]:
    """
    Return the messages and calls of entries of the index, in their order.

    The index projects only small entries; the items are read by key, so they are never stale.
    """
    from whatsapp.store.items.conversations.groups import Call  # noqa: PLC0415 - the worker stores messages without it

    types: dict[str, type[Message | Call]] = {
        Message.item_type: Message,
        Call.item_type: Call,
    }
    kinds = {
        str(entry[PARTITION_KEY]): types[entry["itemType"]]
        for entry in listed
        if entry["itemType"] in types
    }
    stored = table.get_many([pk(key) for key in kinds]) if kinds else []
    items = {item[PARTITION_KEY]: item for item in stored}
    return [kind.read(items[key]) for key, kind in kinds.items() if key in items]


def add_alias(table: Table, alias_pk: str, target: str, company: str) -> None:
    """Write an alias unless it exists. Only agents link two ids of one person."""
    alias = Alias(pk=alias_pk, target=target, company=company, created_at_ms=clock.now_ms())
    try:
        table.put(alias.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return


def claim_alias(table: Table, alias_pk: str, target: str, company: str, *, ttl: int) -> str:
    """Write an alias that two events may create; return the target of the one that was written first."""
    alias = Alias(
        pk=alias_pk, target=target, company=company, created_at_ms=clock.now_ms(), ttl=ttl
    )
    try:
        table.put(alias.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return Alias.read(refusal.existing).target
    return target


def target_of_alias(table: Table, alias_pk: str) -> str | None:
    """Return the target of an alias (strongly consistent read); None when there is none."""
    item = table.get(pk(alias_pk))
    return Alias.read(item).target if item else None


def targets_of_aliases(table: Table, alias_pks: Iterable[str]) -> list[str]:
    """Return the targets of the existing ones of these aliases."""
    keys = [pk(alias_pk) for alias_pk in alias_pks]
    batches = [keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH)]
    return [Alias.read(item).target for batch in batches for item in table.get_many(batch)]
