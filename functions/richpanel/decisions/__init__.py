"""
The decision on a customer's message: its team, its tags, whether an automatic reply is allowed, and the reason.

Pure: no AWS, no network, no clock. The classifier interprets the text, the clients read the order, and the worker
executes the decision.
"""

from richpanel.decisions.engine import decide
from richpanel.decisions.outcome import Decision, Reply

__all__ = ["Decision", "Reply", "decide"]
