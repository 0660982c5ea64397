"""Use cases of drafts: lists, composing and amending. Each change is a write of the draft and an audit entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.api import changes
from email_threads.api.drafts import files, inputs, presenters, texts, views
from email_threads.api.queries import NotFound, head_of
from email_threads.parsing.kinds import Kind
from email_threads.replies import composition, recipients
from email_threads.replies.approval import review
from email_threads.replies.composition import Composed
from email_threads.store import drafts, threads
from email_threads.store.configuration import mailboxes
from email_threads.store.drafts import MOST_OPEN
from email_threads.store.items import DraftKind, DraftStatus
from email_threads.store.items.replies.draft import FINAL
from shared.api.cursors import Listing, Page
from shared.api.errors import InvalidInput, Unprocessable

if TYPE_CHECKING:
    from email_threads.api.queries import ApiDependencies
    from email_threads.store.items import Draft, DraftFile, Mail, Thread
    from shared.api.routing.routes import Request
    from shared.aws.dynamodb import Attributes, Table

_ROWS: Final = 50
MOST_ROWS: Final = 1_000  # read in a call


class TooManyDrafts(Exception):
    """The thread has as many open drafts as it may have."""


def listed(
    deps: ApiDependencies, request: Request[inputs.ThreadDraftsQuery], conversation_id: str
) -> views.Drafts:
    """Return the drafts of a thread that are not final, or the newest rejected ones. Raises NotFound."""
    thread = head_of(deps.table, request.caller.company, conversation_id)
    return drafts_of(deps.table, thread, request.input)


def drafts_of(table: Table, thread: Thread, query: inputs.ThreadDraftsQuery) -> views.Drafts:
    """Return the drafts of a thread that was read."""
    found = _rejected(table, thread) if query.closed == "1" else drafts.open_of(table, thread)
    return views.Drafts(drafts=[presenters.draft(one, thread, found) for one in found])


def _rejected(table: Table, thread: Thread) -> list[Draft]:
    """Return the newest rejected drafts of a thread and of those that are part of it, newest change first."""
    parts = threads.get_many(table, sorted(thread.merged_from)) if thread.merged_from else {}
    closed = [
        draft
        for one in (thread, *parts.values())
        for draft in drafts.get_many(table, one.conversation_id, one.closed_drafts)
        if draft.draft_status is DraftStatus.REJECTED
    ]
    return sorted(closed, key=lambda draft: draft.updated_at, reverse=True)


def waiting(deps: ApiDependencies, request: Request[inputs.DraftsQuery]) -> Page[views.Drafts]:
    """
    Return a page of the company's drafts that wait for a person. Raises InvalidCursor.

    Reads MOST_ROWS rows at most, so a page of one mailbox may be short.
    """
    company, query = request.caller.company, request.input
    listing = Listing(company, "drafts", (f"mailbox={query.mailbox or ''}",))
    # Without a filter nearly every row is shown.
    rows_at_once = _ROWS if query.mailbox is not None else query.limit
    position: Attributes | None = None
    if query.cursor is not None:
        position = listing.position(deps.seal, query.cursor)
    found: list[Draft] = []
    for _ in range(MOST_ROWS // _ROWS):
        rows, last = drafts.waiting(
            deps.table, company, limit=rows_at_once, mailbox=query.mailbox, start=position
        )
        taken = rows[: query.limit - len(found)]
        found += [draft for _, draft in taken]
        position = taken[-1][0] if len(taken) < len(rows) else last
        if position is None or len(found) == query.limit:
            break
    shown = views.Drafts(drafts=[presenters.draft(one) for one in found])
    return Page(shown, listing.cursor(deps.seal, position) if position is not None else None)


def one(
    deps: ApiDependencies, company: str, conversation_id: str, reply_id: str
) -> views.DraftView:
    """Return a draft, also a final one. Raises NotFound."""
    thread, draft = of_thread(deps, company, conversation_id, reply_id)
    return presenters.draft(draft, thread)


def of_thread(
    deps: ApiDependencies, company: str, conversation_id: str, reply_id: str
) -> tuple[Thread, Draft]:
    """
    Return a thread of the company and a draft of it. Raises NotFound.

    For a merged thread returns the thread that it became part of; a draft that was being sent during the merge has
    stayed.
    """
    thread = head_of(deps.table, company, conversation_id)
    places = dict.fromkeys((thread.conversation_id, conversation_id)) if reply_id else ()
    found = (drafts.get(deps.table, place, reply_id) for place in places)
    draft = next((one for one in found if one is not None), None)
    if draft is None:
        raise NotFound("reply_id: draft not found")
    return thread, draft


def compose(
    deps: ApiDependencies, thread: Thread, request: Request[inputs.ReplyInput]
) -> views.DraftState:
    """Store a draft of an answer or a forward. Raises InvalidInput, Unprocessable and TooManyDrafts."""
    earlier = None
    if request.input.canned_reply is not None:
        # The call was cut off: the canned reply may have changed since then.
        reply_id = composition.reply_id_of(request.cause)
        earlier = drafts.get(deps.table, thread.conversation_id, reply_id)
    draft = earlier or written(
        deps, thread, request.input, by=request.caller.principal, cause=request.cause
    )
    check_room(deps, thread, draft)
    return _stored(deps, thread, draft, request)


def check_room(deps: ApiDependencies, thread: Thread, draft: Draft) -> None:
    """Raise TooManyDrafts if a new draft of the thread would be one too many."""
    is_new = draft.reply_id not in thread.open_drafts
    if is_new and drafts.count_open(deps.table, thread) >= MOST_OPEN:
        raise TooManyDrafts(f"the thread has {MOST_OPEN} open drafts")


def written(
    deps: ApiDependencies, thread: Thread, given: inputs.ReplyInput, *, by: str, cause: str
) -> Draft:
    """Return the draft of an answer or a forward, not stored yet. Raises InvalidInput and Unprocessable."""
    if given.kind == "forward" and given.to is None:
        raise Unprocessable([{"field": "to", "problem": "a forward needs a recipient"}])
    mail = _mail(deps, thread, given.n)
    composed = Composed(
        kind=DraftKind(given.kind),
        by=by,
        cause=cause,
        body_text=texts.text_of(deps.canned, thread.company_id, given),
        to=given.to or [],
        cc=given.cc if given.cc is not None else _copies(deps, mail, given),
        bcc=given.bcc,
        subject=given.subject,
        files=files.files_of(deps, thread, given.attachments, _forwarded(mail, given)),
    )
    is_forward = composed.kind is DraftKind.FORWARD
    draft = composition.draft_of(thread, _whole(deps, mail) if is_forward else mail, composed)
    inputs.check_recipients(draft.to, draft.cc, draft.bcc)
    return draft


def begin(deps: ApiDependencies, request: Request[inputs.NewMailInput]) -> views.DraftState:
    """Store a draft of a mail that begins a thread, and the thread. Raises InvalidInput and Unprocessable."""
    given, company = request.input, request.caller.company
    inputs.check_recipients(given.to, given.cc, given.bcc)
    mailbox = mailboxes.get(deps.table, given.mailbox)
    if mailbox is None or mailbox.company_id != company or not mailbox.enabled:
        raise _invalid("mailbox", "is not an enabled mailbox of the company")
    composed = Composed(
        kind=DraftKind.NEW,
        by=request.caller.principal,
        cause=request.cause,
        body_text=given.body_text,
        to=given.to,
        cc=given.cc,
        bcc=given.bcc,
        subject=given.subject,
    )
    fresh = composition.thread_of(mailbox, composed)
    threads.create(deps.table, fresh)
    threads.put_expiry(deps.table, fresh)
    thread = head_of(deps.table, company, fresh.conversation_id)
    return _stored(deps, thread, composition.draft_of(thread, None, composed), request)


def amend(
    deps: ApiDependencies, thread: Thread, draft: Draft, request: Request[inputs.AmendInput]
) -> views.DraftState:
    """Change a draft. Raises `review.Refused` and InvalidInput."""
    given = request.input
    named = given.model_fields_set - {"version", "attachments"}
    new: dict[str, Any] = {name: getattr(given, name) for name in sorted(named)}
    if given.attachments is not None:
        new["attachments"] = files.amended(deps, thread, given.attachments, draft.attachments)
    if named & {"to", "cc", "bcc"}:
        everyone = (new.get(name, getattr(draft, name)) for name in ("to", "cc", "bcc"))
        inputs.check_recipients(*everyone)
    amended = review.amend(deps.table, draft, given.version, new)
    changes.record(deps.table, thread, request, lambda _: {}, f"amend {draft.reply_id}")
    return presenters.state(amended)


def _stored(
    deps: ApiDependencies, thread: Thread, draft: Draft, request: Request[Any]
) -> views.DraftState:
    """Store a new draft. A repeated call finds the first one's."""
    drafts.create(deps.table, draft)
    kept = drafts.get(deps.table, draft.thread, draft.reply_id) or draft
    if kept.draft_status not in FINAL:
        drafts.list_in_thread(deps.table, kept)
    changes.record(
        deps.table, thread, request, lambda _: {}, f"compose {draft.kind} {draft.reply_id}"
    )
    return presenters.state(kept)


def _mail(deps: ApiDependencies, thread: Thread, n: int | None) -> Mail:
    """Return the mail that a draft answers. Raises InvalidInput."""
    number = n or thread.last_inbound_n
    found = threads.mails(deps.table, thread.conversation_id, [number]) if number else []
    if not found:
        raise _invalid("n", "the thread has no such mail")
    if found[0].kind is Kind.HELD:
        raise _invalid("n", "the mail is held: it failed a check, or is a verification mail")
    if found[0].is_withheld:
        raise _invalid("n", "the evidence of the mail is weak: admit it first")
    return found[0]


def _whole(deps: ApiDependencies, mail: Mail) -> Mail:
    """Return a mail with its whole text; a long text is in the bucket."""
    if mail.body_key is None:
        return mail
    return mail.model_copy(update={"body": deps.bucket.get(mail.body_key).decode()})


def _copies(deps: ApiDependencies, mail: Mail, given: inputs.ReplyInput) -> list[str]:
    """Return the Cc of an answer that names none: the Cc of the customer's mail."""
    if given.kind == "forward" or given.to is not None:
        return []
    return recipients.copies_of(deps.table, mail)


def _forwarded(mail: Mail, given: inputs.ReplyInput) -> list[DraftFile]:
    """Return the files of a forwarded mail that may be sent on."""
    if given.kind != "forward":
        return []
    return presenters.files_of_mail(mail)


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])
