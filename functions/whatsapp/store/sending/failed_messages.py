"""Messages that the provider refused or failed to deliver, from the lists of companies."""

from collections.abc import Iterator

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import Attributes, Table
from whatsapp.store.items import Message, pk
from whatsapp.store.items.item import PARTITION_KEY

FAILED_INDEX = "gsi_webhook_event"
ENTRIES_PER_QUERY = 100
_MOST_QUERIES = 50


def newest(table: Table, company: str, phone: str, since: str) -> Iterator[Message]:
    """
    Yield the failed messages of a company's number sent since a time, newest first.

    At most 5,000 of the company are read, so older ones may be missing. The index is eventually consistent: messages
    that have been delivered since are omitted.
    """
    name = Message.name_of
    when = Key(name("webhook_event_type")).eq(Message.failed_list(company)) & Key(
        name("received_at")
    ).gte(since.removesuffix("Z"))
    start: Attributes | None = None
    for _ in range(_MOST_QUERIES):
        entries, start = table.query(
            FAILED_INDEX, when, limit=ENTRIES_PER_QUERY, start=start, newest_first=True
        )
        for message in _failed(table, [entry[PARTITION_KEY] for entry in entries]):
            if (message.company, message.phone) == (company, phone):
                yield message
        if start is None:
            return


def between(
    table: Table, company: str, since: str, until: str, *, limit: int, start: Attributes | None
) -> tuple[list[Message], Attributes | None]:
    """
    Return a page of a company's failed messages that were sent between two times, the oldest first, and the position
    after it. The index is eventually consistent: messages that have been delivered since are omitted.
    """
    name = Message.name_of
    # Times of messages have more digits.
    sent = Key(name("received_at")).between(since.removesuffix("Z"), f"{until.removesuffix('Z')}~")
    when = Key(name("webhook_event_type")).eq(Message.failed_list(company)) & sent
    entries, last = table.query(FAILED_INDEX, when, limit=limit, start=start)
    return _failed(table, [entry[PARTITION_KEY] for entry in entries]), last


def _failed(table: Table, keys: list[str]) -> list[Message]:
    """Return the messages of up to 100 keys that still failed, in the order of *keys*."""
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    found = [Message.read(items[key]) for key in keys if key in items]
    return [message for message in found if message.delivery_status == "failed"]
