"""
Plan of the hours to count. Pure: no table, no clock.

    current hour                 every 5 minutes; if it is large, 10, 20 and 40 minutes after its start
    an hour that is over         once, 5 minutes later
    ... in which messages change  again 2, 8 and 32 hours after its start, and a last time after 8 days

So a message is read at most seven times if its hour changes all the time, and once after its hour if nothing does. Most
statuses arrive within hours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shared.runtime import clock
from whatsapp.store.analytics.changed_hours import COUNTED_HOURS, hour_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MINUTE_MS = 60 * clock.SECOND_MS
EVERY_MINUTES = 5
LARGE_AT = (10, 20, 40)
# Longer than a worker takes from its note of a change to the change, and than an index lags.
CLOSED_AFTER_MS = 5 * MINUTE_MS
AGES = frozenset({2, 8, 32, COUNTED_HOURS})


def counts_current_hour(at_ms: int, *, is_large: bool) -> bool:
    """Return whether a run at this time counts the current hour."""
    minute = at_ms // MINUTE_MS % 60 // EVERY_MINUTES * EVERY_MINUTES
    return minute in LARGE_AT or not is_large


def closed_hours(last: str | None, at_ms: int) -> list[str]:
    """Return the hours after *last* that are over at this time, at most of eight days, oldest first."""
    end = (at_ms - CLOSED_AFTER_MS) // clock.HOUR_MS * clock.HOUR_MS
    hours = [hour_of(end - ago * clock.HOUR_MS) for ago in range(COUNTED_HOURS - 1, 0, -1)]
    return [hour for hour in hours if last is None or hour > last]


def every_hour(at_ms: int) -> set[str]:
    """Return all hours that are counted, but the current one."""
    return {hour_of(at_ms - ago * clock.HOUR_MS) for ago in range(1, COUNTED_HOURS)}


def recounts(
    changed: Iterable[str], closed: Sequence[str], noted: Mapping[str, Iterable[str]]
) -> tuple[set[str], set[str]]:
    """
    Return the hours that are due once the *closed* ones are over, and the changed ones that are due later.

    *changed*: those that were due later before. *noted*: the hours that changed in each closed one.
    """
    due, later = set[str](), set(changed)
    for hour in closed:
        due.add(hour)
        later.update(noted.get(hour, ()))
        reached = {one for one in later if _is_age(one, hour)}
        due |= reached
        later -= reached
    return due, later


def _is_age(hour: str, closed: str) -> bool:
    """Whether an hour reaches one of AGES when the hour *closed* is over."""
    age = (_start_of(closed) - _start_of(hour)) // clock.HOUR_MS + 1
    return age in AGES or age > COUNTED_HOURS


def _start_of(hour: str) -> int:
    return clock.from_text(f"{hour[:4]}-{hour[4:6]}-{hour[6:8]}T{hour[8:]}:00:00.000Z")
