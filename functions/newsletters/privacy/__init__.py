"""Erases and exports a user's data in newsletters."""
