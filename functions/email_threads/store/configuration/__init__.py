"""Settings of administrators and teams: mailboxes and macros."""
