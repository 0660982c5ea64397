"""A conversation as a page of an agent opens it: with its newest messages and notes, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conversations.api import queries
from conversations.api.access import opened_for
from conversations.api.agents.annotation_views import NotesView  # noqa: TC001 - field of a model
from conversations.api.inputs import MessagesQuery, NotesQuery
from conversations.api.views import ConversationView, MessagesView

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies
    from conversations.api.inputs import ConversationQuery
    from shared.api.auth import Caller


class OpenedConversationView(ConversationView):
    """A conversation with the newest of what was asked for; absent if it was not."""

    messages: MessagesView | None = None
    notes: NotesView | None = None


def opened_conversation(
    deps: ApiDependencies, caller: Caller, ref: str, query: ConversationQuery
) -> OpenedConversationView:
    """Return one conversation, with what the query asks for. Raises NotFound."""
    opened = opened_for(deps, caller, ref)
    shown = OpenedConversationView(**dict(queries.view_of(deps.resources, opened)))
    if query.messages:
        asked = MessagesQuery(limit=query.messages)
        shown.messages = queries.messages_of(deps.resources, opened, asked)
    if query.notes:
        from conversations.api.agents import annotations  # noqa: PLC0415 - software that polls reads no notes

        shown.notes = annotations.notes_of(deps, opened, NotesQuery(limit=query.notes))
    return shown
