"""Customers' messages as models read them: marks, quoted messages and files."""
