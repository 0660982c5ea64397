"""Intents: messages that are being sent, kept until the outcome is stored as a message."""

from boto3.dynamodb.conditions import ConditionBase, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from whatsapp.store.items import Intent, pk

INTENT_INDEX = "gsi_webhook_event"


def put(table: Table, intent: Intent) -> None:
    """Write the intent of an attempt; a later attempt of the same action overwrites it."""
    table.put(intent.attributes())


def get(table: Table, action_id: str) -> Intent | None:
    """Return the intent of an action (strongly consistent read)."""
    item = table.get(pk(Intent.key(action_id)))
    return Intent.read(item) if item else None


def remove(table: Table, action_id: str, *, written_at: str | None = None) -> None:
    """Remove an intent; a missing one is no error. With *written_at* only that attempt's: another may have begun."""
    when = None if written_at is None else Intent.attr("received_at").eq(written_at)
    try:
        table.delete(pk(Intent.key(action_id)), when=when)
    except ConditionFailed:
        return


def exist(table: Table, until: str) -> bool:
    """Return whether there are intents of attempts made up to *until*."""
    made = Key(Intent.name_of("received_at")).lte(until)
    listed = Key(Intent.name_of("webhook_event_type"))
    return any(
        table.query(INTENT_INDEX, listed.eq(name) & made, limit=1)[0] for name in Intent.lists()
    )


def attempted_between(
    table: Table, first: str, last: str, *, limit: int, start: Attributes | None = None
) -> tuple[list[Intent], Attributes | None]:
    """
    Return a page of the intents of attempts made between two times (inclusive), and the next start key.

    One partition after another, each newest first. A page ends with its partition: then it may be empty, and the start
    key only names the next one.
    """
    made = Key(Intent.name_of("received_at")).between(first, last)
    return _page(table, made, limit=limit, start=start)


def unfinished(
    table: Table, until: str, *, limit: int, start: Attributes | None = None
) -> tuple[list[Intent], Attributes | None]:
    """Return a page of the intents of attempts made up to *until*, and the next start key; see above."""
    made = Key(Intent.name_of("received_at")).lte(until)
    return _page(table, made, limit=limit, start=start)


def _page(
    table: Table, made: ConditionBase, *, limit: int, start: Attributes | None
) -> tuple[list[Intent], Attributes | None]:
    list_name, lists = Intent.name_of("webhook_event_type"), Intent.lists()
    listed = str(start[list_name]) if start else lists[0]
    is_begun = start is not None and Intent.name_of("received_at") in start
    entries, last = table.query(
        INTENT_INDEX,
        Key(list_name).eq(listed) & made,
        limit=limit,
        start=start if is_begun else None,
        newest_first=True,
    )
    following = lists[lists.index(listed) + 1 :]
    if last is None and following:
        last = {list_name: following[0]}
    # The index is eventually consistent: an intent that is gone is finished.
    return [Intent.read(item) for item in table.get_many([pk(e["pk"]) for e in entries])], last
