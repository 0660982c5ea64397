"""
The item types that the hot functions use; the other families are imported from their own modules.

Each class costs a cold start about half a millisecond. `register` has all of them.
"""

from whatsapp.store.items.events import OPEN, REPLAYED, ParkedEntry, WebhookEvent
from whatsapp.store.items.inbox import Alias, Conversation, Edit, Intent, Message, Reaction, Status
from whatsapp.store.items.item import AtMost, WhatsAppItem, pk
from whatsapp.store.items.media import Media
from whatsapp.store.items.phones import Phone, PhoneList

# The ledger's items are `shared.action_ledger.Action`; their key in this table.
ACTION_PK_PATTERN = "ACTION#{actionId}"

__all__ = [
    "ACTION_PK_PATTERN", "OPEN", "REPLAYED", "Alias", "AtMost", "Conversation", "Edit", "Intent", "Media", "Message",
    "ParkedEntry", "Phone", "PhoneList", "Reaction", "Status", "WebhookEvent", "WhatsAppItem", "pk",
]  # fmt: skip
