"""Routes of the HTTP API: their declarations, and the answers to requests."""
