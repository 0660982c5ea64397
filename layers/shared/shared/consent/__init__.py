"""
Consent: opt-out, opt-in and help keywords, and the consent records of each address.

This package sends no messages and no replies. `shared.policy` takes the result as one of its facts.
"""
