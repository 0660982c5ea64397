"""Changes to messages after they were written: edits, revocations, reactions."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Transient
from whatsapp.store.items import Edit, Reaction, pk
from whatsapp.store.items.item import PARTITION_KEY

_of = Edit.attr


def get(table: Table, edit_pk: str) -> Edit | None:
    """Return the recorded changes of a message (strongly consistent read)."""
    item = table.get(pk(edit_pk))
    return Edit.read(item) if item else None


def replace(table: Table, edit: Edit) -> None:
    """
    Write *edit*, derived from the previous revision. Raises Transient after a concurrent write.

    A lost response to our own write counts as a concurrent write: the redelivery reads it and finds nothing to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | _of("revision").eq(edit.revision - 1)
    try:
        table.put(edit.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("edit_contended") from None


def add_reaction(table: Table, reaction: Reaction) -> bool:
    """Write a participant's reaction if it is their newest to this message or the same one; False otherwise."""
    order = Reaction.attr("order")
    try:
        table.put(reaction.attributes(), when=order.not_exists() | order.lte(reaction.order))
    except ConditionFailed:
        return False
    return True
