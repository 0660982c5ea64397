"""Generated documentation: table reference pages, and the measured tables of costs and performance."""
