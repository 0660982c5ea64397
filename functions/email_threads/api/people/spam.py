"""Marks a thread as spam, which blocks its sender at its mailbox, and undoes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from email_threads.api import changes, views
from email_threads.api.mailboxes.settings import mailbox_of
from email_threads.store.configuration import mailboxes
from email_threads.store.items import Status
from email_threads.store.items.threads.thread import SPAM
from email_threads.threading.head.heads import with_status
from shared.api.errors import InvalidInput
from shared.identity.addresses import without_label

if TYPE_CHECKING:
    from email_threads.api.queries import ApiDependencies
    from email_threads.store.items import Thread
    from shared.api.models.inputs import NoInput
    from shared.api.routing.routes import Request
    from shared.policy.business_hours import BusinessHours


class DomainBlocked(Exception):
    """The settings of the mailbox block all senders of a domain."""


def mark(deps: ApiDependencies, thread: Thread, request: Request[NoInput]) -> views.Changed:
    """
    Block the sender of a thread and archive it. Idempotent.

    Raises InvalidInput without an outside sender, NotFound without its mailbox, `mailboxes.TooMany` and Transient.
    """
    sender = _sender(thread)
    mailbox = mailbox_of(deps.table, thread.company_id, thread.mailbox)
    mailboxes.block(deps.table, mailbox, sender)
    return changes.record(deps.table, thread, request, _as_spam, "spam")


def unmark(deps: ApiDependencies, thread: Thread, request: Request[NoInput]) -> views.Changed:
    """
    Receive mail of the sender of a thread again, and open the thread. Idempotent.

    Raises as `mark` does, and DomainBlocked: one customer's thread does not unblock a whole domain.
    """
    sender = _sender(thread)
    mailbox = mailbox_of(deps.table, thread.company_id, thread.mailbox)
    if f"@{sender.rpartition('@')[2]}" in mailbox.blocked_senders:
        raise DomainBlocked("conversation_id: the mailbox blocks the whole domain of the sender")
    mailboxes.unblock(deps.table, mailbox, {sender, without_label(sender)})
    hours = mailbox.business_hours
    return changes.record(
        deps.table, thread, request, lambda present: _as_wanted(present, hours), "not_spam"
    )


def _sender(thread: Thread) -> str:
    if thread.participant is None:
        raise InvalidInput([{"field": "conversation_id", "problem": "the thread has no sender"}])
    return thread.participant


def _as_spam(thread: Thread) -> dict[str, Any]:
    facts = thread.metadata.model_copy(update={"tags": thread.metadata.tags | {SPAM}})
    is_archived = thread.status is Status.ARCHIVED
    return {"metadata": facts} | ({} if is_archived else with_status(thread, Status.ARCHIVED))


def _as_wanted(thread: Thread, hours: BusinessHours | None) -> dict[str, Any]:
    if SPAM not in thread.metadata.tags:
        return {}
    facts = thread.metadata.model_copy(update={"tags": thread.metadata.tags - {SPAM}})
    is_archived = thread.status is Status.ARCHIVED
    active = with_status(thread, Status.ACTIVE, hours) if is_archived else {}
    return {"metadata": facts} | active
