"""
Who may be written to: the words with which people say stop, and what is on record about each address.

Nothing here sends or answers. `shared.policy` takes the outcome as one of its facts.
"""
