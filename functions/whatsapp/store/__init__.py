"""
Access patterns of the whatsapp table, by name. Every write says when it can come twice, and what happens then.

One module per item; its functions take the table first. Those of rare items are loaded at their first use: together
their item classes would cost every cold start as much as all the others.
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
