"""Reads notifications about received mails, and defines the events of `email-threads.fifo`."""
