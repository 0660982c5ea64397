"""Mails that are sent from threads: drafts, their review, the checks before a send, the send itself, and its events."""
