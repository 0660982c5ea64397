"""Groups, their participants, requests to create groups, and calls."""

from boto3.dynamodb.conditions import Attr

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.failures import Permanent, Transient
from shared.runtime import clock
from whatsapp.store.items import pk
from whatsapp.store.items.groups import Call, Group, GroupParticipant, GroupRequest
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.ordering import order_key


def get(table: Table, group_pk: str) -> Group | None:
    """Return the group with this key (strongly consistent read)."""
    item = table.get(pk(group_pk))
    return Group.read(item) if item else None


def replace(table: Table, group: Group) -> None:
    """
    Write *group*, derived from the previous revision. Raises Transient after a concurrent write.

    A lost response to our own write counts as a concurrent write: the redelivery reads it and finds nothing to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | Group.attr("revision").eq(group.revision - 1)
    try:
        table.put(group.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("group_contended") from None


def move(table: Table, change: GroupParticipant) -> GroupParticipant:
    """
    Record that a participant joined or left, unless a later change is stored; return the current one. Safe to repeat.

    If both happen in the same second, leaving wins.
    """
    at = GroupParticipant.attr("changed_at")
    earlier = at.lt(change.changed_at) if change.present else at.lte(change.changed_at)
    try:
        table.put(change.attributes(), when=Attr(PARTITION_KEY).not_exists() | earlier)
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return GroupParticipant.read(refusal.existing)
    return change


def settle_request(table: Table, request: GroupRequest) -> None:
    """Record a request's outcome. Safe to repeat. Raises Permanent (`foreign_group`) for another company's request."""
    ours = GroupRequest.attr("company").eq(request.company)
    lives = clock.expires_in((GroupRequest.ttl_days or 0) * clock.DAY_SECONDS)
    try:
        table.update(
            pk(request.pk),
            put=GroupRequest.named(
                company=request.company, group=request.group, state=request.state
            )
            | {"itemType": GroupRequest.item_type},
            put_once=GroupRequest.named(ttl=lives),
            when=Attr(PARTITION_KEY).not_exists() | ours,
        )
    except ConditionFailed:
        raise Permanent("foreign_group") from None


def get_call(table: Table, call_pk: str) -> Call | None:
    """Return the call with this key (strongly consistent read)."""
    item = table.get(pk(call_pk))
    return Call.read(item) if item else None


def replace_call(table: Table, call: Call) -> None:
    """
    Write *call*, derived from the previous revision. Raises Transient after a concurrent write.

    A lost response to our own write counts as a concurrent write: the redelivery reads it and finds nothing to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | Call.attr("revision").eq(call.revision - 1)
    try:
        table.put(call.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("call_contended") from None


def keys_of_missed_calls(table: Table, entries: list[Attributes]) -> set[str]:
    """Return the order keys of the missed calls among these index entries, as the conversation's head counted them."""
    items = table.get_many([pk(entry[PARTITION_KEY]) for entry in entries])
    return {order_key(call.missed_at, call.pk) for call in map(Call.read, items) if call.missed_at}
