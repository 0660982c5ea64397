"""
What a customer's message is about, decided from its words alone: no network, no table, no clock.

`classify` is the port; a model can stand behind it as well as the rules here. What follows from an answer (team, tags,
tier, reply) is no business of this package.
"""

from richpanel.classification.answers import Classification, Doubt, Language, Message, Scored
from richpanel.classification.rules import classify

__all__ = ["Classification", "Doubt", "Language", "Message", "Scored", "classify"]
