"""Conversations: their lists, and one with all that a page shows of it."""
