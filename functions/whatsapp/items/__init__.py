"""The item types of the whatsapp table: key patterns and attribute names, as the contract prints them."""

from whatsapp.items.events import OPEN, REPLAYED, WebhookEvent
from whatsapp.items.inbox import Alias, Conversation, Edit, Intent, Message, Reaction, Status
from whatsapp.items.item import pk
from whatsapp.items.media import Media
from whatsapp.items.phones import Phone, PhoneList

# The ledger's items are `shared.delivery.Action`; their key in this table.
ACTION_PK_PATTERN = "ACTION#{actionId}"

__all__ = [
    "ACTION_PK_PATTERN",
    "OPEN",
    "REPLAYED",
    "Alias",
    "Conversation",
    "Edit",
    "Intent",
    "Media",
    "Message",
    "Phone",
    "PhoneList",
    "Reaction",
    "Status",
    "WebhookEvent",
    "pk",
]
