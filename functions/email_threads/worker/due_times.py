"""
Gives the alarm before a breach of a thread's target, and counts breaches.

    1 thread       read with its deadline                        gone or without a time: the deadline is removed
    2 transaction  the head notes the alarm or the breach, with  killed: nothing, or done: then nothing is due
                   an entry in the record of changes, the next
                   deadline, and the count of a breach

The inbox shows the head, and its feed sends hints to open consoles. So an alarm is given once per thread and target,
however often the deadline is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from email_threads.store import changes, service_levels, threads
from email_threads.store.changes import Change
from email_threads.threading.head import service_level
from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from email_threads.inbound.events import EmailDue
    from email_threads.store.items import Thread
    from shared.aws.dynamodb import Table

ACTOR: Final = "service-level"
ACTION: Final = "service_level"
TRIES: Final = 8


def look(table: Table, event: EmailDue) -> bool:
    """
    Note the alarms and breaches of a thread whose time has come. Idempotent. False if there are none.

    Raises Transient after eight lost races.
    """
    for _ in range(TRIES):
        deadline = service_levels.deadline_of(table, event.conversation_id)
        if deadline is None:
            return False
        thread = threads.get(table, event.conversation_id)
        made = _change_of(thread) if thread is not None else None
        if thread is None or made is None:
            look_at = service_levels.next_look(thread) if thread is not None else None
            if look_at != deadline.look_at:
                service_levels.replace(table, deadline, look_at)
            return False
        if changes.change(table, thread, made) is not None:
            return True
    raise Transient("thread_contended")


def _change_of(thread: Thread) -> Change | None:
    """Return the change of a thread by alarms and breaches that are due; None without any. It moves it in no list."""
    if thread.service_level is None or not service_levels.running(thread):
        return None
    now = clock.to_text(clock.now_ms())
    level, happened = service_level.looked_at(thread.service_level, now)
    if not happened:
        return None
    detail = " ".join(happened)
    return Change(
        fields={"service_level": level},
        at=now,
        actor=ACTOR,
        action=ACTION,
        detail=detail,
        cause=digest(ACTOR, thread.conversation_id, str(level.round), detail)[:20],
    )
