"""Notes about a person: lists, writes, changes and removes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from console.contacts import contacts
from console.contacts.changes import records
from console.contacts.views import ContactNote, ContactNotes, RemovedNote
from shared.api.auth import Forbidden, Scope
from shared.api.cursors import Page
from shared.identity.contacts import notes
from shared.identity.contacts.history import Act
from shared.identity.contacts.items import Note
from shared.identity.contacts.notes import NoteRemoved

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.api.inbox import InboxDependencies
    from console.api.inputs import PageQuery
    from console.contacts.changes.inputs import ChangeNoteInput, NoteInput
    from shared.api.auth import Caller
    from shared.identity.contacts.items import Profile


def listed(
    deps: InboxDependencies, caller: Caller, contact_id: str, query: PageQuery
) -> Page[ContactNotes]:
    """Return the notes about a contact, newest first. Raises ContactNotFound and InvalidCursor."""
    found, cursor = records.page(deps, caller, contact_id, query, Note)
    return Page(ContactNotes(notes=[_view(one) for one in found]), cursor)


def add(
    deps: InboxDependencies, caller: Caller, contact_id: str, body: NoteInput, cause: str
) -> Callable[[], ContactNote]:
    """Return the change that writes a note. Raises ContactNotFound."""
    person = contacts.shown(deps, caller, contact_id).profile
    act = Act(cause, caller.principal)
    return lambda: _view(notes.add(deps.contacts, person, body.text, act))


def change(
    deps: InboxDependencies, caller: Caller, ids: tuple[str, str], body: ChangeNoteInput, cause: str
) -> Callable[[], ContactNote]:
    """
    Return the change of a note; *ids* are the ids of contact and note. Raises ContactNotFound.

    The change raises NoteRemoved, Forbidden for a note of another person, and VersionConflict.
    """
    person = contacts.shown(deps, caller, ids[0]).profile
    act = Act(cause, caller.principal)

    def changed() -> ContactNote:
        note = _own(deps, caller, person, ids[1])
        return _view(notes.change(deps.contacts, note, body.text, act, body.version))

    return changed


def remove(
    deps: InboxDependencies, caller: Caller, ids: tuple[str, str], cause: str
) -> Callable[[], RemovedNote]:
    """Return the change that removes a note, as `change`."""
    contact_id, note_id = ids
    person = contacts.shown(deps, caller, contact_id).profile
    act = Act(cause, caller.principal)

    def removed() -> RemovedNote:
        if not notes.was_removed(deps.contacts, person, note_id, act):
            notes.remove(deps.contacts, _own(deps, caller, person, note_id), act)
        return RemovedNote(note_id=note_id)

    return removed


def _own(deps: InboxDependencies, caller: Caller, person: Profile, note_id: str) -> Note:
    """Return a note that the caller may change. Raises NoteRemoved and Forbidden."""
    note = notes.get(deps.contacts, person, note_id)
    if note is None:
        raise NoteRemoved("no such note")
    if note.by != caller.principal and Scope.CONTACTS_ADMIN not in caller.scopes:
        raise Forbidden(
            f"a note is changed by its author, or with the scope {Scope.CONTACTS_ADMIN}"
        )
    return note


def _view(note: Note) -> ContactNote:
    return ContactNote(
        note_id=note.note_id,
        text=note.text,
        by=note.by,
        at=note.at,
        edited_by=note.edited_by,
        edited_at=note.edited_at,
        version=note.version,
    )
