"""Messages to Ada, who wrote today."""

from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import ADA, COUNTER

TO_ADA: Json = {"phoneNumberId": COUNTER.phone, "to": f"+{ADA.wa_id}"}

BODIES: dict[str, Json] = {
    "send_text": TO_ADA | {"text": "Your bike is ready."},
}
