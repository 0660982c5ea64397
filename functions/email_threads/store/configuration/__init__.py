"""What administrators and teams set: mailboxes and macros."""
