"""One module per event source: each parses, makes one call, and renders."""

from shared import cold_start

cold_start.begin()
