"""Parked events and dead letters of all contexts: list, replay, redrive."""
