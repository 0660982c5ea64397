"""Calls: read, merged by the caller, and written if nobody else wrote meanwhile."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.groups import Call
from whatsapp.store.items.item import PARTITION_KEY


def get(table: Table, call_pk: str) -> Call | None:
    """The call with this key, strongly consistent."""
    item = table.get(pk(call_pk))
    return Call.read(item) if item else None


def replace(table: Table, call: Call) -> None:
    """
    Write *call*, made from the revision before it. Raises Transient when somebody else wrote meanwhile.

    Our own lost write counts as somebody else: the redelivery reads it and finds nothing left to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | Call.attr("revision").eq(call.revision - 1)
    try:
        table.put(call.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("call_contended") from None
