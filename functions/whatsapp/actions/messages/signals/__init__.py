"""Reactions, read receipts and the typing indicator: calls about a message that send none."""
