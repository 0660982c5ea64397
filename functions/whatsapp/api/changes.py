"""Changes conversations for agents: read mark, archived, assignee, labels, status, notes. Changes have authors."""

from typing import Any

from shared.api.errors import InvalidInput
from shared.api.models.agent_inputs import end_of_snooze
from shared.api.routing.routes import Request
from shared.aws.dynamodb import Table
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from whatsapp import store
from whatsapp.api.inputs import ChangeInput, NoteInput, ReadInput
from whatsapp.api.views import StateView, WrittenNote, state_view
from whatsapp.store.conversations.agent_changes import Change
from whatsapp.store.items import Conversation
from whatsapp.store.items.conversations.agents import Note

CAUSE_CHARACTERS = 20  # 80 bits
_FIELDS = ("archived", "assignee", "labels", "status", "snoozed_until")


def mark_read(table: Table, head: Conversation, request: Request[ReadInput]) -> StateView:
    """Mark a conversation as read up to a position; later messages stay unread. Raises InvalidInput and Transient."""
    up_to, at = request.input.up_to, _now()
    if up_to > (head.last_key or ""):
        raise _invalid("upTo", "must not be after the `position` of the conversation")
    by = request.caller.principal
    marked = store.read_marks.mark_read(table, head, up_to=up_to, by=by, at=at)
    return state_view(marked, at)


def change(table: Table, head: Conversation, request: Request[ChangeInput]) -> StateView:
    """Change a conversation. Raises InvalidInput, StateConflict and Transient."""
    at = _now()
    made = Change(
        fields=_fields(request.input, at),
        revision=request.input.revision,
        cause=_cause(request),
        by=request.caller.principal,
        at=at,
    )
    return state_view(store.agent_changes.apply(table, head, made), at)


def add_note(table: Table, head: Conversation, request: Request[NoteInput]) -> WrittenNote:
    """Write an internal note about a conversation."""
    note = Note(
        pk=Note.key(digest(head.pk, _cause(request))),
        company=head.company,
        conversation_pk=Note.list_of(head.pk),
        received_at=_now(),
        text=request.input.text,
        by=request.caller.principal,
    )
    written = store.notes.add(table, note)
    return WrittenNote(id=written.note_id, at=written.received_at)


def _fields(given: ChangeInput, now: str) -> dict[str, Any]:
    """Return the new values by field of the item; None: absent. Raises InvalidInput."""
    named = {name: getattr(given, name) for name in _FIELDS if name in given.model_fields_set}
    if not named:
        raise _invalid("body", "must contain a change")
    for name in named.keys() - {"assignee"}:
        if named[name] is None:
            raise _invalid(str(ChangeInput.model_fields[name].alias), "must not be null")
    if "labels" in named:
        if given.revision is None:
            raise _invalid("revision", "is required to replace labels")
        named["labels"] = set(named["labels"]) or None
    if given.status == "snoozed":
        return named | {"snoozed_until": _end_of_snooze(given, now)}
    if "snoozed_until" in named:
        raise _invalid("snoozedUntil", "must be given with `status: snoozed` only")
    if given.status is not None:
        # An open conversation has no status.
        closed = given.status if given.status == "resolved" else None
        return named | {"status": closed, "snoozed_until": None}
    return named


def _end_of_snooze(given: ChangeInput, now: str) -> str:
    if given.snoozed_until is None:
        raise _invalid("snoozedUntil", "is required with `status: snoozed`")
    return end_of_snooze("snoozedUntil", given.snoozed_until, now=now)


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])


def _cause(request: Request[ChangeInput] | Request[NoteInput]) -> str:
    """Return a hash of the call and its content: a key may be used for another call after its answer has expired."""
    return digest(request.cause, request.input.model_dump_json())[:CAUSE_CHARACTERS]


def _now() -> str:
    return clock.to_text(clock.now_ms())
