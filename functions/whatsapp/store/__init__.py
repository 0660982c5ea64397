"""
Repositories of the whatsapp table: named access patterns. Each write states when it can repeat and its effect then.

One module per family of items; every function takes the table as its first argument. Modules of rare items are
imported on first use: their item classes together would add as much to each cold start as all the others.
"""

import importlib
from typing import TYPE_CHECKING

from whatsapp.store import events
from whatsapp.store.accounts.numbers import phones
from whatsapp.store.contacts import aliases
from whatsapp.store.conversations import heads, read_marks
from whatsapp.store.inbox import media, message_reports, messages
from whatsapp.store.sending import intents

if TYPE_CHECKING:
    from whatsapp.store import groups
    from whatsapp.store.accounts import account_reports, cached_templates, catalogs, forms
    from whatsapp.store.accounts.orders import payments
    from whatsapp.store.analytics import counts
    from whatsapp.store.contacts import links
    from whatsapp.store.conversations import (
        agent_changes,
        customer_facts,
        head_erasure,
        linked_heads,
        notes,
    )
    from whatsapp.store.conversations.lists import conversation_lists, timelines
    from whatsapp.store.sending import canned_replies, failed_messages
else:
    # The modules that are imported on first use, by package.
    _RARE = {
        "account_reports": "accounts",
        "agent_changes": "conversations",
        "cached_templates": "accounts",
        "canned_replies": "sending",
        "catalogs": "accounts",
        "conversation_lists": "conversations.lists",
        "counts": "analytics",
        "customer_facts": "conversations",
        "failed_messages": "sending",
        "forms": "accounts",
        "head_erasure": "conversations",
        "linked_heads": "conversations",
        "links": "contacts",
        "notes": "conversations",
        "payments": "accounts.orders",
        "timelines": "conversations.lists",
    }

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"the store has no module {name}")
        package = f".{_RARE[name]}" if name in _RARE else ""
        return importlib.import_module(f"{__name__}{package}.{name}")


__all__ = [
    "account_reports", "agent_changes", "aliases", "cached_templates", "canned_replies", "catalogs",
    "conversation_lists", "counts", "customer_facts", "events", "failed_messages", "forms", "groups", "head_erasure",
    "heads", "intents", "linked_heads", "links", "media", "message_reports", "messages", "notes", "payments", "phones",
    "read_marks", "timelines",
]  # fmt: skip
