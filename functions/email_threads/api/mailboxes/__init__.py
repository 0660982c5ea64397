"""Mailboxes: their settings, and the versions of what their models read and may do."""
