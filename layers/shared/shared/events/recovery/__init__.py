"""Parked events of all contexts: the quota per company, and the events above it."""
