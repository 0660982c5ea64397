"""Versions of a mailbox's settings on trial: which threads get one, and drafts in shadow."""
