"""Exports of contacts as CSV or JSON lines: all, the members of a list, or the ones that fit filters."""
