"""Contents of messages, their versions and edits."""
