"""Groups, those who are in them, and the requests that make them."""

from boto3.dynamodb.conditions import Attr

from shared import clock
from shared.aws.dynamodb import ConditionFailed, Table
from shared.failures import Permanent, Transient
from whatsapp.store.items import pk
from whatsapp.store.items.groups import Group, GroupParticipant, GroupRequest
from whatsapp.store.items.item import PARTITION_KEY


def get(table: Table, group_pk: str) -> Group | None:
    """The group with this key, strongly consistent."""
    item = table.get(pk(group_pk))
    return Group.read(item) if item else None


def replace(table: Table, group: Group) -> None:
    """
    Write *group*, made from the revision before it. Raises Transient when somebody else wrote meanwhile.

    Our own lost write counts as somebody else: the redelivery reads it and finds nothing left to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | Group.attr("revision").eq(group.revision - 1)
    try:
        table.put(group.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("group_contended") from None


def move(table: Table, change: GroupParticipant) -> GroupParticipant:
    """
    Write that somebody came or went, if nothing later is known of them; what is known then. Safe to repeat.

    Of a coming and a going in the same second the going is kept.
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
    """Note what became of a request. Safe to repeat. Raises Permanent (`foreign_group`) for another company's."""
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
