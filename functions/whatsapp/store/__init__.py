"""
Access patterns of the whatsapp table, by name. Every write says when it can come twice, and what happens then.

One module per item; its functions take the table first.
"""

from whatsapp.store import (
    aliases,
    calls,
    edits,
    events,
    forms,
    groups,
    heads,
    media,
    messages,
    orders,
    phones,
    statuses,
)

__all__ = [
    "aliases", "calls", "edits", "events", "forms", "groups", "heads", "media", "messages", "orders", "phones",
    "statuses",
]  # fmt: skip
