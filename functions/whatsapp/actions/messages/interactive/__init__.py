"""Interactive messages: their kinds, parts and limits."""
