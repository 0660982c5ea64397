"""One module per event source of this context: it parses, makes one call, and renders."""
