"""
What to do about a customer's message: who gets it, what it is tagged with, whether a machine may answer, and why.

Pure: no AWS, no network, no clock. What the words mean is the classifier's business, what an order says the client's;
acting on a decision is the worker's.
"""

from richpanel.decisions.engine import decide
from richpanel.decisions.outcome import Decision, Reply

__all__ = ["Decision", "Reply", "decide"]
