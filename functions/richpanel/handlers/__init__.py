"""One module per event source of this context: each parses, makes one call, and renders."""

from shared.runtime import gc_at_start

gc_at_start.begin()
