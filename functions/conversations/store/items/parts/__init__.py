"""The items of one conversation beside its messages, changes and state."""
