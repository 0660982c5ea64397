"""
Repositories of the whatsapp table: named access patterns. Each write states when it can repeat and its effect then.

One module per family of items; every function takes the table as its first argument. Modules of rare items are
imported on first use: their item classes together would add as much to each cold start as all the others.
"""

import importlib
from typing import TYPE_CHECKING

from whatsapp.store import contacts, events, heads, intents, media, messages, phones, read_marks

if TYPE_CHECKING:
    from whatsapp.store import (
        accounts,
        agent_changes,
        canned_replies,
        conversation_lists,
        counts,
        forms,
        groups,
        linked_heads,
        links,
        notes,
        payments,
        privacy_jobs,
        timelines,
    )
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"the store has no module {name}")
        return importlib.import_module(f"{__name__}.{name}")


__all__ = [
    "accounts", "agent_changes", "canned_replies", "contacts", "conversation_lists", "counts", "events", "forms",
    "groups", "heads", "intents", "linked_heads", "links", "media", "messages", "notes", "payments", "phones",
    "privacy_jobs", "read_marks", "timelines",
]  # fmt: skip
