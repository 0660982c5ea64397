"""
When a thread without an answer of the customer is closed, and when a person is reminded of it. Pure.

    our mail                 an open thread closes after the days of its mailbox; a given reminder has been followed up
    customer's mail          nothing closes, no reminder
    waits for information    closes after the days of its mailbox (`closing_of`)
    completed, archived      neither; the time is kept: it decides whether later mail reopens the thread
    reminder is given        the thread is active, and closes after our next mail only

A snooze and a reminder defer the end: `service_levels.closing_at`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from email_threads.store.deadlines.service_levels import OPEN
from email_threads.store.items.thread import Direction
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.store.items import Mail, Status, Thread


def after_mail(
    thread: Thread, mail: Mail, status: Status, close_days: int | None
) -> dict[str, Any]:
    """Return the attributes that a mail that counts changes. *status* is that of the thread after it."""
    if mail.direction is Direction.INBOUND:
        return {"reminder": None, "closes_at": None, "closed_at": None}
    reminder = thread.reminder
    is_followed = reminder is not None and reminder.given_at is not None
    is_last = not any(
        entry.direction is Direction.INBOUND and entry.timestamp > mail.received_at
        for entry in thread.email_history
    )
    closes = is_last and status in OPEN
    return {
        "reminder": None if is_followed else reminder,
        "closes_at": closing_of(mail.received_at, close_days) if closes else None,
    }


def after_status(thread: Thread, status: Status, at: str) -> dict[str, Any]:
    """Return the attributes that a new status changes."""
    if status in OPEN:
        return {"closes_at": None, "closed_at": None}
    return {"reminder": None, "closes_at": None, "closed_at": thread.closed_at or at}


def closing_of(at: str, close_days: int | None) -> str | None:
    """Return when a thread closes whose customer has the last word since *at*; None if its mailbox closes none."""
    if close_days is None:
        return None
    return clock.to_text(clock.from_text(at) + close_days * clock.DAY_SECONDS * clock.SECOND_MS)


def is_final(thread: Thread, received_ms: int, reopen_days: int | None) -> bool:
    """Whether a thread was closed more than *reopen_days* before a mail of the customer was received."""
    if reopen_days is None or thread.status in OPEN:
        return False
    closed_ms = clock.from_text(thread.closed_at or thread.updated_at)
    return received_ms > closed_ms + reopen_days * clock.DAY_SECONDS * clock.SECOND_MS
