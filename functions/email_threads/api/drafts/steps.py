"""
Steps of people with a draft: approve, undo, withdraw, restore, reject, and resolve a send in doubt.

Each is a write of the draft, an audit entry and, to send, an event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.analysis.drafts import AI
from email_threads.api import changes
from email_threads.api.drafts import presenters, send_times, views
from email_threads.api.drafts.actions import TooManyDrafts
from email_threads.inbound.events import entry
from email_threads.replies import merged_drafts
from email_threads.replies.approval import review, schedule, second_answers, signatures
from email_threads.replies.draft_state import send_event
from email_threads.store import drafts
from email_threads.store.configuration import mailboxes
from email_threads.store.drafts import MOST_OPEN
from email_threads.store.items import Status
from email_threads.store.items.replies.draft import WAITING
from email_threads.threading.head.heads import with_status

if TYPE_CHECKING:
    from email_threads.api.drafts import inputs
    from email_threads.api.queries import ApiDependencies
    from email_threads.store.items import Draft, Thread
    from shared.api.routing.routes import Request

MOST_CLOSED: Final = MOST_OPEN  # rejected drafts that a thread names


def approve(
    deps: ApiDependencies, thread: Thread, draft: Draft, request: Request[inputs.ApproveInput]
) -> views.DraftState:
    """Approve a draft and queue its send for its time. Raises `review.Refused`, Unprocessable and NotEnqueued."""
    given, by = request.input, request.caller.principal
    is_first = draft.draft_status in WAITING and not given.confirm_stale
    if is_first and second_answers.is_by_another(deps.table, thread, draft, by):
        raise review.StaleDraft("another person has answered within the last minute")
    author = by if draft.origin == AI else draft.origin
    mailbox, signature = mailboxes.get_with_signature(
        deps.table, draft.mailbox, draft.company_id, author
    )
    approved = review.approve(
        deps.table,
        thread,
        draft,
        given.version,
        by=request.caller.principal,
        confirm_stale=given.confirm_stale,
        send_at=send_times.time_of(deps.table, thread, draft, mailbox, given),
        signature=signatures.text_of(mailbox, signature) if mailbox is not None else None,
    )
    detail = f"{draft.reply_id} version={approved.version} attempt={approved.attempt}"
    changes.record(deps.table, thread, request, lambda _: {}, f"approve {detail}", is_marked=True)
    queues = schedule.SendQueues(table=deps.table, now=deps.queue, delayed=deps.delayed)
    schedule.queue(queues, approved, cause=request.cause)
    return presenters.state(approved)


def undo(
    deps: ApiDependencies, thread: Thread, draft: Draft, request: Request[inputs.VersionInput]
) -> views.DraftState:
    """Stop the send of an approved draft, which waits for a person again. Raises `review.Refused`."""
    undone = review.undo(deps.table, draft, request.input.version, by=request.caller.principal)
    changes.record(deps.table, thread, request, lambda _: {}, f"undo {draft.reply_id}")
    return presenters.state(undone)


def withdraw(
    deps: ApiDependencies, thread: Thread, draft: Draft, request: Request[inputs.VersionInput]
) -> views.DraftState:
    """Close a draft of the caller. Raises `review.Refused` and `review.NotTheAuthor`."""
    closed = review.withdraw(deps.table, draft, request.input.version, by=request.caller.principal)
    return _closed(deps, thread, closed, request, "withdraw")


def restore(
    deps: ApiDependencies, thread: Thread, draft: Draft, request: Request[inputs.VersionInput]
) -> views.DraftState:
    """
    Let a rejected draft wait for a person again, in the thread that has the mail which it answers.

    Raises `review.Refused`, TooManyDrafts and Transient.
    """
    if drafts.count_open(deps.table, thread) >= MOST_OPEN:
        raise TooManyDrafts(f"the thread has {MOST_OPEN} open drafts")
    present = merged_drafts.where_moved(deps.table, draft)  # if an earlier call was cut off
    restored = review.restore(deps.table, present, request.input.version)
    restored = merged_drafts.follow(deps.table, restored)
    drafts.list_in_thread(deps.table, restored)
    changes.record(
        deps.table,
        thread,
        request,
        lambda present: _reopened(present, draft),
        f"restore {draft.reply_id}",
    )
    return presenters.state(restored)


def reject(
    deps: ApiDependencies, thread: Thread, draft: Draft, request: Request[inputs.RejectInput]
) -> views.DraftState:
    """Close a draft; a thread that it should have begun is archived. Raises `review.Refused`."""
    given = request.input
    rejected = review.reject(
        deps.table, draft, given.version, by=request.caller.principal, reason=given.reason
    )
    return _closed(deps, thread, rejected, request, "reject")


def resolve(
    deps: ApiDependencies, thread: Thread, draft: Draft, request: Request[inputs.ResolveInput]
) -> views.DraftState:
    """Record whether an unknown send has arrived; an arrived one is shown in its thread. Raises `review.Refused`."""
    given = request.input
    resolved = review.resolve(
        deps.table,
        draft,
        given.version,
        by=request.caller.principal,
        has_arrived=given.arrived,
    )
    words = f"resolve {draft.reply_id} {'arrived' if given.arrived else 'not_arrived'}"
    changes.record(deps.table, thread, request, lambda _: {}, words)
    if given.arrived:
        deps.queue.send([entry(send_event(resolved, cause=request.cause))])
    return presenters.state(resolved)


def _closed(
    deps: ApiDependencies, thread: Thread, draft: Draft, request: Request[Any], action: str
) -> views.DraftState:
    """Take a closed draft out of its thread, which names it among the newest closed ones."""
    drafts.unlist_in_thread(deps.table, draft)
    changes.record(
        deps.table,
        thread,
        request,
        lambda present: _without(present, draft),
        f"{action} {draft.reply_id}",
    )
    return presenters.state(draft)


def _without(thread: Thread, draft: Draft) -> dict[str, Any]:
    """Return the changes of a thread whose draft was closed: a thread that it should have begun is archived."""
    others = [one for one in thread.closed_drafts if one != draft.reply_id]
    fields: dict[str, Any] = {"closed_drafts": [*others, draft.reply_id][-MOST_CLOSED:]}
    if thread.email_count or thread.status is Status.ARCHIVED:
        return fields
    return fields | with_status(thread, Status.ARCHIVED)


def _reopened(thread: Thread, draft: Draft) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "closed_drafts": [one for one in thread.closed_drafts if one != draft.reply_id]
    }
    if thread.email_count or thread.status is not Status.ARCHIVED:
        return fields
    return fields | with_status(thread, Status.ACTIVE)
