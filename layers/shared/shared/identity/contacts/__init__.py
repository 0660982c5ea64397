"""
The contact of a customer over all contexts: one record per person, found by each proven identifier.

Holds keyed hashes of identifiers, no identifier itself.
"""
