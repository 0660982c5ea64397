"""Due times of sequence steps: jobs for current steps, timers for later ones, read by the schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.sqs_fifo import digest
from shared.runtime import clock
from whatsapp.inbound.event import SEQUENCE_STEP, Event
from whatsapp.store.sending import job_positions, timers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from shared.aws.dynamodb import Table
    from shared.aws.sqs_fifo import Entry
    from shared.aws.sqs_standard import StandardQueue
    from whatsapp.store.items.sending.campaigns import OpenCampaigns
    from whatsapp.store.items.sending.sequences import Sequence, SequenceRun

MINUTE_MS = 60 * clock.SECOND_MS


def delay_ms(sequence: Sequence, step: int) -> int:
    """Return the time between a step and the one before it; of the first step, the message that starts the sequence."""
    return int(sequence.steps[step]["delayMinutes"]) * MINUTE_MS


def arrange(table: Table, jobs: StandardQueue, run: SequenceRun) -> None:
    """Let a job send the next step of a run when it is due. Safe to repeat. Raises Transient."""
    if run.state != "running" or run.due_at is None:
        return
    due_ms = clock.from_text(run.due_at)
    if due_ms <= clock.now_ms():
        jobs.send([_entry(run.phone, run.run_id)])
    else:
        timers.note(table, f"{run.phone}#{run.run_id}", due_ms)


def queue_due(
    table: Table,
    jobs: StandardQueue,
    opened: OpenCampaigns,
    at_ms: int,
    remaining_ms: Callable[[], int],
) -> tuple[int, int]:
    """
    Enqueue the steps whose minute has ended at *at_ms* (the schedule's time), until the time is over; return their
    number, and the lag in milliseconds: since when the next minute to read has ended. Safe to repeat.

    *opened* is the work that the schedule has read. The position within a minute is saved for the next run.
    """
    count = 0
    minutes = list(_minutes(opened, at_ms))
    at = job_positions.get(table, "steps") if minutes else {}
    for minute in minutes:
        number, has_more = int(at["number"]) if at.get("minute") == minute else 0, True
        while has_more:
            if remaining_ms() <= 0:
                if number:
                    job_positions.put(table, "steps", {"minute": minute, "number": number})
                return count, at_ms - timers.start_of(minute) - MINUTE_MS
            named, has_more = timers.entries(table, minute, number)
            count += jobs.send([_entry(*one.split("#", 1)) for one in named])
            number += 1
        # After the queue has them: a crash in between repeats them, and the runs decide.
        timers.move(table, timers.minute_of(timers.start_of(minute) + MINUTE_MS))
    return count, 0


def _minutes(opened: OpenCampaigns, at_ms: int) -> Iterator[str]:
    """Yield the minutes to read: the ended ones of the range."""
    if not opened.has_timers or opened.timers_from is None or opened.timers_to is None:
        return
    last_ms = min(at_ms - MINUTE_MS, timers.start_of(opened.timers_to))
    for start_ms in range(timers.start_of(opened.timers_from), last_ms + 1, MINUTE_MS):
        yield timers.minute_of(start_ms)


def _entry(phone: str, run: str) -> Entry:
    """Return the job of a run's next step."""
    now_ms = clock.now_ms()
    event = Event(
        kind=SEQUENCE_STEP, id=run, source="parley", app="", accepted_at=now_ms, waba="", phone=phone,
        display_phone="", field=SEQUENCE_STEP, at=now_ms // clock.SECOND_MS, index=0, contact=None,
        payload={}, hash=digest(SEQUENCE_STEP, run),
    )  # fmt: skip
    return event.entry(group=(SEQUENCE_STEP, run), deduplication=(run,))
