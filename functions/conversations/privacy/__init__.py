"""Erasure and retention of conversation data."""
