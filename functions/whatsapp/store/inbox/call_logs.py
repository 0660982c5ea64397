"""Lists of calls: of a number, of a conversation, or of a customer."""

from dataclasses import dataclass

from boto3.dynamodb.conditions import Attr, ConditionBase, Key

from shared.aws.dynamodb import Attributes, Table
from whatsapp.store.items import pk
from whatsapp.store.items.conversations.groups import Call
from whatsapp.store.items.item import PARTITION_KEY

MOST_ENTRIES = 2_000  # read for one page; calls are few among messages
_ENTRIES_PER_QUERY = 500
_TIME = Call.name_of("received_at")


@dataclass(frozen=True, slots=True)
class CallLog:
    """The calls in one partition of an index; *field* is its partition key."""

    index: str
    field: str
    value: str

    @classmethod
    def of_number(cls, phone_arn: str) -> "CallLog":
        """Calls of a number, in both directions."""
        return cls("gsi_inbox", "inbox_pk", phone_arn)

    @classmethod
    def of_conversation(cls, conversation_pk: str) -> "CallLog":
        """Calls with a customer of a number, in both directions."""
        return cls("gsi_conversation", "conversation_pk", conversation_pk)

    @classmethod
    def of_caller(cls, caller: str) -> "CallLog":
        """Calls that a customer made."""
        return cls("gsi_from", "from_pk", caller)


def page(
    table: Table,
    log: CallLog,
    between: tuple[str, str],
    *,
    limit: int,
    start: Attributes | None,
) -> tuple[list[Call], Attributes | None]:
    """
    Return one page of calls that began within two times (inclusive), newest first, and where the next page begins.

    A page may be short, even empty, because the partitions have messages, too.
    """
    partition = Call.name_of(log.field)
    when: ConditionBase = Key(partition).eq(log.value) & Key(_TIME).between(*between)
    entries: list[Attributes] = []
    read = 0
    while True:
        found, start = table.query(
            log.index,
            when,
            limit=_ENTRIES_PER_QUERY,
            start=start,
            newest_first=True,
            only=Attr(PARTITION_KEY).begins_with(Call.pk_pattern.partition("{")[0]),
        )
        entries += found
        read += _ENTRIES_PER_QUERY
        if start is None or len(entries) >= limit or read >= MOST_ENTRIES:
            break
    if len(entries) > limit:
        entries = entries[:limit]
        start = {name: entries[-1][name] for name in (PARTITION_KEY, partition, _TIME)}
    keys = [str(entry[PARTITION_KEY]) for entry in entries]
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    return [Call.read(items[key]) for key in keys if key in items], start
