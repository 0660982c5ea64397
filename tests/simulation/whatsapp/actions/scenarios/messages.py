"""Messages."""

from events.whatsapp.sample_data import ADA, COUNTER
from tests.simulation.whatsapp.actions.scenario import Scenario

TO_ADA = {"phoneNumberId": COUNTER.phone, "to": f"+{ADA.wa_id}"}

SCENARIOS = (
    Scenario(
        action="send_text",
        body=TO_ADA | {"text": "Your bike is ready."},
        effect=("send_message",),
    ),
)
