"""A conversation as a page of an agent opens it: with its newest messages and notes, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from conversations.api import presenters, queries
from conversations.api.access import opened_for
from conversations.api.agents.annotation_views import NotesView  # noqa: TC001 - field of a model
from conversations.api.inputs import MessagesQuery, NotesQuery
from conversations.api.views import ChannelConsentView, ConversationView, MessagesView
from conversations.lifecycle.conversation import addresses_of
from shared.api.auth import Scope
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger

if TYPE_CHECKING:
    from conversations.api.access import ApiDependencies
    from conversations.api.inputs import ConversationQuery
    from conversations.lifecycle.conversation import OpenConversation
    from shared.api.auth import Caller


class OpenedConversationView(ConversationView):
    """A conversation with the newest of what was asked for; absent if it was not."""

    messages: MessagesView | None = None
    notes: NotesView | None = None
    consent: ChannelConsentView | None = None


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
    if query.consent and Scope.CONSENT_READ in caller.scopes:
        shown.consent = _consent(deps, caller.company, opened)
    return shown


def _consent(
    deps: ApiDependencies, company: str, opened: OpenConversation
) -> ChannelConsentView | None:
    """Return the consent of the customer on the channel. A failure hides no messages."""
    channel = opened.conversation.channel_method
    try:
        newest = deps.consents.standing(company, addresses_of(opened), channel).newest
    except (Transient, ClientError, BotoCoreError) as failure:
        logger.warning("consent not read", extra=describe(failure))
        return ChannelConsentView(channel=channel, state="unavailable")
    return presenters.consent_view(channel, newest)
