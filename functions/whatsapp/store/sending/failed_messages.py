"""Messages that the provider refused or failed to deliver, from the index of delivery states."""

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import Attributes, Table
from whatsapp.store.items import Message, pk
from whatsapp.store.items.item import PARTITION_KEY

STATUS_INDEX = "gsi_status"
ENTRIES_PER_QUERY = 500
_MOST_QUERIES = 10
_BATCH = 100


def newest(table: Table, company: str, phone: str, since: str, *, limit: int) -> list[Message]:
    """
    Return at most *limit* failed messages of a company's number sent since a time, newest first.

    The index has the messages of all companies: at most 5,000 entries are read, so older ones may be missing.
    """
    name = Message.name_of
    when = Key(name("delivery_status")).eq("failed") & Key(name("sent_at")).gte(since)
    keys: list[str] = []
    start: Attributes | None = None
    for _ in range(_MOST_QUERIES):
        entries, start = table.query(
            STATUS_INDEX, when, limit=ENTRIES_PER_QUERY, start=start, newest_first=True
        )
        keys += [
            entry[PARTITION_KEY]
            for entry in entries
            if (entry.get("company"), entry.get(name("phone"))) == (company, phone)
        ]
        if start is None or len(keys) >= limit:
            break
    return _messages(table, keys[:limit])


def _messages(table: Table, keys: list[str]) -> list[Message]:
    """Return the messages that still failed, in the order of *keys*: the index is eventually consistent."""
    batches = [keys[start : start + _BATCH] for start in range(0, len(keys), _BATCH)]
    items = {
        item[PARTITION_KEY]: Message.read(item)
        for batch in batches
        for item in table.get_many([pk(key) for key in batch])
    }
    found = [items[key] for key in keys if key in items]
    return [message for message in found if message.delivery_status == "failed"]
