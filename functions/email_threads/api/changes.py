"""Changes threads, writes notes, and requests merges and analyses. Every change has an author."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

from email_threads.analysis import drafts as drafts_of_models
from email_threads.api import views
from email_threads.api.queries import head_of
from email_threads.inbound.events import EmailAnalyse, entry
from email_threads.store import changes, drafts
from email_threads.store.changes import Change
from email_threads.store.configuration import mailboxes
from email_threads.store.items import Automation, Draft, Status, Thread
from email_threads.store.items.threads.follow_up import Reminder
from email_threads.threading.head.follow_up import closing_of
from email_threads.threading.head.heads import touched, with_status
from shared.api.errors import InvalidInput
from shared.api.models.agent_inputs import end_of_snooze
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from email_threads.api.inputs import NoteInput, ThreadChange
    from email_threads.api.queries import ApiDependencies
    from shared.api.models.inputs import NoInput
    from shared.api.routing.routes import Request
    from shared.aws.dynamodb import Table
    from shared.policy.business_hours import BusinessHours

TRIES: Final = 8
MOST_TAGS: Final = 20
_CAUSE_CHARACTERS: Final = 20  # 80 bits
_OPEN: Final = frozenset({Status.ACTIVE, Status.PENDING_INFO})
_NEXT: Final = {
    Status.ACTIVE: {Status.PENDING_INFO, Status.COMPLETED, Status.ARCHIVED},
    Status.PENDING_INFO: {Status.ACTIVE, Status.COMPLETED, Status.ARCHIVED},
    Status.COMPLETED: {Status.ACTIVE, Status.ARCHIVED},
    Status.ARCHIVED: {Status.ACTIVE},
}


class Conflict(Exception):
    """The thread has another `last_seq` than expected."""


class InvalidTransition(Exception):
    """The status cannot follow the present one."""


def change(table: Table, thread: Thread, request: Request[ThreadChange]) -> views.Changed:
    """Change a thread. Raises Conflict, InvalidTransition, InvalidInput and Transient."""
    given = request.input
    changed = record(
        table, thread, request, lambda present: fields_of(table, present, given), _words(given)
    )
    if given.automation not in {None, Automation.EMAIL_THREADS}:
        reason = drafts_of_models.OTHER_AUTOMATION
        drafts_of_models.supersede(table, thread, reason=reason)
    return changed


def archive(table: Table, thread: Thread, request: Request[NoInput]) -> views.Changed:
    """Archive a thread. Raises Transient."""
    return record(
        table, thread, request, lambda present: _status(present, Status.ARCHIVED), "archive"
    )


def request_analysis(
    deps: ApiDependencies, thread: Thread, request: Request[NoInput]
) -> views.Requested:
    """Queue another analysis of the newest mail of the customer. Raises InvalidInput and NotEnqueued."""
    if thread.last_inbound_n is None:
        raise _invalid("conversation_id", "the thread has no mail of a customer")
    event = EmailAnalyse(
        conversation_id=thread.conversation_id, n=thread.last_inbound_n, cause=cause_of(request)
    )
    deps.queue.send([entry(event)])
    return views.Requested(conversation_id=thread.conversation_id, n=thread.last_inbound_n)


def add_note(table: Table, thread: Thread, request: Request[NoteInput]) -> views.WrittenNote:
    """Write an internal note about a thread. Raises NotFound and Transient."""
    cause = cause_of(request)
    for _ in range(TRIES):
        if thread.last_cause == cause:
            return views.WrittenNote(k=thread.note_count, last_seq=thread.seq)
        after = changes.add_note(
            table,
            thread,
            text=request.input.text,
            at=clock.to_text(clock.now_ms()),
            by=request.caller.principal,
            cause=cause,
            touched=touched(thread),
        )
        if after is not None:
            return views.WrittenNote(k=after.note_count, last_seq=after.seq)
        thread = head_of(table, thread.company_id, thread.conversation_id)
    raise Transient("thread_contended")


def record(
    table: Table,
    thread: Thread,
    request: Request[Any],
    values_of: Callable[[Thread], dict[str, Any]],
    action: str,
    *,
    is_marked: bool = False,
    draft: Draft | None = None,
) -> views.Changed:
    """
    Write a change of a thread and its audit entry, once per call. *action* is a word, then codes and ids.

    *is_marked*: a repeat is also recognised after other changes, as long as the head names the entry. *draft* is a new
    one that is stored with the change. Raises Conflict, Transient, and what *values_of* raises.
    """
    cause = cause_of(request)
    expected = getattr(request.input, "expected_seq", None)
    for _ in range(TRIES):
        # The call has made the change, and died before its answer was stored.
        if thread.has_made(cause) or (draft is not None and _is_stored(table, thread, draft)):
            return _changed(thread)
        if expected not in {None, thread.seq}:
            raise Conflict("expected_seq: the thread has changed")
        made = Change(
            fields=values_of(thread) | touched(thread),
            at=clock.to_text(clock.now_ms()),
            actor=request.caller.principal,
            action=action.partition(" ")[0],
            detail=action.partition(" ")[2] or None,
            cause=cause,
            is_marked=is_marked,
        )
        after = changes.change(table, thread, made, draft)
        if after is not None:
            return _changed(after)
        thread = head_of(table, thread.company_id, thread.conversation_id)
    raise Transient("thread_contended")


def _is_stored(table: Table, thread: Thread, draft: Draft) -> bool:
    """Whether a draft of the thread exists. Raises Transient if its thread has become part of this one."""
    if draft.thread != thread.conversation_id:
        raise Transient("thread_contended")
    return drafts.get(table, draft.thread, draft.reply_id) is not None


def fields_of(table: Table, thread: Thread, given: ThreadChange) -> dict[str, Any]:
    """Return the new values of the head. Raises InvalidTransition and InvalidInput."""
    named = given.model_fields_set
    fields: dict[str, Any] = {}
    if given.status is not None and given.status is not thread.status:
        fields |= _of_status(table, thread, given.status)
    if given.automation is not None:
        fields["automation"] = given.automation
    after = fields.get("status", thread.status)
    if "snoozed_until" in named:
        fields["snoozed_until"] = _later(thread, after, "snoozed_until", given.snoozed_until)
    if "remind_at" in named:
        remind_at = _later(thread, after, "remind_at", given.remind_at)
        fields["reminder"] = Reminder(remind_at=remind_at) if remind_at is not None else None
    if "reply_mode" in named:
        fields["reply_mode"] = given.reply_mode
    if "gdpr_consent" in named:
        fields["gdpr_consent"] = given.gdpr_consent
    facts: dict[str, Any] = {
        name: getattr(given, name) for name in ("assigned_to", "priority") if name in named
    }
    if given.add_tags or given.remove_tags:
        tags = (thread.metadata.tags | set(given.add_tags)) - set(given.remove_tags)
        if len(tags) > MOST_TAGS:
            raise _invalid("add_tags", f"a thread has at most {MOST_TAGS} tags")
        facts["tags"] = tags
    if facts:
        fields["metadata"] = thread.metadata.model_copy(update=facts)
    return fields


def _later(thread: Thread, status: Status, field: str, at: datetime | None) -> str | None:
    """
    Return the end of a snooze, or the time of a reminder, of a thread with this status; None ends one.

    Raises InvalidTransition and InvalidInput.
    """
    if at is None:
        return None
    if status not in _OPEN:
        raise InvalidTransition(f"{field}: a thread that is {status} has none")
    return end_of_snooze(
        field,
        at,
        now=clock.to_text(clock.now_ms()),
        deleted_at=int(touched(thread)["ttl"]),
    )


def _of_status(table: Table, thread: Thread, status: Status) -> dict[str, Any]:
    """Return the values that a new status changes, with the settings of the mailbox. Raises InvalidTransition."""
    if status is Status.PENDING_INFO:
        return _status(thread, status) | {"closes_at": _closing_of(table, thread)}
    hours = mailboxes.hours_of(table, thread) if status is Status.ACTIVE else None
    return _status(thread, status, hours)


def _closing_of(table: Table, thread: Thread) -> str | None:
    """Return when a thread closes that waits for information from now on."""
    mailbox = mailboxes.get(table, thread.mailbox)
    is_own = mailbox is not None and mailbox.company_id == thread.company_id
    days = mailbox.auto_close_days if mailbox is not None and is_own else None
    return closing_of(clock.to_text(clock.now_ms()), days)


def _status(thread: Thread, status: Status, hours: BusinessHours | None = None) -> dict[str, Any]:
    """Return the values that a new status changes. Raises InvalidTransition."""
    if status not in _NEXT[thread.status]:
        raise InvalidTransition(f"status: {thread.status} cannot become {status}")
    return with_status(thread, status, hours)


def _words(given: ThreadChange) -> str:
    """Describe a change for the record: names of fields, and the values that are codes."""
    names = sorted(given.model_fields_set - {"expected_seq"})
    coded = {
        "status": given.status,
        "priority": given.priority,
        "automation": given.automation,
        "reply_mode": given.reply_mode,
        "snoozed_until": given.snoozed_until and f"{given.snoozed_until.astimezone(UTC):%FT%TZ}",
        "remind_at": given.remind_at and f"{given.remind_at.astimezone(UTC):%FT%TZ}",
    }
    words = [f"{name}={coded[name]}" if coded.get(name) else name for name in names]
    return f"change {' '.join(words)}"


def _changed(thread: Thread) -> views.Changed:
    return views.Changed(
        conversation_id=thread.conversation_id, last_seq=thread.seq, status=thread.status
    )


def cause_of(request: Request[Any]) -> str:
    """Return a hash of the call and its content: a key may be used for another call after its answer has expired."""
    return digest(request.cause, request.input.model_dump_json())[:_CAUSE_CHARACTERS]


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])
