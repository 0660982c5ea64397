"""
Changes of a thread by a person: the head, and an item for the record of changes or for a note. One transaction (pattern
4). Each has the cause of the API call, so that a repeated call changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from email_threads.store import drafts
from email_threads.store.deadlines import scheduled_sends
from email_threads.store.deadlines.service_levels import writes
from email_threads.store.items import Audit, Draft, DraftStatus, Mail, Note, ScheduledSend, Thread
from email_threads.store.items.threads.thread import AuditEntry, NoteEntry
from email_threads.store.threads import is_unchanged
from shared.aws.dynamodb import TransactionRefused
from shared.aws.tables.items import stored

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table

MOST_AUDIT_ENTRIES: Final = 5
MOST_NOTES: Final = 3
SHORTENED_NOTE: Final = 200  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """
    New values of a head by field; None removes one. *actor* is the principal of the call, *action* a word.

    *detail* has codes and ids only, *cause* is a hash of the call, *is_marked*: the audit entry has it, too.
    """

    fields: dict[str, Any] = field(repr=False)
    at: str
    actor: str
    action: str
    detail: str | None
    cause: str
    is_marked: bool = False


def change(table: Table, thread: Thread, made: Change, draft: Draft | None = None) -> Thread | None:
    """
    Write a change of a thread as it was read, its audit entry and a new draft, with its send if it is approved, or
    nothing.

    None if the thread has changed meanwhile, or the draft exists.
    """
    after, audit = recorded(thread, made)
    others = [drafts.to_create(table, draft)] if draft is not None else []
    if draft is not None and draft.draft_status is DraftStatus.APPROVED and draft.send_at:
        others.append(scheduled_sends.to_put(table, ScheduledSend.of(draft, draft.send_at)))
    return _write(table, thread, after, audit, *others)


def change_with_mail(
    table: Table, thread: Thread, made: Change, before: Mail, after: Mail
) -> Thread | None:
    """
    Write a change of a thread, one of a mail of it, and the audit entry, or nothing. None if the thread has changed
    meanwhile: a mail is moved, removed or admitted with a change of its thread.
    """
    was, values = before.attributes(), after.attributes()
    update = table.to_update(
        Mail.number(before.thread, before.n),
        put={name: value for name, value in values.items() if was.get(name) != value},
        drop=[name for name in was if name not in values],
        when=Mail.attr("email_id").eq(before.email_id) & Mail.attr("erased").not_exists(),
    )
    changed, audit = recorded(thread, made)
    return _write(table, thread, changed, audit, update)


def recorded(thread: Thread, made: Change) -> tuple[Thread, Audit]:
    """Return a thread after a change, and the audit entry's item."""
    number = thread.audit_count + 1
    entry = AuditEntry(
        at=made.at,
        actor=made.actor,
        action=made.action,
        detail=made.detail,
        cause=made.cause if made.is_marked else None,
    )
    after = thread.model_copy(
        update={
            **made.fields,
            "last_seq": thread.seq + 1,
            "audit_count": number,
            "audit_log": [*thread.audit_log, entry][-MOST_AUDIT_ENTRIES:],
            "last_cause": made.cause,
        }
    )
    audit = Audit(
        conversation_id=Audit.number(thread.conversation_id, number)["conversation_id"],
        k=number,
        company_id=thread.company_id,
        **dict(entry),
    )
    return after, audit


def add_note(
    table: Table, thread: Thread, *, text: str, at: str, by: str, cause: str, touched: Attributes
) -> Thread | None:
    """Write a note about a thread as it was read. None if the thread has changed meanwhile."""
    number = thread.note_count + 1
    short = NoteEntry(k=number, at=at, by=by, text=text[:SHORTENED_NOTE])
    newest = [*(thread.metadata.notes or []), short][-MOST_NOTES:]
    after = thread.model_copy(
        update={
            **touched,
            "last_seq": thread.seq + 1,
            "note_count": number,
            "metadata": thread.metadata.model_copy(update={"notes": newest}),
            "last_cause": cause,
        }
    )
    note = Note(
        conversation_id=Note.number(thread.conversation_id, number)["conversation_id"],
        company_id=thread.company_id,
        k=number,
        at=at,
        by=by,
        text=text,
    )
    return _write(table, thread, after, note)


def notes(table: Table, conversation_id: str, numbers: range) -> list[Note]:
    """Return the notes with these numbers, newest first."""
    found = [
        Note.read(item)
        for item in table.get_many([Note.number(conversation_id, k) for k in numbers])
    ]
    return sorted(found, key=lambda note: -note.k)


def audit_entries(table: Table, conversation_id: str, numbers: range) -> list[Audit]:
    """Return the changes with these numbers, newest first."""
    found = [
        Audit.read(item)
        for item in table.get_many([Audit.number(conversation_id, k) for k in numbers])
    ]
    return sorted(found, key=lambda entry: -entry.k)


def _write(
    table: Table, before: Thread, after: Thread, child: Audit | Note, *others: Attributes
) -> Thread | None:
    values = stored(after)
    key = Thread.key(before.conversation_id)
    # Only what changed: the mails of the window are not sent again.
    was = stored(before)
    changed = {name: value for name, value in values.items() if was.get(name) != value}
    gone = [name for name in was if name not in values]
    try:
        table.transact(
            table.to_update(key, put=changed, drop=gone, when=is_unchanged(before)),
            table.to_put(child.attributes(), when=type(child).attr("conversation_id").not_exists()),
            *others,
            *writes(table, before, after),
        )
    except TransactionRefused:
        return None
    return after
