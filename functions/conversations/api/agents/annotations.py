"""
Annotations of a conversation: labels, a snooze, internal notes. The customer sees none of them. Any agent may change
them, also if a colleague holds the conversation.

A snooze hides an open conversation until its time, until the customer writes, or until it is closed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conversations.api.access import NotOpen, StateConflict, opened_for, read_again
from conversations.api.agents.annotation_views import (
    AnnotatedView,
    NotesView,
    NoteView,
    WrittenNoteView,
)
from conversations.lifecycle.status import OVER, Status
from conversations.lifecycle.transitions import ROUNDS
from conversations.store.annotations import agent_changes, notes
from conversations.store.annotations.agent_changes import Change
from conversations.store.items.log import Mode, of
from conversations.store.items.parts.note import Note
from shared.api.models.agent_inputs import end_of_snooze
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies
    from conversations.api.inputs import LabelsInput, NoteInput, NotesQuery, SnoozeInput
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation
    from shared.api.auth import Caller
    from shared.api.models.inputs import Input, NoInput
    from shared.api.routing.routes import Request

_ID_CHARACTERS = 32  # 128 bits


def set_labels(
    resources: Resources, opened: OpenConversation, request: Request[LabelsInput]
) -> AnnotatedView:
    """Replace all labels. Safe to repeat. Raises StateConflict, NotFound, Gone and Transient."""
    fields = {"labels": set(request.input.labels)}
    return _changed(resources, opened, request, fields, revision=request.input.revision)


def snooze(
    resources: Resources, opened: OpenConversation, request: Request[SnoozeInput]
) -> AnnotatedView:
    """Snooze an open conversation. Safe to repeat. Raises InvalidInput, NotOpen and the errors of `set_labels`."""
    until = end_of_snooze(
        "snoozed_until",
        request.input.snoozed_until,
        now=_now(),
        deleted_at=opened.conversation.ttl,
    )
    fields = {"snoozed_until": until}
    return _changed(resources, opened, request, fields, revision=request.input.revision)


def wake(
    resources: Resources, opened: OpenConversation, request: Request[NoInput]
) -> AnnotatedView:
    """End a snooze; no change without one. Raises NotFound, Gone and Transient."""
    return _changed(resources, opened, request, {"snoozed_until": None})


def add_note(
    resources: Resources, opened: OpenConversation, request: Request[NoteInput]
) -> WrittenNoteView:
    """Write an internal note. Safe to repeat."""
    note = Note(text=request.input.text, by=request.caller.principal, ttl=opened.conversation.ttl)
    note_id = digest(opened.ref, _cause(request))[:_ID_CHARACTERS]
    written = notes.add(resources.log, opened.ref, notes.Dated(_now(), note_id, note))
    return WrittenNoteView(id=written.note_id, at=written.at)


def list_notes(deps: ApiDependencies, caller: Caller, ref: str, query: NotesQuery) -> NotesView:
    """List the notes of one conversation, newest first. Raises NotFound."""
    return notes_of(deps, opened_for(deps, caller, ref), query)


def notes_of(deps: ApiDependencies, opened: OpenConversation, query: NotesQuery) -> NotesView:
    """Return a page of the notes of one conversation, newest first."""
    log = deps.resources.log
    start = of(opened.ref, Note.sk(*query.before.split("~"))) if query.before else None
    found, last = notes.page(log, opened.ref, query.limit, start)
    shown = [
        NoteView(id=one.note_id, at=one.at, by=one.note.by, text=one.note.text) for one in found
    ]
    before = f"{found[-1].at}~{found[-1].note_id}" if last and found else None
    return NotesView(notes=shown, before=before)


def _changed(
    resources: Resources,
    opened: OpenConversation,
    request: Request[Any],
    fields: dict[str, Any],
    *,
    revision: int | None = None,
) -> AnnotatedView:
    made = Change(fields=fields, cause=_cause(request), by=request.caller.principal)
    for _ in range(ROUNDS):
        state = opened.state
        # An earlier attempt of this call made the change, and died before its answer was stored.
        if state.revised_for == made.cause:
            return _view(opened)
        if revision not in {None, state.revision or 0}:
            raise StateConflict("revision: the conversation was changed since this revision")
        if fields.get("snoozed_until"):
            _check_is_open(opened)
        changed = agent_changes.change(resources.log, opened.ref, state, made)
        if changed is not None:
            return _view(opened.with_state(changed))
        opened = read_again(resources, opened)
    raise Transient("state_contended")


def _check_is_open(opened: OpenConversation) -> None:
    if Status(opened.conversation.conversation_status) in OVER or opened.state.mode is Mode.CLOSED:
        raise NotOpen("the conversation is closed, or the customer has opted out")


def _view(opened: OpenConversation) -> AnnotatedView:
    state = opened.state
    return AnnotatedView(
        ref=opened.ref, revision=state.revision or 0, snoozed_until=state.snoozed_at(_now())
    )


def _cause(request: Request[Input]) -> str:
    """Return a hash of the call and its content: a key may be used for another call after its answer has expired."""
    return digest(request.cause, request.input.model_dump_json())[:_ID_CHARACTERS]


def _now() -> str:
    return clock.to_text(clock.now_ms())
