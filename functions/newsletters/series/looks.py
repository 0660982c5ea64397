"""Looks at series that are due: the schedule queues them for a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.inbound.events import SeriesRequested, entry
from newsletters.store import series
from shared.runtime import clock

if TYPE_CHECKING:
    from newsletters.configuration.resources import Resources
    from newsletters.store.items import Series


def look_after(resources: Resources, found: Series) -> None:
    """Queue the next look at a series. Safe to repeat: it moves to its next turn before the message is sent."""
    moved = series.next_turn(resources.store.table, found, clock.now_ms() + series.LOOK_AFTER_MS)
    if moved is not None:
        event = SeriesRequested(
            company_id=moved.company_id, series_id=moved.series_id, turn=moved.turn
        )
        resources.steps.send([entry(event)])
