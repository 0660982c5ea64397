"""
Does what is due in a thread: the alarm before a breach of a target, the breach, a reminder, the end of an answered one,
the question how satisfied the customer is.

    1 thread       read with its deadline                        gone or without a time: the deadline is removed
    2 transaction  the head notes what happens, with an entry    killed: nothing, or done: then it is not due any more
                   in the record of changes, the next deadline,
                   and the count of a breach; a question is a draft
                   with its scheduled send

One step is made after the other until nothing is due. The inbox shows the head, and its feed sends hints to open
consoles. So each step is made once, however often the deadline is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from email_threads.replies import satisfaction
from email_threads.store import changes, drafts, threads
from email_threads.store.changes import Change
from email_threads.store.configuration import mailboxes
from email_threads.store.deadlines import service_levels
from email_threads.store.items import Status
from email_threads.store.items.replies.draft import SATISFACTION
from email_threads.threading.head import service_level
from email_threads.threading.head.heads import touched, with_status
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from email_threads.inbound.events import EmailDue
    from email_threads.store.items import Draft, Mailbox, Thread
    from shared.aws.dynamodb import Table

SERVICE_LEVEL: Final = "service_level"
REMINDER: Final = "reminder"
AUTO_CLOSE: Final = "auto_close"
ACTORS: Final = {
    SERVICE_LEVEL: "service-level",
    REMINDER: "reminder",
    AUTO_CLOSE: "auto-close",
    SATISFACTION: "satisfaction",
}
TRIES: Final = 8
_DAY_MS: Final = clock.DAY_SECONDS * clock.SECOND_MS


def look(table: Table, event: EmailDue) -> bool:
    """
    Make the changes of a thread whose time has come. Idempotent. False if there are none.

    Raises Transient after eight lost races.
    """
    is_changed = False
    for _ in range(TRIES):
        deadline = service_levels.deadline_of(table, event.conversation_id)
        if deadline is None:
            return is_changed
        thread = threads.get(table, event.conversation_id)
        now = clock.to_text(clock.now_ms())
        made = _change_of(table, thread, now) if thread is not None else None
        if thread is not None and made is not None:
            is_changed |= changes.change(table, thread, *made) is not None
            continue
        look_at = _next_look(thread, now) if thread is not None else None
        if look_at != deadline.look_at:
            service_levels.replace(table, deadline, look_at)
        return is_changed
    raise Transient("thread_contended")


def _next_look(thread: Thread, now: str) -> str | None:
    """Return the next time of a thread in which nothing can be done now: an end that drafts defer is due tomorrow."""
    look_at = service_levels.next_look(thread)
    if look_at is None or look_at > now:
        return look_at
    tomorrow = clock.to_text(clock.from_text(now) + _DAY_MS)
    return min(tomorrow, service_levels.next_look(thread, closes=False) or tomorrow)


def _change_of(table: Table, thread: Thread, now: str) -> tuple[Change, Draft | None] | None:
    """Return the next change of a thread that is due, and the draft that it sends; None without any."""
    ask_at = service_levels.asking_at(thread)
    if ask_at is not None and ask_at <= now:
        return _asked(table, thread, now)
    made = _due_of(table, thread, now)
    return (made, None) if made is not None else None


def _due_of(table: Table, thread: Thread, now: str) -> Change | None:
    if (made := _missed(thread, now)) is not None:
        return made
    remind_at, closes_at = service_levels.reminding_at(thread), service_levels.closing_at(thread)
    if remind_at is not None and remind_at <= now:
        return _reminded(table, thread, now)
    if closes_at is not None and closes_at <= now:
        return _closed(table, thread, now)
    return None


def _missed(thread: Thread, now: str) -> Change | None:
    """Return the change of a thread by alarms and breaches that are due. It moves it in no list."""
    if thread.service_level is None or not service_levels.running(thread):
        return None
    level, happened = service_level.looked_at(thread.service_level, now)
    if not happened:
        return None
    words = " ".join(happened)
    return _made(
        thread, now, SERVICE_LEVEL, {SERVICE_LEVEL: level}, detail=words, mark=str(level.round)
    )


def _reminded(table: Table, thread: Thread, now: str) -> Change | None:
    """Return the change of a thread whose customer has not answered: people have to follow up."""
    if thread.reminder is None:
        return None
    is_active = thread.status is Status.ACTIVE
    hours = mailboxes.hours_of(table, thread)
    fields = {
        **({} if is_active else with_status(thread, Status.ACTIVE, hours)),
        "reminder": thread.reminder.model_copy(update={"given_at": now}),
        "closes_at": None,
        "snoozed_until": None,
        **touched(thread),
    }
    return _made(thread, now, REMINDER, fields, mark=thread.reminder.remind_at)


def _closed(table: Table, thread: Thread, now: str) -> Change | None:
    """
    Return the change that completes an answered thread, or keeps it open if its mailbox closes none any more.

    None while a draft is open: people, or its send, still work on the thread.
    """
    mailbox = _mailbox_of(table, thread)
    if mailbox is None or mailbox.auto_close_days is None:
        return _made(
            thread, now, AUTO_CLOSE, {"closes_at": None}, detail="off", mark=str(thread.closes_at)
        )
    if drafts.open_of(table, thread):
        return None
    fields = with_status(thread, Status.COMPLETED) | touched(thread)
    days = f"days={mailbox.auto_close_days}"
    return _made(thread, now, AUTO_CLOSE, fields, detail=days, mark=str(thread.closes_at))


def _asked(table: Table, thread: Thread, now: str) -> tuple[Change, Draft | None]:
    """Return the change that asks the customer of a completed thread, and its draft, or drops the question."""
    found, newest = thread.satisfaction, None
    reason = satisfaction.refusal(thread, _mailbox_of(table, thread))
    if reason is None:
        numbers = [thread.last_inbound_n or 0]
        newest = next(iter(threads.mails(table, thread.conversation_id, numbers)), None)
        reason = satisfaction.refusal_of(thread, newest)
    draft = (
        satisfaction.draft_of(thread, newest, now) if newest is not None and not reason else None
    )
    mark = str(found.ask_at) if found is not None else now
    fields: dict[str, Any] = {SATISFACTION: None}
    if found is not None:
        asked_at = now if draft is not None else None
        fields[SATISFACTION] = found.model_copy(update={"ask_at": None, "asked_at": asked_at})
    if draft is not None:
        fields["open_drafts"] = thread.open_drafts | {draft.reply_id}
    return _made(thread, now, SATISFACTION, fields, detail=reason, mark=mark), draft


def _mailbox_of(table: Table, thread: Thread) -> Mailbox | None:
    found = mailboxes.get(table, thread.mailbox)
    return found if found is not None and found.company_id == thread.company_id else None


def _made(
    thread: Thread,
    at: str,
    action: str,
    fields: dict[str, Any],
    *,
    detail: str | None = None,
    mark: str,
) -> Change:
    actor = ACTORS[action]
    return Change(
        fields=fields,
        at=at,
        actor=actor,
        action=action,
        detail=detail,
        cause=digest(actor, thread.conversation_id, mark, detail or "")[:20],
    )
