"""Segments of contacts over the API."""
