"""
The send policy: decides before every send whether a message may be sent now, with a reason if not.

Pure: facts in, one decision out (`decide`); `quiet_hours`, `zones` and `limits` compute some of the facts. The caller
stores the reason of every decision that is not `Allowed`: a refusal is a result, not an error.
"""
