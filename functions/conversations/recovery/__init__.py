"""Parking of events, dead letters, replay, and the scheduled sweep of conversations."""
