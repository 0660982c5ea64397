"""Items of work that is repeated or waits for a person: due work, unhandled events, positions of the gap check."""
