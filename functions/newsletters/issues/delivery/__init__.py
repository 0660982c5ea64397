"""The work of an issue: the snapshot of its audience, its mails in turns, the settlement, the provider's events."""
