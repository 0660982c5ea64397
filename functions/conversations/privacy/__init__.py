"""Erasure and export of conversation data."""
