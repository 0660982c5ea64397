"""Counts of messages, clicks and conversions, and the provider's own analytics."""
