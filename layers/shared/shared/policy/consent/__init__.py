"""
Consent: opt-out, opt-in and help keywords, the consent records of each address, and addresses that are not reached.

This package sends no messages and no replies. `shared.policy` takes the result as one of its facts.
"""
