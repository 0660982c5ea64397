"""Media files: their limits, uploads and downloads, links, and statistics."""
