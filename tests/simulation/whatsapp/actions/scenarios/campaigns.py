"""Campaigns: the messages are sent by jobs, after the call."""

from __future__ import annotations

from events.whatsapp.actions.campaigns import BODIES
from tests.simulation.whatsapp.actions.scenario import Scenario
from whatsapp.store.campaigns import campaign_turns

# A call that was killed before it had enqueued a page leaves it to the schedule.
SETTLES_MINUTES = campaign_turns.QUEUED_MS // 60_000 + 4

SCENARIOS = (
    Scenario(
        action="bulk_send",
        body=BODIES["bulk_send"],
        jobs=True,
        settles_minutes=SETTLES_MINUTES,
    ),
)
