"""Who takes part in a thread: requests to join, and unproven mails that people admit."""
