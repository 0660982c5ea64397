"""Contacts: blocked users."""

from typing import Any

from events.whatsapp.sample_data import ADA, COUNTER
from tests.simulation.whatsapp.actions.scenario import Scenario

type Json = dict[str, Any]
USERS: Json = {"phoneNumberId": COUNTER.phone, "users": [f"+{ADA.wa_id}"]}

SCENARIOS = (
    Scenario(action="block_users", body=USERS, effect=("block_users",)),
    Scenario(
        action="unblock_users",
        body=USERS,
        before=(("block_users", USERS),),
        effect=("unblock_users",),
    ),
)
