"""The messages of linked conversations as one list."""

from collections.abc import Mapping, Sequence

from boto3.dynamodb.conditions import Key

from shared.aws.dynamodb import Attributes, Table
from whatsapp.store.inbox.messages import TIMELINE_INDEX, entries_of
from whatsapp.store.items import Message
from whatsapp.store.items.conversations.groups import Call
from whatsapp.store.items.item import PARTITION_KEY

# The position in each conversation, by its key: a start key of the index, empty at its beginning. Finished ones are
# absent.
type Positions = dict[str, Attributes]

_FIRST = 50  # entries of a timeline
_TIME = Message.name_of("received_at")
_CONVERSATION = Message.name_of("conversation_pk")


def first_positions(conversation_pks: Sequence[str]) -> Positions:
    """Return the positions of the first page."""
    return {conversation_pk: {} for conversation_pk in conversation_pks}


def page(
    table: Table, positions: Mapping[str, Attributes], *, limit: int
) -> tuple[list[Message | Call], Positions]:
    """
    Return one page of the messages and calls of several conversations, newest first, and the positions of the next
    page. Without positions there are no more.
    """
    read: list[Attributes] = []
    more: Positions = {}
    for conversation_pk, start in positions.items():
        entries, last = table.query(
            TIMELINE_INDEX,
            Key(_CONVERSATION).eq(conversation_pk),
            limit=limit,
            start=start or None,
            newest_first=True,
        )
        read += entries
        if last is not None:
            more[conversation_pk] = last
    read.sort(key=lambda entry: str(entry[_TIME]), reverse=True)  # stable, as the index orders ties
    shown, left = read[:limit], read[limit:]
    for conversation_pk in {str(entry[_CONVERSATION]) for entry in left}:
        # It continues after its last shown entry, or where this page began.
        own = [entry for entry in shown if entry[_CONVERSATION] == conversation_pk]
        more[conversation_pk] = _key(own[-1]) if own else positions[conversation_pk]
    return entries_of(table, shown), more


def has_inbound_before(table: Table, conversation_pk: str, received_at: str) -> bool:
    """Whether one of the first messages of a conversation, before a time, is the customer's: of its history, too."""
    earlier = Key(_CONVERSATION).eq(conversation_pk) & Key(_TIME).lt(received_at)
    entries, _ = table.query(TIMELINE_INDEX, earlier, limit=_FIRST)
    return any(entry.get(Message.name_of("direction")) == "INBOUND" for entry in entries)


def _key(entry: Attributes) -> Attributes:
    return {name: entry[name] for name in (PARTITION_KEY, _CONVERSATION, _TIME)}
