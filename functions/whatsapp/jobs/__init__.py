"""Work started by a schedule: the canary, and the counts of messages."""
