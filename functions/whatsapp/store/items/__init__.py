"""
Item types of the frequently run functions; import the other item families from their own modules.

Each class adds about half a millisecond to a cold start. `register` imports all of them.
"""

from whatsapp.store.items.accounts.phones import AccountOwner, Phone, PhoneCompanies, PhoneList
from whatsapp.store.items.contacts.aliases import Alias
from whatsapp.store.items.conversations.conversations import Conversation
from whatsapp.store.items.conversations.media import Media
from whatsapp.store.items.conversations.messages import Edit, Intent, Message, Reaction, Status
from whatsapp.store.items.events.events import ParkedEntry, WebhookEvent
from whatsapp.store.items.item import AtMost, WhatsAppItem, pk

# Key pattern, in this table, of the action ledger's items (`shared.providers.action_ledger.Action`).
ACTION_PK_PATTERN = "ACTION#{actionId}"

__all__ = [
    "ACTION_PK_PATTERN", "AccountOwner", "Alias", "AtMost", "Conversation", "Edit", "Intent", "Media", "Message",
    "ParkedEntry", "Phone", "PhoneCompanies", "PhoneList", "Reaction", "Status", "WebhookEvent", "WhatsAppItem", "pk",
]  # fmt: skip
