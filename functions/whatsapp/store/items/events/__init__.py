"""Items of stored and parked events."""
