"""Exports of contacts as CSV or JSON lines: all, those of a list, or those that fit filters."""
