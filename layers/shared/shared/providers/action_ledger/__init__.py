"""
The action ledger: one item per side effect at a provider, written before the provider is called; at most one live
attempt.

    (nothing) --reserve--> reserved --accepted--> sent --callback--> confirmed | failed
                              |-- refused permanently -------------> failed
                              |-- certainly not sent --------------> reserved, open to the next attempt at once
                              |-- deadline over, evidence ---------> confirmed
                              |-- deadline over, ON_DOUBT resend --> reserved (attempt + 1)
                              `-- deadline over, at most once -----> unknown --late callback--> confirmed | failed

A redelivery that finds `reserved` is in doubt: the previous worker may have died before, during or after its call. A
reservation is a lease (`shared.aws.tables.leases`) until its deadline, which is later than the end of that worker's
life, so two workers never act on the same one. A settled item keeps its owner: its state shows that it is complete.

If the caller writes a row before the call anyway, that row can hold the reservation (`perform_reserved`).
"""

from shared.providers.action_ledger.action import Action, OnDoubt, State
from shared.providers.action_ledger.ledger import GRACE_MS, Ledger

__all__ = ["GRACE_MS", "Action", "Ledger", "OnDoubt", "State"]
