"""What human agents ask for: a message, the release of a held item, an approved function call."""
