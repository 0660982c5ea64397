"""One module per event source of this context: each parses, makes one call, and renders."""
