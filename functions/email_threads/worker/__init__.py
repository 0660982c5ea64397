"""Processes the events of `email-threads.fifo`."""
