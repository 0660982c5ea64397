"""Canned replies: kept by a company, and filled with values when an agent sends one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.tables.seen import Seen
from shared.inbox.canned_replies import texts
from shared.runtime import clock
from whatsapp import store
from whatsapp.sending.views import CannedRepliesView, CannedReplyView, RemovedView
from whatsapp.store.items.sending.canned_replies import CannedReply

if TYPE_CHECKING:
    from shared.api.auth import Caller
    from shared.aws.dynamodb import Table
    from shared.inbox.canned_replies.inputs import CannedReplyInput
    from whatsapp.sending.inputs import CannedReplyText


def replies(table: Table, company: str) -> CannedRepliesView:
    """Return the company's canned replies, by name."""
    found = store.canned_replies.listed(table, company)
    return CannedRepliesView(canned_replies=[_view(reply) for reply in found])


def save(table: Table, caller: Caller, name: str, given: CannedReplyText) -> CannedReplyView:
    """Create a canned reply, or replace its text. Raises InvalidInput, ListFull and ChangedMeanwhile. Repeatable."""
    texts.check_name(name)
    texts.check_text(given.text)
    reply = CannedReply(
        pk=CannedReply.key(caller.company, name),
        company=caller.company,
        name=name,
        text=given.text,
        updated_at=clock.to_text(clock.now_ms()),
        updated_by=caller.principal,
    )
    is_checked = "seen" in given.model_fields_set
    store.canned_replies.put(table, reply, Seen(given.seen) if is_checked else None)
    return _view(reply)


def remove(table: Table, company: str, name: str) -> RemovedView:
    """Delete a canned reply; a missing one is no error. Raises InvalidInput."""
    texts.check_name(name)
    store.canned_replies.remove(table, company, name)
    return RemovedView(name=name)


def filled(table: Table, company: str, chosen: CannedReplyInput) -> str:
    """Return the text of a canned reply with the values of its variables. Raises InvalidInput."""
    reply = store.canned_replies.get(table, company, chosen.name)
    return texts.filled(reply.text if reply else None, chosen.variables, field="cannedReply")


def _view(reply: CannedReply) -> CannedReplyView:
    return CannedReplyView(
        name=reply.name,
        text=reply.text,
        variables=texts.variables_of(reply.text),
        updated_at=reply.updated_at,
        updated_by=reply.updated_by,
    )
