"""
Access patterns of the three tables, by name. Every write says when it can come twice, and what happens then.

One module per kind of row; its functions take the table first.
"""

from richpanel.store import audits, events, states

__all__ = ["audits", "events", "states"]
