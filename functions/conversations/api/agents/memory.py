"""The memory of a conversation, as agents see and change it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.api.access import StateConflict
from conversations.api.agents.annotation_views import MemoryView, WrittenMemoryView
from conversations.store.annotations import memories
from conversations.store.annotations.memory_owners import is_of_person
from conversations.store.items.log import Message
from conversations.store.items.parts.memory import Memory
from shared.aws.sqs_fifo import digest
from shared.runtime import clock

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies
    from conversations.api.inputs import MemoryInput
    from conversations.lifecycle.conversation import OpenConversation
    from shared.api.routing.routes import Request


def shown(deps: ApiDependencies, opened: OpenConversation) -> MemoryView:
    """Return the memory; an empty one of revision 0 if there is none."""
    memory = _of_person(deps, opened, memories.read(deps.resources.log, opened.ref))
    if memory is None:
        return MemoryView(summary="", facts=[], revision=0, by=None, at=None, up_to=None)
    newest = (memory.up_to or "").removeprefix(Message.first_sk).partition("#")[0]
    return MemoryView(
        summary=memory.summary,
        facts=memory.facts,
        revision=memory.revision,
        by=memory.by,
        at=memory.at,
        up_to=newest or None,
    )


def replace(
    deps: ApiDependencies, opened: OpenConversation, request: Request[MemoryInput]
) -> WrittenMemoryView:
    """Replace the memory. Safe to repeat. Raises StateConflict if it was changed since the revision."""
    given, cause = request.input, digest(request.cause, request.input.model_dump_json())
    log = deps.resources.log
    stored = _of_person(deps, opened, memories.read(log, opened.ref))
    if (
        stored is not None and stored.revised_for == cause
    ):  # An earlier attempt died before its answer.
        return WrittenMemoryView(ref=opened.ref, revision=stored.revision)
    if given.revision != (stored.revision if stored else 0):
        raise StateConflict("revision: the memory was changed since this revision")
    at, by = clock.to_text(clock.now_ms()), request.caller.principal
    memory = (stored or Memory(by=by, at=at, revision=0)).changed(
        summary=given.summary.strip(),
        facts=[fact.strip() for fact in given.facts],
        by=by,
        at=at,
        ttl=opened.conversation.ttl,
        revised_for=cause,
    )
    if not memories.write(log, opened.ref, memory, seen=stored):
        raise StateConflict("revision: the memory was changed since this revision")
    return WrittenMemoryView(ref=opened.ref, revision=memory.revision)


def _of_person(
    deps: ApiDependencies, opened: OpenConversation, stored: Memory | None
) -> Memory | None:
    """Return a stored memory, without content if it is of contacts that are not the person's any more."""
    log, contacts, item = deps.resources.log, deps.contacts, opened.conversation
    if stored is None or is_of_person(log, contacts, item, opened.state, stored):
        return stored
    return stored.emptied()
