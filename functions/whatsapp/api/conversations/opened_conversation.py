"""One conversation with all that a page shows of it, by one call."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from shared.api.auth import Scope
from shared.identity import addresses
from shared.runtime import clock
from shared.runtime.failures import Transient
from shared.runtime.observability import describe, logger
from whatsapp.api import queries
from whatsapp.api.inputs import ChangesQuery, MessagesQuery, NotesQuery
from whatsapp.api.message_views import ConsentView, MessagesPart, OpenedConversation
from whatsapp.api.views import whole_conversation_view

if TYPE_CHECKING:
    from shared.api.auth import Caller
    from shared.policy.consent.records import Consents
    from whatsapp.api.inputs import ConversationQuery
    from whatsapp.store.items import Conversation

CHANNEL = "whatsapp"
_NUMBER = re.compile(r"[0-9]{7,15}")  # E.164


@dataclass(frozen=True, slots=True, kw_only=True)
class OpeningDependencies:
    """The sources of a conversation: the inbox, and the consent records."""

    inbox: queries.ApiDependencies
    consents: Consents


def conversation(
    deps: OpeningDependencies, caller: Caller, key: str, query: ConversationQuery
) -> OpenedConversation:
    """Return a conversation by its *key* from a list, with what the query asks for. Raises NotFound."""
    inbox, company = deps.inbox, caller.company
    head = queries.head_of(inbox, company, key)
    view = whole_conversation_view(head, key=key, now=clock.to_text(clock.now_ms()))
    opened = OpenedConversation(**dict(view))
    if query.messages:
        page = queries.messages_of(inbox, caller, head, MessagesQuery(limit=query.messages))
        opened.messages = MessagesPart(**dict(page.result), cursor=page.cursor)
    if query.notes:
        page_of_notes = queries.notes_of(inbox, company, head, NotesQuery(limit=query.notes))
        opened.notes = page_of_notes.result.notes
    if query.changes and query.revision != head.revision:
        opened.changes = queries.changes_of(
            inbox.table, head, ChangesQuery(limit=query.changes)
        ).changes
    if query.consent and Scope.CONSENT_READ in caller.scopes:
        opened.consent = _consent(deps.consents, company, head)
    return opened


def _consent(consents: Consents, company: str, head: Conversation) -> ConsentView | None:
    """Return the consent of the customer; None for a group. A failure hides no messages."""
    known = _addresses_of(head)
    if not known:
        return None
    try:
        newest = consents.standing(company, known, CHANNEL).newest
    except (Transient, ClientError, BotoCoreError) as failure:
        logger.warning("consent not read", extra=describe(failure))
        return ConsentView(state="unavailable")
    if newest is None:
        return ConsentView(state="unknown")
    return ConsentView(**newest.model_dump(include=set(ConsentView.model_fields)))


def _addresses_of(head: Conversation) -> list[str]:
    """Return the customer's addresses, the one that answers go to first, as the send policy asks for them."""
    if head.group_name is not None:
        return []
    user = f"{addresses.USER_ID_PREFIX}{head.sender_user_id}" if head.sender_user_id else None
    ordered = (_address(head.sender_phone), user, _address(head.from_))
    return list(dict.fromkeys(address for address in ordered if address))


def _address(number: str | None) -> str | None:
    return f"+{number}" if number and _NUMBER.fullmatch(number) else None
