"""What became of messages after they were written: edits, revocations, reactions."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Transient
from whatsapp.store.items import Edit, Reaction, pk
from whatsapp.store.items.item import PARTITION_KEY

_of = Edit.attr


def get(table: Table, edit_pk: str) -> Edit | None:
    """What is known about a message besides itself, strongly consistent."""
    item = table.get(pk(edit_pk))
    return Edit.read(item) if item else None


def replace(table: Table, edit: Edit) -> None:
    """
    Write *edit*, made from the revision before it. Raises Transient when somebody else wrote meanwhile.

    Our own lost write counts as somebody else: the redelivery reads it and finds nothing left to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | _of("revision").eq(edit.revision - 1)
    try:
        table.put(edit.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("edit_contended") from None


def add_reaction(table: Table, reaction: Reaction) -> bool:
    """Keep the person's reaction if it is their newest to this message, or the same again; False when it is not."""
    order = Reaction.attr("order")
    try:
        table.put(reaction.attributes(), when=order.not_exists() | order.lte(reaction.order))
    except ConditionFailed:
        return False
    return True
