"""People who named a thread and may not join it: they wait in a thread of their own, until a person decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from email_threads.api import changes, presenters, views
from email_threads.api.queries import NotFound, head_of
from email_threads.inbound.events import EmailMerge, entry
from email_threads.store import threads
from email_threads.store.configuration import mailboxes
from email_threads.store.items import Status
from email_threads.threading.head.heads import with_status

if TYPE_CHECKING:
    from email_threads.api.queries import ApiDependencies
    from email_threads.store.items import Thread
    from shared.api.models.inputs import NoInput
    from shared.api.routing.routes import Request
    from shared.aws.dynamodb import Table


def thread_view(table: Table, thread: Thread) -> views.ThreadView:
    """Show a whole thread with the requests to join it that are still open."""
    found = threads.get_many(table, sorted(thread.join_requests)) if thread.join_requests else {}
    waiting = [
        one
        for one in found.values()
        if one.company_id == thread.company_id and one.merged_into is None
    ]
    return presenters.thread_view(thread, waiting)


def admit(
    deps: ApiDependencies, request: Request[NoInput], conversation_id: str, joining: str
) -> views.Joining:
    """
    Let the people of the thread *joining* take part in another one: their mails become part of it.

    Idempotent. Raises NotFound, Transient and NotEnqueued.
    """
    thread, asking = requested(deps.table, request.caller.company, conversation_id, joining)
    if asking.merged_into is None:
        changes.record(
            deps.table,
            thread,
            request,
            lambda present: _with_waiting(deps.table, present, asking),
            f"admit_thread {joining}",
        )
        merge = EmailMerge(loser=joining, winner=thread.conversation_id)
        deps.queue.send([entry(merge)])
    return views.Joining(conversation_id=thread.conversation_id, joining=joining, admitted=True)


def decline(
    deps: ApiDependencies, request: Request[NoInput], conversation_id: str, joining: str
) -> views.Joining:
    """Remove a request to join a thread; the thread of its author stays. Idempotent. Raises NotFound and Transient."""
    thread, _ = requested(deps.table, request.caller.company, conversation_id, joining)
    changes.record(deps.table, thread, request, lambda _: {}, f"decline_thread {joining}")
    threads.forget_join_request(deps.table, thread.conversation_id, joining)
    return views.Joining(conversation_id=thread.conversation_id, joining=joining, admitted=False)


def requested(
    table: Table, company: str, conversation_id: str, joining: str
) -> tuple[Thread, Thread]:
    """Return a thread, and the one that asks to join it or has joined it already. Raises NotFound."""
    thread = head_of(table, company, conversation_id)
    has_asked = joining in thread.join_requests or joining in thread.merged_from
    asking = threads.get(table, joining) if has_asked else None
    if asking is None or asking.company_id != company:
        raise NotFound("joining: the thread has no such request")
    return thread, asking


def _with_waiting(table: Table, thread: Thread, asking: Thread) -> dict[str, Any]:
    """Return the changes of a thread that becomes open again: the customer of the joining one waits."""
    is_open = thread.status in {Status.ACTIVE, Status.PENDING_INFO}
    since = [one for one in (thread.waiting_since, asking.waiting_since) if one is not None]
    hours = mailboxes.hours_of(table, thread)
    fields: dict[str, Any] = {} if is_open else with_status(thread, Status.ACTIVE, hours)
    return fields | {"waiting_since": min(since, default=None)}
