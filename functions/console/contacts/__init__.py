"""Lists of contacts and imports, and the work on them that goes on after the answer."""
