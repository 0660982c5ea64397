"""Parked events and dead letters of the inbox, and their replay."""
