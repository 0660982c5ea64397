"""Threads that people merge and split."""
