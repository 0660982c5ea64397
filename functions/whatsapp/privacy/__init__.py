"""Erasure and export of a contact's data in the inbox."""
