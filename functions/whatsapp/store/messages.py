"""Messages: added once, changed only forward."""

from typing import Any

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from whatsapp.store.items import Message, pk
from whatsapp.store.items.item import PARTITION_KEY

_of = Message.attr
TIMELINE_INDEX = "gsi_conversation"


def add(table: Table, message: Message) -> Message | None:
    """
    Write *message* once; None then. Else the message that stands there: the caller compares, and goes on
    repairing.
    """
    # Comes twice when: the provider repeats (for 7 days), our SDK lost the first answer (refused against our own
    # write), a worker died after this Put, or a dead letter is redriven.
    try:
        table.put(message.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return Message.read(refusal.existing)
    return None


def get(table: Table, message_pk: str) -> Message | None:
    """The message with this key, strongly consistent."""
    item = table.get(pk(message_pk))
    return Message.read(item) if item else None


def attach_file(table: Table, message_pk: str, bucket: str, key: str) -> None:
    """Point the message to its stored file, unless it was revoked, erased, or never came."""
    there = (
        _of("revoked_at").not_exists() & _of("erased").not_exists() & Attr(PARTITION_KEY).exists()
    )
    try:
        table.update(pk(message_pk), put=Message.named(s3_bucket=bucket, s3_key=key), when=there)
    except ConditionFailed:
        return


def show_edit(
    table: Table, message_pk: str, text: Attributes, edited_at: str, order: str
) -> Message | None:
    """Put an edit's text (attributes of the item) on the message if it is the newest; the message then, else None."""
    newer = _of("edit_order").not_exists() | _of("edit_order").lt(order)
    alive = (
        Attr(PARTITION_KEY).exists() & _of("revoked_at").not_exists() & _of("erased").not_exists()
    )
    try:
        changed = table.update(
            pk(message_pk),
            put={**text, **Message.named(edited_at=edited_at, edit_order=order)},
            drop=[Message.name_of("content_s3_key")],
            when=alive & newer,
        )
    except ConditionFailed as refusal:
        # The same edit again: the conversation's preview may still have to follow.
        same = (refusal.existing or {}).get(Message.name_of("edit_order")) == order
        return Message.read(refusal.existing) if refusal.existing and same else None
    return Message.read(changed)


CONTENT_FIELDS = (
    "preview", "text_body", "caption", "media_id", "mime_type", "s3_bucket", "s3_key", "content",
    "content_s3_key", "sha256", "filename", "referral", "referred_product", "edited_at", "edit_order",
)  # fmt: skip


# What a file brings to a message: not when and from whom it came, nor what became of it.
_FILE_FIELDS = (
    "type", "subtype", "preview", "caption", "content", "errors", "media_id", "mime_type", "sha256", "filename",
    "voice", "payload_hash",
)  # fmt: skip
_BATCH = 100  # keys that one call reads


def revoke(table: Table, message_pk: str, revoked_at: str, *, keep_content: bool) -> Message | None:
    """
    Take the content of a message away (unless it is kept for audits); the message as it was before, None if
    unknown.
    """
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
    """Replace the reactions that the caller saw; False when somebody else changed them meanwhile."""
    field = _of("reactions")
    unchanged = field.eq(seen.reactions) if seen.reactions else field.not_exists()
    try:
        table.update(
            pk(seen.pk),
            put=Message.named(reactions=reactions or None),
            drop=[] if reactions else [Message.name_of("reactions")],
            when=Attr(PARTITION_KEY).exists() & unchanged,
        )
    except ConditionFailed:
        return False
    return True


def move_status(
    table: Table, message_pk: str, status: Attributes, rank: int, entry: dict[str, Any]
) -> bool:
    """
    Raise the delivery status to *rank*; False when the message is there already or further.

    *status* are the message's attributes to set, *entry* joins `deliveryStatusHistory`: one per rank, so at most five.
    """
    behind = _of("status_rank").not_exists() | _of("status_rank").lt(rank)
    try:
        table.update(
            pk(message_pk),
            put=status,
            append=Message.named(delivery_status_history=[entry]),
            when=Attr(PARTITION_KEY).exists() & behind,
        )
    except ConditionFailed:
        return False
    return True


def complete(table: Table, message: Message) -> bool:
    """
    Give a message of the history the file that its first telling left out; False where that is not open any more.

    Comes twice when the provider repeats: the second time finds the file.
    """
    lacks_file = _of("media_id").not_exists() & _of("origin").eq("history")
    alive = _of("revoked_at").not_exists() & _of("erased").not_exists()
    file = message.model_dump(include={*_FILE_FIELDS})
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
    """Those of a page of index entries that did not come with the history, which the index does not tell."""
    keys = [entry[PARTITION_KEY] for entry in entries]
    batches = [keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH)]
    found = [item for batch in batches for item in table.get_many([pk(key) for key in batch])]
    return [message for message in map(Message.read, found) if message.origin != "history"]


def mark_played(table: Table, message_pk: str, played_at: str) -> None:
    """Note when a voice message was first played."""
    try:
        table.update(
            pk(message_pk),
            put=Message.named(played_at=played_at),
            when=Attr(PARTITION_KEY).exists() & _of("played_at").not_exists(),
        )
    except ConditionFailed:
        return


def page(
    table: Table, conversation_pk: str, *, limit: int, start: Attributes | None
) -> tuple[list[Message], Attributes | None]:
    """
    One page of a conversation's messages, newest first, and where to go on. Calls are in the timeline too: left
    out.
    """
    entries, last = table.query(
        TIMELINE_INDEX,
        Key(Message.name_of("conversation_pk")).eq(conversation_pk),
        limit=limit,
        start=start,
        newest_first=True,
    )
    keys = [entry[PARTITION_KEY] for entry in entries if entry["itemType"] == Message.item_type]
    # The index has only small entries; the messages themselves are read by key, so they are never stale.
    found = (
        {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
        if keys
        else {}
    )
    return [Message.read(found[key]) for key in keys if key in found], last
