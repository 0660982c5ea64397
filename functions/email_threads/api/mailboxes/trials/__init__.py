"""Trials of the versions of a mailbox's settings."""
