"""Internal notes of agents, written once; listed newest first."""

from boto3.dynamodb.conditions import Attr, Key

from shared.aws.dynamodb import Attributes, ConditionFailed, Table
from whatsapp.store.inbox.messages import TIMELINE_INDEX
from whatsapp.store.items import pk
from whatsapp.store.items.conversations.agents import Note
from whatsapp.store.items.item import PARTITION_KEY


def add(table: Table, note: Note) -> Note:
    """Write a note once; return the stored one. Safe to repeat: its key identifies the call that wrote it."""
    try:
        table.put(note.attributes(), when=Attr(PARTITION_KEY).not_exists())
    except ConditionFailed as refusal:
        if refusal.existing is None:
            raise
        return Note.read(refusal.existing)
    return note


def page(
    table: Table, conversation_pk: str, *, limit: int, start: Attributes | None
) -> tuple[list[Note], Attributes | None]:
    """Return one page of a conversation's notes, newest first, and the start key of the next page."""
    of_conversation = Key(Note.name_of("conversation_pk")).eq(Note.list_of(conversation_pk))
    entries, last = table.query(
        TIMELINE_INDEX, of_conversation, limit=limit, start=start, newest_first=True
    )
    keys = [entry[PARTITION_KEY] for entry in entries]
    items = {item[PARTITION_KEY]: item for item in table.get_many([pk(key) for key in keys])}
    return [Note.read(items[key]) for key in keys if key in items], last
