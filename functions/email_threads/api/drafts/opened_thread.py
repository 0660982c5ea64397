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
from email_threads.store import threads

if TYPE_CHECKING:
    from email_threads.api.inputs import ThreadQuery
    from email_threads.store.items import Thread
    from shared.aws.dynamodb import Table


class OpenedThread(ThreadView):
    """A thread with what was asked for; absent if it was not. `undoable_merges`: threads that `unmerge` brings back."""

    undoable_merges: list[str]
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
    shown = dict(join_requests.thread_view(table, thread))
    opened = OpenedThread(**shown, undoable_merges=_undoable_merges(table, thread))
    if query.mails:
        opened.mails = queries.mails_of(table, thread, NumberedQuery(limit=query.mails))
    if query.notes:
        opened.notes = queries.notes_of(table, own, NumberedQuery(limit=query.notes))
    if query.drafts == "1":
        opened.drafts = actions.drafts_of(table, thread, ThreadDraftsQuery())
    return opened


def _undoable_merges(table: Table, thread: Thread) -> list[str]:
    """Return the threads whose merge can be undone: not those in which others are, and no split that was undone."""
    parts = threads.get_many(table, sorted(thread.merged_from)) if thread.merged_from else {}
    return [
        name
        for name, part in sorted(parts.items())
        if part.merged_into == thread.conversation_id != part.split_from
    ]
