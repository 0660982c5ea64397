"""Webhook events that are kept as such."""

from boto3.dynamodb.conditions import Attr

from shared.dynamodb import ConditionFailed, Table
from whatsapp.items import WebhookEvent
from whatsapp.items.item import PARTITION_KEY


def add(table: Table, event: WebhookEvent) -> bool:
    """Keep an event once; False when it is kept already."""
    try:
        table.put(event.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return False
    return True
