"""Parked events and dead letters of this context."""
