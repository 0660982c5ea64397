"""Messages that agents delete from the inbox."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from whatsapp.store.items import Message, pk
from whatsapp.store.items.item import PARTITION_KEY


def hide(table: Table, message_pk: str, at: str) -> None:
    """Hide a message from every list. Safe to repeat: the first time is kept. Without effect on a missing message."""
    try:
        table.update(
            pk(message_pk),
            put_once=Message.named(deleted_at=at),
            when=Attr(PARTITION_KEY).exists(),
        )
    except ConditionFailed:
        return
