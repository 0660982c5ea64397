"""Finds the passages for the topics of a newsletter."""
