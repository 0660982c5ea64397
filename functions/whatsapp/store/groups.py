"""Groups, their participants, requests to create groups, and calls."""

from boto3.dynamodb.conditions import Attr, ConditionBase, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from shared.runtime import clock
from shared.runtime.failures import Permanent, Transient
from whatsapp.store.items import Message, pk
from whatsapp.store.items.conversations.groups import Call, Group, GroupParticipant, GroupRequest
from whatsapp.store.items.item import PARTITION_KEY
from whatsapp.store.ordering import order_key

ACCOUNT_INDEX = "gsi_waba_itemtype"
MESSAGES_INDEX = "gsi_group"


def get(table: Table, group_pk: str) -> Group | None:
    """Return the group with this key (strongly consistent read)."""
    item = table.get(pk(group_pk))
    return Group.read(item) if item else None


def replace(table: Table, group: Group) -> None:
    """
    Write *group*, derived from the previous revision. Raises Transient after a concurrent write.

    A write whose response was lost counts as a concurrent write: the redelivery reads it and finds nothing to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | Group.attr("revision").eq(group.revision - 1)
    try:
        table.put(group.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("group_contended") from None


def of_account(
    table: Table, waba: str, company: str, *, limit: int, start: Attributes | None
) -> tuple[list[Group], Attributes | None]:
    """Return one page of an account's groups, in no order of time, and where the next page begins."""
    when = Key(Group.name_of("waba_meta_id")).eq(waba) & Key("itemType").eq(Group.item_type)
    entries, last = table.query(ACCOUNT_INDEX, when, limit=limit, start=start)
    items = table.get_many([pk(entry[PARTITION_KEY]) for entry in entries])
    groups = sorted(map(Group.read, items), key=lambda group: group.group_id)
    return [group for group in groups if group.company == company], last


def messages(
    table: Table, group: Group, since: str | None, *, limit: int, start: Attributes | None
) -> tuple[list[Message], Attributes | None]:
    """Return one page of a group's messages since a time, newest first, and where the next page begins."""
    when: ConditionBase = Key(Message.name_of("group_id")).eq(group.group_id)
    if since is not None:
        when &= Key(Message.name_of("sent_at")).gte(since)
    entries, last = table.query(MESSAGES_INDEX, when, limit=limit, start=start, newest_first=True)
    keys = [str(entry[PARTITION_KEY]) for entry in entries]
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    found = [Message.read(items[key]) for key in keys if key in items]
    owner = (group.company, group.phone)
    return [message for message in found if (message.company, message.phone) == owner], last


def get_request(table: Table, request_id: str) -> GroupRequest | None:
    """Return the request to create a group with this id (strongly consistent read)."""
    item = table.get(pk(GroupRequest.key(request_id)))
    return GroupRequest.read(item) if item else None


def note_request(table: Table, request: GroupRequest) -> None:
    """Store a request to create a group, unless its outcome is stored already. Safe to repeat."""
    lives = clock.expires_in((GroupRequest.ttl_days or 0) * clock.DAY_SECONDS)
    noted = request.model_copy(update={"ttl": lives})
    try:
        table.put(noted.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        return


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

    A write whose response was lost counts as a concurrent write: the redelivery reads it and finds nothing to change.
    """
    unchanged = Attr(PARTITION_KEY).not_exists() | Call.attr("revision").eq(call.revision - 1)
    try:
        table.put(call.attributes(), when=unchanged)
    except ConditionFailed:
        raise Transient("call_contended") from None


def add_call(table: Table, call: Call) -> None:
    """Store a call that we began, unless an event did: then only what events do not say is added. Safe to repeat."""
    try:
        table.put(call.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed:
        ours = {"agent": call.agent, "note": call.note, "action_id": call.action_id}
        named = Call.named(**{name: value for name, value in ours.items() if value})
        # A worker that read the call before writes again.
        table.update(pk(call.pk), put_once=named, add=Call.named(revision=1))


def keys_of_missed_calls(table: Table, entries: list[Attributes]) -> set[str]:
    """Return the order keys of the missed calls among these index entries, as the conversation's head counted them."""
    items = table.get_many([pk(entry[PARTITION_KEY]) for entry in entries])
    return {order_key(call.missed_at, call.pk) for call in map(Call.read, items) if call.missed_at}
