"""Campaigns: the messages are sent by jobs, after the call."""

from __future__ import annotations

from events.whatsapp.actions.campaigns import BODIES
from tests.simulation.whatsapp.actions.scenario import Scenario

SCENARIOS = (Scenario(action="bulk_send", body=BODIES["bulk_send"], jobs=True),)
