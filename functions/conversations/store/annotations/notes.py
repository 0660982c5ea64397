"""Internal notes of agents, written once; listed newest first."""

from dataclasses import dataclass
from typing import Any

from boto3.dynamodb.conditions import Key

from conversations.store.items.base import PARTITION_KEY, SORT_KEY
from conversations.store.items.log import OfConversation, of
from conversations.store.items.parts.note import Note
from conversations.store.items.records import Answered
from shared.aws.dynamodb import Attributes, Table
from shared.runtime import clock

_NEWEST = 100  # notes between two attempts of a call, at most
_REPEATED_DAYS = Answered.ttl_days or 0  # how long a call may be repeated with the same key


@dataclass(frozen=True, slots=True)
class Dated:
    """A note with the parts of its key."""

    at: str
    note_id: str
    note: Note


def add(table: Table, ref: str, dated: Dated) -> Dated:
    """
    Write a note and return the stored one. Safe to repeat, but not at the same time as itself.

    Reads the newest notes, which an earlier attempt of the same call may have written: it has the id, and another time.
    """
    since_ms = clock.from_text(dated.at) - _REPEATED_DAYS * clock.DAY_SECONDS * clock.SECOND_MS
    since = clock.to_text(since_ms)
    items, _ = table.query(None, _after(ref, since), limit=_NEWEST, newest_first=True)
    written = next((one for one in map(_dated, items) if one.note_id == dated.note_id), None)
    if written is not None:
        return written
    table.put(dated.note.attributes(of(ref, Note.sk(dated.at, dated.note_id))))
    return dated


def page(
    table: Table, ref: str, limit: int, start: Attributes | None
) -> tuple[list[Dated], Attributes | None]:
    """Return one page of notes, newest first, and the key of the next page."""
    items, last = table.query(None, _after(ref, ""), limit=limit, start=start, newest_first=True)
    return [_dated(item) for item in items], last


def _after(ref: str, time: str) -> Any:  # noqa: ANN401 - boto3's conditions have no public common type
    # `~` sorts after all characters of a note's sort key.
    newer = Key(SORT_KEY).between(f"{Note.first_sk}{time}", f"{Note.first_sk}~")
    return Key(PARTITION_KEY).eq(OfConversation.partition(ref)) & newer


def _dated(item: Attributes) -> Dated:
    _, at, note_id = str(item[SORT_KEY]).split("#")
    return Dated(at, note_id, Note.read(item))
