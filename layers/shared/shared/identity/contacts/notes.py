"""
Notes of people of the company about a person.

A note stays with the contact for which it was written: after an undo of a merge it is the kept contact's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.dynamodb import TransactionRefused
from shared.identity.contacts import history
from shared.identity.contacts.details import VersionConflict
from shared.identity.contacts.items import MARKER_DAYS, Marker, Note, Profile, What
from shared.identity.contacts.merges import Missing
from shared.runtime import clock

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table
    from shared.identity.contacts.history import Act


class NoteRemoved(Exception):
    """The note that this request has written does not exist any more."""


def add(table: Table, person: Profile, text: str, act: Act) -> Note:
    """Write a note about a contact and return it. Safe to repeat. Raises Missing, NoteRemoved and Transient."""
    company, contact_id = person.company_id, person.contact_id
    if (known := _marked_note(table, person, act)) is not None:
        return known
    now = clock.now_ms()
    note_id = Note.sort_of(now, act.cause)
    note = Note(
        **Note.key(company, contact_id, note_id),
        company_id=company,
        note_id=note_id,
        text=text,
        by=act.by,
        at=clock.to_text(now),
        cause=act.cause,
    )
    key = Profile.key(company, contact_id)
    try:
        table.transact(
            table.to_check(key, when=Profile.attr("version").exists()),
            _marked(table, note, act),
            table.to_put(note.attributes()),
            history.written(table, (company, contact_id), What.NOTE_ADDED, act, at=note.at),
        )
    except TransactionRefused:
        if (known := _marked_note(table, person, act)) is None:
            raise Missing("no such contact") from None
        return known
    return note


def get(table: Table, person: Profile, note_id: str) -> Note | None:
    """Return a note about a contact, or about one that was merged into it."""
    names = [person.contact_id, *sorted(person.members)]
    items = table.get_many([Note.key(person.company_id, one, note_id) for one in names])
    return Note.read(items[0]) if items else None


def change(table: Table, note: Note, text: str, act: Act, version: int | None = None) -> Note:
    """
    Change the text of a note, and return it; the same text changes nothing. Safe to repeat.

    Raises VersionConflict if *version* is not the present one, or if others change the note meanwhile.
    """
    if note.cause == act.cause or note.text == text:
        return note
    if version is not None and version != note.version:
        raise VersionConflict("the note has changed since that version")
    at = clock.to_text(clock.now_ms())
    edit = {"text": text, "edited_by": act.by, "edited_at": at, "cause": act.cause}
    try:
        table.transact(
            table.to_update(
                _key(note),
                put=Note.named(**edit),
                add=Note.named(version=1),
                when=Note.attr("version").eq(note.version),
            ),
            history.written(table, _contact(note), What.NOTE_CHANGED, act, at=at),
        )
    except TransactionRefused:
        stored = table.get(_key(note))
        if stored is None or stored.get(Note.name_of("cause")) != act.cause:
            raise VersionConflict("the note has changed meanwhile") from None
    return note.model_copy(update={**edit, "version": note.version + 1})


def remove(table: Table, note: Note, act: Act) -> None:
    """Remove a note. Safe to repeat, as `was_removed` says."""
    at = clock.to_text(clock.now_ms())
    try:
        table.transact(
            table.to_delete(_key(note), when=Note.attr("version").exists()),
            _marked(table, note, act),
            history.written(table, _contact(note), What.NOTE_REMOVED, act, at=at),
        )
    except TransactionRefused:
        if table.get(_key(note)) is not None:
            raise


def was_removed(table: Table, person: Profile, note_id: str, act: Act) -> bool:
    """Whether this request has removed the note."""
    known = _marker(table, person, act)
    return known is not None and known.note_id == note_id


def _marked(table: Table, note: Note, act: Act) -> Attributes:
    marker = Marker(
        **Marker.key(*_contact(note), act.cause),
        company_id=note.company_id,
        note_id=note.note_id,
        ttl=clock.expires_in(MARKER_DAYS * clock.DAY_SECONDS),
    )
    return table.to_put(marker.attributes(), when=Marker.attr("note_id").not_exists())


def _marker(table: Table, person: Profile, act: Act) -> Marker | None:
    names = [person.contact_id, *sorted(person.members)]
    items = table.get_many([Marker.key(person.company_id, one, act.cause) for one in names])
    return Marker.read(items[0]) if items else None


def _marked_note(table: Table, person: Profile, act: Act) -> Note | None:
    """Return the note that this request has written. Raises NoteRemoved."""
    known = _marker(table, person, act)
    if known is None:
        return None
    stored = get(table, person, known.note_id)
    if stored is None:
        raise NoteRemoved("the note was removed since")
    return stored


def _key(note: Note) -> Attributes:
    return {"pk": note.pk, "sk": note.sk}


def _contact(note: Note) -> tuple[str, str]:
    """Return company and id of the contact in whose partition a note is."""
    return note.company_id, note.pk.rpartition("#")[2]
