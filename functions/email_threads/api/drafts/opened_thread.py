"""A thread as a page of an agent opens it: with its newest mails and notes and its open drafts, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from email_threads.api import queries
from email_threads.api.drafts import actions
from email_threads.api.drafts.inputs import ThreadDraftsQuery
from email_threads.api.drafts.views import Drafts  # noqa: TC001 - field of a model
from email_threads.api.inputs import NumberedQuery
from email_threads.api.people import join_requests
from email_threads.api.views import Mails, Notes, ThreadView

if TYPE_CHECKING:
    from email_threads.api.inputs import ThreadQuery
    from shared.aws.dynamodb import Table


class OpenedThread(ThreadView):
    """A thread with what was asked for; absent if it was not."""

    mails: Mails | None = None
    notes: Notes | None = None
    drafts: Drafts | None = None


def opened_thread(
    table: Table, company: str, conversation_id: str, query: ThreadQuery
) -> OpenedThread:
    """
    Return one thread, with what the query asks for; for a merged one, the thread that it became part of, but its own
    notes. Raises NotFound.
    """
    own, thread = queries.heads_of(table, company, conversation_id)
    opened = OpenedThread(**dict(join_requests.thread_view(table, thread)))
    if query.mails:
        opened.mails = queries.mails_of(table, thread, NumberedQuery(limit=query.mails))
    if query.notes:
        opened.notes = queries.notes_of(table, own, NumberedQuery(limit=query.notes))
    if query.drafts == "1":
        opened.drafts = actions.drafts_of(table, thread, ThreadDraftsQuery())
    return opened
