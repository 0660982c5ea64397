"""Messages that the provider refused or failed to deliver, from the index of delivery states."""

from collections.abc import Iterator

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import Attributes, Table
from whatsapp.store.items import Message, pk
from whatsapp.store.items.item import PARTITION_KEY

STATUS_INDEX = "gsi_status"
ENTRIES_PER_QUERY = 500
_MOST_QUERIES = 10
_BATCH = 100


def newest(table: Table, company: str, phone: str, since: str) -> Iterator[Message]:
    """
    Yield the failed messages of a company's number sent since a time, newest first.

    The index has the messages of all companies: at most 5,000 entries are read, so older ones may be missing. It is
    eventually consistent: messages that have been delivered since are omitted.
    """
    name = Message.name_of
    when = Key(name("delivery_status")).eq("failed") & Key(name("sent_at")).gte(since)
    start: Attributes | None = None
    for _ in range(_MOST_QUERIES):
        entries, start = table.query(
            STATUS_INDEX, when, limit=ENTRIES_PER_QUERY, start=start, newest_first=True
        )
        keys = [
            entry[PARTITION_KEY]
            for entry in entries
            if (entry.get("company"), entry.get(name("phone"))) == (company, phone)
        ]
        for first in range(0, len(keys), _BATCH):
            yield from _failed(table, keys[first : first + _BATCH])
        if start is None:
            return


def _failed(table: Table, keys: list[str]) -> list[Message]:
    """Return the messages of up to 100 keys that still failed, in the order of *keys*."""
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    found = [Message.read(items[key]) for key in keys if key in items]
    return [message for message in found if message.delivery_status == "failed"]
