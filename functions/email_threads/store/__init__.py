"""Storage of threads: one table of the contract, `email-conversations-{stage}`."""
