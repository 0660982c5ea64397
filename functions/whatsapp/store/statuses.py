"""Delivery statuses, one item each: the full history, including statuses that arrive before their message."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from whatsapp.store.items import Status, pk
from whatsapp.store.items.item import PARTITION_KEY

WORDS = ("sent", "delivered", "read", "played", "failed")


def add(table: Table, status: Status) -> None:
    """Write a status entry once; providers repeat statuses for days."""
    try:
        table.put(status.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return


def waiting_for(table: Table, message_id: str) -> list[Status]:
    """Return the stored statuses of a message with one recipient, in no particular order."""
    keys = [pk(Status.of(message_id, word)) for word in WORDS]
    return [Status.read(item) for item in table.get_many(keys)]
