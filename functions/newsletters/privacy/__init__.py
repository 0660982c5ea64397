"""Erases and exports what newsletters have of a user."""
