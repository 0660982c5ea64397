"""Inbound messages: verify, normalise, match to a conversation, store and trigger a reply."""
