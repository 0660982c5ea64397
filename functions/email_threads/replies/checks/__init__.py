"""Checks of texts that no person has read."""
