"""
Times at which a thread without an answer of the customer is closed, and a person is reminded of it. Pure.

    our mail                 an open thread closes after the days of its mailbox; a given reminder has been followed up
    customer's mail          nothing closes, no reminder
    waits for information    closes after the days of its mailbox (`closing_of`)
    completed, archived      neither; the time is kept: it decides whether later mail reopens the thread
    completed                the customer is asked how satisfied they are after the hours of the mailbox, once
    reminder is given        the thread is active, and closes after our next mail only

A snooze and a reminder defer the end: `service_levels.closing_at`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from email_threads.store.deadlines.service_levels import OPEN
from email_threads.store.items.threads.satisfaction import Satisfaction
from email_threads.store.items.threads.thread import Direction, Status
from shared.runtime import clock

if TYPE_CHECKING:
    from email_threads.store.items import Mail, Thread


def after_mail(
    thread: Thread,
    mail: Mail,
    status: Status,
    close_days: int | None,
    ask_hours: int | None = None,
) -> dict[str, Any]:
    """
    Return the attributes that a mail that counts changes. *status*: of the thread after it.

    *ask_hours*: the mailbox's hours from the end of a thread to its question, for a mail of the customer.
    """
    if mail.direction is Direction.INBOUND:
        return {
            "reminder": None,
            "closes_at": None,
            "closed_at": None,
            "satisfaction": _expected(thread.satisfaction, ask_hours),
        }
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
    satisfaction = _after_status(thread.satisfaction, status, at)
    if status in OPEN:
        return {"closes_at": None, "closed_at": None, "satisfaction": satisfaction}
    return {
        "reminder": None,
        "closes_at": None,
        "closed_at": thread.closed_at or at,
        "satisfaction": satisfaction,
    }


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


def _expected(known: Satisfaction | None, ask_hours: int | None) -> Satisfaction | None:
    """Return the question of a thread that is open; one that was asked is not asked again."""
    if known is not None and known.asked_at is not None:
        return known
    return Satisfaction(delay_hours=ask_hours) if ask_hours is not None else None


def _after_status(known: Satisfaction | None, status: Status, at: str) -> Satisfaction | None:
    """Return the question after a change of the status: only a completed thread waits for it."""
    if known is None or known.asked_at is not None:
        return known
    if status is not Status.COMPLETED:
        return known.model_copy(update={"ask_at": None})
    if known.ask_at is not None:
        return known
    ask_ms = clock.from_text(at) + known.delay_hours * clock.HOUR_MS
    return known.model_copy(update={"ask_at": clock.to_text(ask_ms)})
