"""The head of a thread: its bounded lists, and their changes."""
