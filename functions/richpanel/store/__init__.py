"""
Repositories of the three tables. Every write documents whether it may be repeated, and with what effect.

One module per kind of row; its functions take the table as their first argument.
"""

from richpanel.store import audits, events, states

__all__ = ["audits", "events", "states"]
