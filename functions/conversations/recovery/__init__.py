"""Parked events, dead letters, replay and the sweep of conversations."""
