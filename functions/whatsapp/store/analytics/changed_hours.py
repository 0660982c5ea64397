"""
Hours to be counted again, because a message of theirs changed after they were over.

    worker    note the hour of the message under the current hour -> change the message
    schedule  read the notes of an hour once it is over -> count the noted hours again

A note precedes its change by less than a run of a worker takes, and the schedule waits longer than that.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from shared.runtime import clock
from whatsapp.store.items import pk
from whatsapp.store.items.analytics.changed_hours import ChangedHours

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Table

COUNTED_HOURS = 8 * 24  # A message that is read a week later still counts.
LIVE_SECONDS = 10 * clock.DAY_SECONDS
_HOUR = len("2026-03-01T09")


def note(table: Table, message_at: str) -> None:
    """
    Note that a message of this time is about to change. Safe to repeat.

    Nothing for the current hour, which is counted anyway, nor for hours that are not counted any more. One read if the
    hour is noted already.
    """
    now_ms = clock.now_ms()
    now, hour = hour_of(now_ms), name_of(message_at)
    if not oldest(now_ms) < hour < now:
        return
    noted = table.get(pk(ChangedHours.key(now)))
    if noted is None or hour not in ChangedHours.read(noted).hours:
        _add(table, now, {hour})


def note_all(table: Table) -> None:
    """Note all counted hours, before a number moves to another account with its messages. Safe to repeat."""
    now_ms = clock.now_ms()
    earlier = (hour_of(now_ms - ago * clock.HOUR_MS) for ago in range(1, COUNTED_HOURS))
    _add(table, hour_of(now_ms), set(earlier))


def _add(table: Table, now: str, hours: set[str]) -> None:
    table.update(
        pk(ChangedHours.key(now)),
        put=ChangedHours.named(ttl=clock.expires_in(LIVE_SECONDS)),
        put_once={"itemType": ChangedHours.item_type},
        add=ChangedHours.named(hours=hours),
    )


def noted_in(table: Table, hours: Sequence[str]) -> dict[str, set[str]]:
    """Return the hours that were noted in each of these hours."""
    items = table.get_many([pk(ChangedHours.key(hour)) for hour in hours])
    return {ChangedHours.hour_of(item["pk"]): ChangedHours.read(item).hours for item in items}


def oldest(at_ms: int) -> str:
    """Return the newest hour that is not counted any more."""
    return hour_of(at_ms - COUNTED_HOURS * clock.HOUR_MS)


def hour_of(at_ms: int) -> str:
    """Return the name of the hour that contains a time: `yyyymmddHH`, UTC."""
    return datetime.fromtimestamp(at_ms // clock.SECOND_MS, UTC).strftime("%Y%m%d%H")


def name_of(time: str) -> str:
    """Return the same for a time in the format of items."""
    return time[:_HOUR].replace("-", "").replace("T", "")
