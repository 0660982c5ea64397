"""Lambda handlers, one module per event source: each parses the event, calls one use case and renders the result."""
