"""Calls: the caller reads and merges them; writes use optimistic locking."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.groups import Call
from whatsapp.store.items.item import PARTITION_KEY


def get(table: Table, call_pk: str) -> Call | None:
    """Return the call with this key (strongly consistent read)."""
    item = table.get(pk(call_pk))
    return Call.read(item) if item else None


def replace(table: Table, call: Call) -> None:
    """
    Write *call*, derived from the previous revision. Raises Transient after a concurrent write.

    A lost response to our own write counts as a concurrent write: the redelivery reads it and finds nothing to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | Call.attr("revision").eq(call.revision - 1)
    try:
        table.put(call.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("call_contended") from None
