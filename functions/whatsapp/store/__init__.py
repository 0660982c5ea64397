"""
Access patterns of the whatsapp table, by name. Every write says when it can come twice, and what happens then.

One module per item; its functions take the table first.
"""

from whatsapp.store import (
    aliases,
    calls,
    counts,
    edits,
    events,
    forms,
    groups,
    heads,
    media,
    messages,
    orders,
    payment_configs,
    phones,
    quality,
    statuses,
    templates,
)

__all__ = [
    "aliases", "calls", "counts", "edits", "events", "forms", "groups", "heads", "media", "messages", "orders",
    "payment_configs", "phones", "quality", "statuses", "templates",
]  # fmt: skip
