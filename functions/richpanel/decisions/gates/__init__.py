"""The gates before an automatic reply."""
