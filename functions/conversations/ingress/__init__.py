"""
The ways in: a provider's call is proved to be its own, and becomes events in the words of `shared.events`.

Providers wait for these functions: no pydantic, no phonenumbers, no tables. Whose address it is, what is a duplicate
and what a text means, intake finds out.
"""
