"""Clicks, sequences, datasets and conversions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.whatsapp.actions.analytics import ACCOUNT, BODIES
from events.whatsapp.payloads import text
from events.whatsapp.scenarios.first_contact import ADVERT
from tests.simulation.whatsapp.actions.scenario import Scenario
from tests.simulation.whatsapp.event_builders import ada_message, webhook_of

if TYPE_CHECKING:
    from tests.simulation.whatsapp.system import System


def _ada_came_from_an_ad(system: System) -> None:
    message = ada_message("from an ad", text("Is the spring check free?"), referral=ADVERT)
    system.deliver_until_accepted(webhook_of(message))
    system.drain()


SCENARIOS = (
    Scenario(action="track_ctwa_click", body=BODIES["track_ctwa_click"]),
    Scenario(action="setup_welcome_sequence", body=BODIES["setup_welcome_sequence"]),
    Scenario(action="create_conversion_dataset", body=ACCOUNT, effect=("create_dataset",)),
    Scenario(
        action="send_conversion_event",
        prepare=_ada_came_from_an_ad,
        before=(("create_conversion_dataset", ACCOUNT),),
        body=BODIES["send_conversion_event"],
        effect=("send_conversion_event",),
    ),
)
