"""Messages that a number sent or received recently."""

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import Attributes, Table
from whatsapp.store.items import Message, pk
from whatsapp.store.items.item import PARTITION_KEY

INBOX_INDEX = "gsi_inbox"
MOST_ENTRIES = 10_000
MOST_LOOKED_AT = 100  # for the newest message that was received


def messages(table: Table, inbox_pk: str, since: str) -> list[Message]:
    """Return the messages that a number sent since a time, newest first; at most the newest of 10,000 index entries."""
    name = Message.name_of
    when = Key(name("inbox_pk")).eq(inbox_pk) & Key(name("received_at")).gte(since)
    is_sent = Attr(name("direction")).eq("OUTBOUND") & Attr("itemType").eq(Message.item_type)
    entries: list[Attributes] = []
    start: Attributes | None = None
    read = 0
    while read < MOST_ENTRIES:
        page, start = table.query(
            INBOX_INDEX, when, limit=1_000, start=start, newest_first=True, only=is_sent
        )
        read += 1_000
        entries += page
        if start is None:
            break
    items = {
        item[PARTITION_KEY]: item
        for item in table.get_many([pk(entry[PARTITION_KEY]) for entry in entries])
    }
    keys = [entry[PARTITION_KEY] for entry in entries]
    return [Message.read(items[key]) for key in keys if key in items]


def newest_received(table: Table, inbox_pk: str) -> str | None:
    """Return when a number received its newest message; None if the newest 100 index entries have none."""
    name = Message.name_of
    is_received = Attr(name("direction")).eq("INBOUND") & Attr("itemType").eq(Message.item_type)
    entries, _ = table.query(
        INBOX_INDEX,
        Key(name("inbox_pk")).eq(inbox_pk),
        limit=MOST_LOOKED_AT,
        newest_first=True,
        only=is_received,
    )
    return str(entries[0][name("received_at")]) if entries else None
