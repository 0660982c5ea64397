"""
What a customer's message is about, decided from its words alone: no network, no table, no clock.

`rules.classify` is the port; a model can stand behind it as well as the rules here. What follows from an answer (team,
tags, tier, reply) is no business of this package.

The rules are not imported here: they read their lexicons when they are, and whoever only needs the words for an answer
must not wait for that.
"""

from richpanel.classification.answers import Classification, Doubt, Language, Message, Scored

__all__ = ["Classification", "Doubt", "Language", "Message", "Scored"]
