"""Counts of messages by hour and day, and their computation."""
