"""Meta's webhook payloads: verified, split into single events, senders and content parsed."""
