"""One module per event source of this context: it parses, makes one call, and renders."""

from shared import cold_start

cold_start.begin()
