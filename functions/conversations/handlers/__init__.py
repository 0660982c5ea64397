"""Lambda handlers, one module per event source: each parses the event, calls one use case and renders the result."""

from shared.runtime import gc_at_start

gc_at_start.begin()
