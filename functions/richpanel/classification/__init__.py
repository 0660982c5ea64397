"""
Classification of customer messages by their text alone: no network, no table, no clock.

`classifier.classify` is the entry point; a model can implement the same interface. This package does not decide team,
tags, tier or reply.

The classifier is not imported here: it reads the lexicons at import, and modules that need only the types must not
incur that cost.
"""

from richpanel.classification.answers import Classification, Doubt, Language, Message, Scored

__all__ = ["Classification", "Doubt", "Language", "Message", "Scored"]
