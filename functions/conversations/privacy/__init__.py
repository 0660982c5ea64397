"""Erasure and retention of the data of conversations."""
