"""Participants of a thread: requests to join, and unproven mails that people admit."""
