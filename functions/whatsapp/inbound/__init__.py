"""Meta's webhook payloads: verification, splitting into single events, parsing of senders and content."""
