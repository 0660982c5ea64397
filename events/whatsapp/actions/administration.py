"""The deployment and its actions."""

from events.whatsapp.payloads import Json

BODIES: dict[str, Json] = {
    "help": {"name": "send_text"},
    "list_actions": {"category": "core_messaging", "limit": 10},
    "ping": {},
}
