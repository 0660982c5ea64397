"""Collects and prints the traces of the local stack."""
