"""Read access to threads: lists, a thread, its mails and attachments, its notes and changes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from email_threads.api import presenters, views
from email_threads.store import changes as stored_changes
from email_threads.store import objects, threads
from email_threads.store.items import Status
from email_threads.store.items.threads.thread import COMPANY_INDEX
from email_threads.store.lists import thread_lists
from email_threads.store.lists.thread_lists import ListEntry, ThreadList
from shared.api.cursors import Listing, Page
from shared.api.opaque_ids import Seal, seal_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from email_threads.api.inputs import MailQuery, NumberedQuery, ThreadsQuery
    from email_threads.store.items import Mail, Thread
    from email_threads.store.items.threads.thread import AttachmentEntry
    from shared.aws.dynamodb import Attributes, Table
    from shared.aws.s3 import Bucket
    from shared.aws.secrets import JsonSecret
    from shared.aws.sqs_fifo import FifoQueue
    from shared.aws.sqs_standard import StandardQueue
    from shared.inbox.canned_replies.items import CannedReplies

LINK_SECONDS: Final = 300
# Most that one call compares before it returns a cursor: heads, and pages of ROWS_OF_SEARCH rows.
MOST_COMPARED: Final = 2_000
MOST_PAGES: Final = 5
_THREAD_ID: Final = re.compile(r"[0-9a-f]{16}", re.ASCII)
_HOPS: Final = 4  # a thread, and three that it was merged into
_NUMBER: Final = re.compile(r"[1-9][0-9]{0,7}", re.ASCII)
_INDEX: Final = re.compile(r"[0-9]{1,3}", re.ASCII)


class NotFound(Exception):
    """Missing, or another company's: the response does not distinguish them."""


class AttachmentBlocked(Exception):
    """The file may not be downloaded: SES found a virus, or it is an executable or a script."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiDependencies:
    """
    Table, bucket and queues of this context, and the secret that seals cursors. *delayed* is the queue of ingest, whose
    messages may be delayed.

    *canned* are the canned replies. *log* has the owner items; *single_company* owns all resources of a deployment that
    belongs to one company.
    """

    table: Table
    log: Table
    single_company: str
    bucket: Bucket
    queue: FifoQueue
    delayed: StandardQueue
    seal_secret: JsonSecret
    canned: CannedReplies

    @property
    def seal(self) -> Seal:
        """The seal of cursors. Raises SecretUnreadable."""
        return seal_of(self.seal_secret)


def list_threads(deps: ApiDependencies, company: str, query: ThreadsQuery) -> Page[views.Threads]:
    """
    Return a page of threads. Raises InvalidCursor.

    Pages by status and participant are full; one with other filters or a text may be short.
    """
    listed = _list_of(company, query)
    named = query.model_dump(exclude={"limit", "cursor"}, exclude_none=True)
    parts = (f"{name}={value}" for name, value in sorted(named.items()))
    listing = Listing(company, COMPANY_INDEX, ("threads", *parts))
    start = listing.position(deps.seal, query.cursor) if query.cursor is not None else None
    found, position = _page(thread_lists.entries(deps.table, listed, start), query)
    shown = views.Threads(
        threads=[presenters.summary(thread) for thread in found],
        looked_back_to=str(position["updated_at"]) if position else None,
    )
    return Page(shown, listing.cursor(deps.seal, position) if position else None)


def head_of(table: Table, company: str, conversation_id: str) -> Thread:
    """Return a thread; for a merged one, the thread that it became part of. Raises NotFound."""
    return heads_of(table, company, conversation_id)[1]


def heads_of(table: Table, company: str, conversation_id: str) -> tuple[Thread, Thread]:
    """Return a thread, and the thread that it became part of: itself if it was not merged. Raises NotFound."""
    own = thread = own_head_of(table, company, conversation_id)
    for _ in range(_HOPS - 1):
        if thread.merged_into is None:
            break
        thread = own_head_of(table, company, thread.merged_into)
    if thread.merged_into is not None:
        raise NotFound("conversation_id: thread not found")
    return own, thread


def own_head_of(table: Table, company: str, conversation_id: str) -> Thread:
    """Return a thread, also a merged one. Raises NotFound."""
    is_id = _THREAD_ID.fullmatch(conversation_id)
    thread = threads.get(table, conversation_id) if is_id else None
    if thread is None or thread.company_id != company:
        raise NotFound("conversation_id: thread not found")
    return thread


def mails(table: Table, company: str, conversation_id: str, query: NumberedQuery) -> views.Mails:
    """Return a page of a thread's mails. Raises NotFound."""
    return mails_of(table, head_of(table, company, conversation_id), query)


def mails_of(table: Table, thread: Thread, query: NumberedQuery) -> views.Mails:
    """Return a page of the mails of a thread that was read."""
    numbers = _numbers(thread.email_count, query)
    found = threads.mails(table, thread.conversation_id, numbers)
    return views.Mails(
        mails=[presenters.mail(one) for one in reversed(found)], next_before=_next(numbers)
    )


def mail(
    deps: ApiDependencies, company: str, conversation_id: str, n: str, query: MailQuery
) -> views.MailView:
    """Return a whole mail, with its HTML if asked. Raises NotFound."""
    found = mail_of(deps.table, company, conversation_id, n)
    body = deps.bucket.get(found.body_key).decode() if found.body_key is not None else found.body
    html = None
    if query.html == "1" and found.html_key is not None:
        html = presenters.with_images(
            deps.bucket.get(found.html_key).decode(),
            {
                one.content_id: deps.bucket.link_to(
                    one.s3_key, seconds=LINK_SECONDS, content_type=one.content_type
                )
                for one in found.attachments
                if one.content_id is not None and one.s3_key is not None and not one.blocked
            },
        )
    return presenters.mail(found).model_copy(update={"body": body, "html": html})


def attachment(
    deps: ApiDependencies, company: str, conversation_id: str, n: str, index: str
) -> views.Link:
    """Return a link to a file. Raises NotFound and AttachmentBlocked."""
    files = mail_of(deps.table, company, conversation_id, n).attachments
    if not _INDEX.fullmatch(index) or int(index) >= len(files):
        raise NotFound("index: attachment not found")
    file: AttachmentEntry = files[int(index)]
    if file.s3_key is None or file.blocked:
        raise AttachmentBlocked("index: the file may be harmful and is not served")
    if not objects.is_attachment(file.s3_key):
        raise NotFound("index: attachment not found")
    return views.Link(
        url=deps.bucket.link_to(file.s3_key, seconds=LINK_SECONDS), seconds=LINK_SECONDS
    )


def notes(table: Table, company: str, conversation_id: str, query: NumberedQuery) -> views.Notes:
    """Return a page of a thread's notes; a merged one has kept its own. Raises NotFound."""
    return notes_of(table, own_head_of(table, company, conversation_id), query)


def notes_of(table: Table, thread: Thread, query: NumberedQuery) -> views.Notes:
    """Return a page of the notes of a thread that was read."""
    numbers = _numbers(thread.note_count, query)
    found = stored_changes.notes(table, thread.conversation_id, numbers)
    shown = [views.NoteView(k=one.k, at=one.at, by=one.by, text=one.text) for one in found]
    return views.Notes(notes=shown, next_before=_next(numbers))


def changes(
    table: Table, company: str, conversation_id: str, query: NumberedQuery
) -> views.Changes:
    """Return a page of a thread's changes; a merged one has kept its own. Raises NotFound."""
    thread = own_head_of(table, company, conversation_id)
    numbers = _numbers(thread.audit_count, query)
    found = stored_changes.audit_entries(table, thread.conversation_id, numbers)
    fields = set(views.ChangeView.model_fields)
    shown = [views.ChangeView(**one.model_dump(include=fields)) for one in found]
    return views.Changes(changes=shown, next_before=_next(numbers))


def _list_of(company: str, query: ThreadsQuery) -> ThreadList:
    text = " ".join(query.q.casefold().split()) if query.q is not None else None
    if query.participant is not None:
        listed = ThreadList.of_participant(company, query.participant, mailbox=query.mailbox)
    else:
        status = query.status or Status.ACTIVE
        listed = ThreadList.of_status(company, status, mailbox=query.mailbox, text=text)
    filters = (query.mailbox, query.q, query.assigned_to, query.priority, query.tag)
    # Without filters nearly every row is shown; one more tells whether there is a next page.
    return listed if any(filters) else replace(listed, rows=query.limit + 1)


def _page(
    entries: Iterator[ListEntry], query: ThreadsQuery
) -> tuple[list[Thread], Attributes | None]:
    """Return the fitting threads of a page and the position after them, None at the end of the list."""
    found: dict[str, Thread] = {}
    position: Attributes | None = None
    pages = 0
    for compared, entry in enumerate(entries):
        if len(found) == query.limit or compared == MOST_COMPARED:
            return list(found.values()), position
        position, thread = entry.position, entry.thread
        if thread is not None and _fits(thread, query):
            found.setdefault(thread.conversation_id, thread)
        pages += entry.ends_page
        if pages == MOST_PAGES:
            return list(found.values()), position
    return list(found.values()), None


def _fits(thread: Thread, query: ThreadsQuery) -> bool:
    facts = thread.metadata
    text = " ".join(query.q.casefold().split()) if query.q is not None else ""
    return (
        query.mailbox in {None, thread.mailbox}
        and query.assigned_to in {None, facts.assigned_to}
        and query.priority in {None, facts.priority}
        and (query.tag is None or query.tag in facts.tags)
        and query.has_draft in {None, "1" if thread.open_drafts else "0"}
        and query.analysis_reason in {None, thread.ai_analysis and thread.ai_analysis.reason}
        and text in (thread.full_text_search or "")
    )


def mail_of(table: Table, company: str, conversation_id: str, n: str) -> Mail:
    """Return a mail of a thread. Raises NotFound."""
    thread = head_of(table, company, conversation_id)
    found = threads.mails(table, thread.conversation_id, [int(n)]) if _NUMBER.fullmatch(n) else []
    if not found:
        raise NotFound("n: mail not found")
    return found[0]


def _numbers(count: int, query: NumberedQuery) -> range:
    """Return the numbers of a page."""
    end = min(query.before or count + 1, count + 1)
    return range(max(1, end - query.limit), end)


def _next(numbers: range) -> int | None:
    """Return the `before` of the next page, None if this is the last one."""
    return numbers.start if numbers and numbers.start > 1 else None
