"""Campaigns: one template or text to many recipients, each at most once."""
