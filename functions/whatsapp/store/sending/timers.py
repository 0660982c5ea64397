"""
Timers: runs of sequences by the minute of their next step.

    note       entry in its minute -> the range of minutes to read includes it
    due        read the range up to the last minute that has ended
    move       the range begins later

Both ends of the range are in the item that the schedule reads each minute, so that an empty range costs nothing more.
A minute is read after its end only. An entry is written before that, or moves to a later minute: none is missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.aws.dynamodb import ConditionFailed, Table
from shared.runtime import clock
from shared.runtime.failures import Transient
from whatsapp.store.items import pk
from whatsapp.store.items.sending.campaigns import OpenCampaigns
from whatsapp.store.items.sending.sequences import Timer

if TYPE_CHECKING:
    from boto3.dynamodb.conditions import ConditionBase

MINUTE_MS = 60 * clock.SECOND_MS
LIVE_SECONDS = 2 * clock.DAY_SECONDS
ROUNDS = 5
MOST_ITEMS = 1_000  # of one minute: 100,000 runs
_open = OpenCampaigns.attr


def minute_of(moment_ms: int) -> str:
    """Return the minute of a time, `YYYY-MM-DDTHH:MM`."""
    return clock.to_text(moment_ms)[:16]


def start_of(minute: str) -> int:
    """Return the start of a minute in milliseconds."""
    return clock.from_text(f"{minute}:00.000Z")


def opened(table: Table) -> OpenCampaigns:
    """Return the work that the schedule finds (strongly consistent read)."""
    item = table.get(pk(OpenCampaigns.pk_pattern))
    return OpenCampaigns.read(item) if item else OpenCampaigns(pk=OpenCampaigns.pk_pattern)


def note(table: Table, entry: str, due_ms: int) -> None:
    """Note that *entry* is due at a time, at the earliest in the next minute. Safe to repeat. Raises Transient."""
    for _ in range(ROUNDS):
        minute = minute_of(max(due_ms, clock.now_ms() + MINUTE_MS))
        _enter(table, entry, minute)
        _include(table, minute)
        if clock.now_ms() < start_of(minute) + MINUTE_MS:
            return
        # The minute has ended meanwhile: the schedule may have read it before the entry was there.
    raise Transient("timer_late")


def entries(table: Table, minute: str, number: int) -> tuple[list[str], bool]:
    """
    Return the entries of the item *number*, from 0, of a minute that has ended, and whether another one may follow
    (strongly consistent read).
    """
    item = table.get(pk(Timer.of(minute, number)))
    runs = Timer.read(item).runs if item else set[str]()
    # Only a full item has a successor.
    return sorted(runs), len(runs) >= Timer.most


def move(table: Table, first: str) -> None:
    """Let the range begin with the minute *first*, if it begins earlier. Safe to repeat."""
    try:
        table.update(
            pk(OpenCampaigns.pk_pattern),
            put=OpenCampaigns.named(timers_from=first),
            when=_open("timers_from").lt(first),
        )
    except ConditionFailed:
        return


def _enter(table: Table, entry: str, minute: str) -> None:
    """Write an entry into the first item of its minute that has room."""
    runs = Timer.attr("runs")
    ttl = start_of(minute) // clock.SECOND_MS + LIVE_SECONDS
    for number in range(MOST_ITEMS):
        try:
            table.update(
                pk(Timer.of(minute, number)),
                put_once={"itemType": Timer.item_type, "ttl": ttl},
                add=Timer.named(runs={entry}),
                when=runs.not_exists() | runs.size().lt(Timer.most) | runs.contains(entry),
            )
        except ConditionFailed:
            continue
        return
    raise Transient("timer_full")


def _include(table: Table, minute: str) -> None:
    """Let the range contain a minute that has not ended; nothing is written if it does. Raises Transient."""
    for _ in range(ROUNDS):
        seen = opened(table)
        # An empty range begins anew: the minutes since its end are not read.
        first = seen.timers_from if seen.has_timers and seen.timers_from else minute
        wanted = (min(first, minute), max(seen.timers_to or minute, minute))
        if (seen.timers_from, seen.timers_to) == wanted:
            return
        try:
            table.update(
                pk(OpenCampaigns.pk_pattern),
                put_once={"itemType": OpenCampaigns.item_type},
                put=OpenCampaigns.named(timers_from=wanted[0], timers_to=wanted[1]),
                when=_same("timers_from", seen.timers_from) & _same("timers_to", seen.timers_to),
            )
        except ConditionFailed:
            continue
        return
    raise Transient("timers_contended")


def _same(field: str, value: str | None) -> ConditionBase:
    return _open(field).not_exists() if value is None else _open(field).eq(value)
