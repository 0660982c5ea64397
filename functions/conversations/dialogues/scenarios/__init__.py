"""Scenarios as people write them: the format, its files, and the import of promptfoo."""
