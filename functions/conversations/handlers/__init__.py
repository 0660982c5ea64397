"""One module per event source: each parses, makes one call, and renders."""
