"""
Repositories of the whatsapp table: named access patterns. Each write states when it can repeat and its effect then.

One module per item type; every function takes the table as its first argument. Modules of rare items are imported on
first use: their item classes together would add as much to each cold start as all the others.
"""

import importlib
from typing import TYPE_CHECKING

from whatsapp.store import aliases, edits, events, heads, media, messages, phones, statuses

if TYPE_CHECKING:
    from whatsapp.store import (
        calls,
        counts,
        forms,
        groups,
        orders,
        payment_configs,
        quality,
        templates,
    )
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"the store has no module {name}")
        return importlib.import_module(f"{__name__}.{name}")


__all__ = [
    "aliases", "calls", "counts", "edits", "events", "forms", "groups", "heads", "media", "messages", "orders",
    "payment_configs", "phones", "quality", "statuses", "templates",
]  # fmt: skip
