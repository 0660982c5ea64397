"""Finds contacts by words, numbers, labels, owners and attributes: for the inbox and for the API of contacts."""
